// Package console is the desk in a terminal: it shows what waits one comment
// after the other and takes one-letter answers, so that a service without any
// chat can be moderated from where it was started.
//
// It decides nothing itself and remembers only what it did last, for undo.
//
// The rule a newcomer would break: nothing that a visitor wrote reaches the
// terminal as it is. Every such text goes through visible, which leaves no
// control character alive.
//
// To add an answer: a line in answers, which is also the help.
package console
