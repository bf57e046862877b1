// Package classifier judges comments as a person who has seen the site's
// decisions would: spam, honest, or better asked. Two parts add up. The shipped
// one weighs generic signals (links, names, form, memory, bursts), holds no
// word of anybody and works on the first day; the local one learns the words,
// names and hosts of one site from what its people decide, and the first fades
// as the second grows. The sum is calibrated on the site's own decisions.
//
// The package decides nothing: it says what it would do and why; what follows
// is the policy's. It knows no SQL and no policy, and keeps nothing but what
// MarshalBinary returns and a ring of recent traffic, at most 16 MiB a site.
//
// The rule a newcomer would break: weights are derived, never typed in. A
// signal is changed in its function and then `measure weights` and `measure
// game` are run; the table of the README is what they print. Nothing of a
// stream but numbers may come in here.
//
// To add a signal: one line in the list it belongs to (signals_content.go,
// signals_name.go, recall.go) with a name, a reason in words and the direction
// that it may point to, a row in signals_test.go, and the weights derived anew.
package classifier
