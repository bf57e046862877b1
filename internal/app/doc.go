// Package app puts the rooms together, and this comment is the tour.
//
// # A comment travels
//
// A reader presses Send. httpapi binds the request, asks intake to check it,
// takes from the rate limit, and hands it to intake again, which renders the
// text and calls store.AddComment: one transaction writes the comment as
// pending and the event comment.submitted into the outbox, and after the fsync
// the reader gets 202. The commit wakes outbox.Relay, which publishes the event
// to the broker (queue). The consumer "checks" hands it to moderation.Worker:
// the checks look at the comment, Conclude applies the site's policy, and one
// transaction stores what they found together with a decision or an open
// review task and its event review.requested. A desk (telegram, console, or
// the lists of the REST API) shows the task to a person; a press, an answer or
// a request becomes a call of moderation.Door, the one door. Its transaction
// emits comment.decided; every process that watches drops the thread from its
// cache first and then tells the open pages (live), which fetch it again.
//
// When the broker is down, comments are stored and wait in the outbox. When it
// has lost what it had, moderation.Reconciler finds pending comments that
// nobody was told of and announces them again: the store is the truth.
//
// # Invariants
//
//  1. Whatever another component must learn is written to the outbox in the
//     transaction that makes it true.
//  2. One function decides about a comment.
//  3. No network call and no waiting inside a transaction. No message is held
//     in flight while a person thinks.
//  4. First refresh the cache, then tell the readers.
//  5. Text shown to a person comes from an error with a kind and a sentence;
//     everything else becomes "something went wrong on our side".
//  6. The cache and every public answer hold only what everyone may see.
//  7. Raw addresses are neither stored nor logged.
//  8. In the widget one function may set HTML, and only from the field that the
//     server sanitised; all else is textContent.
//
// # Where things are
//
// Config is what an operator decides; App is the wiring, New puts it together
// and Run starts and stops it in the order in which nothing is lost; commands
// speak to a running server by its admin API and, when none runs, to the same
// API inside their own process. arch_test.go is the law of who may import
// whom; adr/ says why things are as they are.
//
// The rule a newcomer would break: rooms never import each other. What one
// needs from another it declares as a small interface, and this package passes
// the real thing in.
package app
