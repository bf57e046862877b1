// Package chaos kills the real binary under load, again and again, and counts.
//
// Its tests hold the service to one promise: what was acknowledged is kept,
// once. Clients write down every answer that the service gave (a comment, an
// edit, a deletion, a decision); afterwards the admin API, the database file
// and the chats of a fake Telegram must tell the same story. It tests no
// feature and knows no internals: the service is a child process, reached by
// HTTP, by buttons and by kill -9.
//
// The tests have the build tag chaos, since they take minutes: make chaos.
// A failure prints its seed and keeps the data directory and the logs. The seed
// repeats what the clients do, not when the machine lets them.
//
// The rule a newcomer would break: a client writes into the ledger what it is
// about to ask for before it asks, and the answer as soon as it has it. Whoever
// writes both afterwards counts what was lost as never sent.
//
// To add something that may be acknowledged: a kind of entry in ledger, a step
// of a client that makes it, and a rule in audit that looks for it.
package chaos
