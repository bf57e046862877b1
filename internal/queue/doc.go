// Package queue carries events from the outbox to whoever acts on them, over
// NATS JetStream: a server inside this process, or one outside. It offers
// publishing, durable consumers (each event is handled by one node, at least
// once), watchers (each node sees each event while it runs), tables (small
// values that every node sees) and counters (numbers that nodes count together).
//
// It holds no truth. Events carry ids, the store has the rest; a queue that
// was lost or deleted costs repeated work and no comment. It knows no rules of
// moderation, and it never waits for a person: a message is answered within
// seconds and the task lives in the store.
//
// The rule a newcomer would break: every durable consumer is declared with
// Consume before Start, on every node, also on one that does not run it. A
// stream forgets an event once all its consumers are done with it, so an event
// that is published before a consumer exists never reaches that consumer.
//
// To add a kind of event: name it in package postil and add it to one line of
// the table in streams.go. A test fails until that is done.
package queue
