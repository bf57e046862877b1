// Package pageview counts how often posts are read: in memory, and in batches
// into the store, so that no reader ever waits for a disk.
//
// It does not know HTTP or SQL, keeps nobody's address and sets no cookie. It
// fails open: whatever happens behind it, Visit returns at once, and what is
// lost is a number of a trend.
//
// # What counts
//
// A page that a person opened, once a visitor and day. Not counted are
//
//   - reloads: the same visitor, site and post on the same UTC day. A visitor is
//     the keyed hash of an address and the day, so people behind one address
//     count once, and nobody can be followed into the next day. The set of them
//     is in memory only, bounded, and forgotten with the day and the process;
//   - programs that say in their user agent that they are crawlers, makers of
//     link previews or monitors (robots.go). Libraries such as curl are not on
//     that list: a blog's own server may count for its readers;
//   - pages that the browser fetched before anybody opened them;
//   - whoever runs the site.
//
// # What is exact
//
// Every counted visit is in exactly one batch, and each batch of a writer has a
// number that the store remembers with the sums. A batch whose answer was lost
// is sent again with its number and added once; Count knows from the number
// whether the store has a batch already. A batch is sent after 5 seconds or
// 1,000 visits, so a process that is killed loses no more than that; one that
// is stopped loses nothing. Every node has its own batches, and sums add up.
//
// The rule a newcomer would break: never read a number, add to it and write it
// back. The store is sent differences.
package pageview
