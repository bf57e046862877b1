// Package notify tells programs elsewhere what happens to comments: webhooks,
// signed, in order for each comment, and again until they are taken or given up.
//
// It decides nothing and is never waited for by anybody who writes or reads a
// comment. An event only becomes deliveries in the store; Run sends them. What
// is sent is made from the comment as it is then, so the event holds ids alone.
//
// The rule a newcomer would break: an address is checked where the connection
// is made, in guard.go, and nowhere before. A name that was looked up and found
// harmless may lead somewhere else a moment later.
//
// The signature is the one of Standard Webhooks: the headers webhook-id,
// webhook-timestamp and webhook-signature, HMAC-SHA256 over "id.timestamp.body".
// The id of an event is the same each time it is sent.
//
// To add a format: a function of a Note in formats.go with a line in its table,
// and its name in postil.WebhookFormat and the schema.
package notify
