// Package limit counts what one actor did lately and says when it was too
// much: exactly, in bounded memory, and with the moment at which it will be
// allowed again.
//
// It does not know who the actor is, which route asks, or what a refusal looks
// like over HTTP; it offers the header values and the error, nothing else.
// Public reads have no rule here: they never take from anybody's allowance.
//
// The rule a newcomer would break: a refused request consumes nothing, in no
// window of its rule. Take therefore checks and counts all windows in one step,
// and whoever refuses a request after Take gives the allowance back with
// Refund. Two calls of a one-window limiter in a row cannot promise that.
//
// # Why ulule/limiter is used through a store of our own
//
// Its Store interface counts one rate a call. With two rates ("3 in 10 s and
// 30 in an hour") the second call refuses after the first has already counted,
// and a counter grows past its limit on every refusal. Its memory store also
// has no bound: two million addresses cost 378 MB until they expire. Store
// implements the interface over a bounded cache, for whatever wants one rate
// and ulule's own types; Limiter works on the same entries, where all windows
// of a rule live side by side and change together. The window itself is
// ulule's: fixed, from the first hit.
//
// Several nodes that share a broker share allowances, too, when they are told
// so: Shared counts there what Store counts in memory, by the same rules. A node
// that cannot reach the broker lets nobody in (Take fails), because it cannot
// know what the others allowed.
//
// To add a limit: declare its rates as a setting (settings/catalog_limits.go)
// and Take under that name in the route. Rules with different names never share
// a counter.
package limit
