// Package intake takes comments in: it checks what was sent, finds out which
// post is meant, renders the text and has the result stored. It serves the
// people who write: readers, the same readers when they come back to change
// something, and moderators who answer.
//
// It decides nothing about a comment; that is the moderation room's. It knows
// nothing of HTTP or SQL.
//
// The rule a newcomer would break: Check is cheap and stores nothing, so that
// it can run before the rate limit; Accept is what the limit protects.
package intake
