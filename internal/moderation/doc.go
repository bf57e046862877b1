// Package moderation is what happens between "sent" and "public". Door is the
// one place where a comment's status is decided, for checks, moderators and
// commenters alike; Worker runs the checks when a comment is submitted;
// Reconciler finds what was lost on the way and sends it again; Workflow keeps
// what nobody decides about from waiting for ever.
//
// The package knows no SQL, no broker and no Telegram: the store applies a
// rule in a transaction, the outbox announces it.
//
// The rule a newcomer would break: nothing outside this package makes a
// postil.Change, since a second place that decides would soon decide
// differently.
//
// To add a check: write one function of type Check in a file of its own, add
// one line to Checks, and add its rows to the table in check_test.go. A check
// has no side effects and no clock; what it must know beside the comment
// stands in postil.Memory.
package moderation
