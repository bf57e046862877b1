// Package store keeps everything in SQL. It applies what the rules of the
// domain decided and knows no rule of its own: one file for each aggregate,
// plain SQL with "?", times as unix milliseconds. What only SQLite can do
// stands in dialect.go alone.
//
// There is one door for writing. Write hands a function to the writer, which
// runs many of them in one transaction (group commit), each in a savepoint of
// its own, and answers all of them after the one fsync. Whatever another
// component must learn is written with Tx.Emit in the same function. Readers
// have their own read-only connections and never wait for the writer.
//
// The rule a newcomer would break: no network, no waiting and no rendering
// inside a function given to Write, since everybody who writes waits for it.
//
// To add an aggregate: a migration, one file with its columns as a constant
// and one scan function, and a line in the test that explains every statement.
package store
