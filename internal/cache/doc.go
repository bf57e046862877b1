// Package cache keeps the public answers of the service ready to be written:
// one entry for each [postil.View], with its body in every content encoding.
// It stands between many readers and one store and lets through what it must:
// at most one load of a view at a time, a bounded number of loads altogether,
// and after a change one load for each view that somebody asks for.
//
// It makes no body (the Loader does), knows no request and listens to no
// event by itself.
//
// The rule a newcomer would break: what is cached is the same for everybody.
// Nothing of a request but the View reaches the Loader, and nothing personal
// may stand in the body that it returns.
//
// How an answer is kept honest:
//
//   - Every entry remembers the sum of the change counters of what it shows,
//     read before its load began. A change raises a counter, and an entry whose
//     sum is lower is out of date from that moment, wherever its load stood.
//     Nothing is searched or removed, so a change costs the same whatever is
//     cached.
//   - An entry has two clocks. Past the first (Fresh) it is answered and
//     renewed behind the answer; past the second (Retain) it is as good as gone.
//     The first is a net below the change counters, no more.
//   - An entry that is out of date is answered only when a load failed, was
//     refused, or when its view was loaded too often just now (see
//     Options.MinRefresh), until the load that is due then has landed. A placeholder that is out of date is never answered:
//     a thread that exists must not look empty.
//
// To add a kind of view: give it Post, Posts or neither in its View. What
// invalidates it follows from these alone, see scopes.
package cache
