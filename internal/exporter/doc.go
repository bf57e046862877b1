// Package exporter writes a site in the native format: JSON Lines, one object a
// line, each with one member that says what it is. FORMAT.md describes it; it
// is versioned, and a reader ignores what it does not know.
//
// Nothing that only this installation can use is in it: no keyed hashes, no
// nonces, no findings, no state of cards or queues. Mail addresses are in it
// only when they are asked for.
//
// The rule a newcomer would break: the last line counts the others. A file
// without it was cut off, and a reader must refuse it.
package exporter
