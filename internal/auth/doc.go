// Package auth says who is asking and what they may. A key shown with a
// request becomes a Principal: somebody with a name in the logs, a role, and
// the one site the key is bound to, if any.
//
// A session is another way to be somebody: a cookie that stands for a moderator
// or a key, worth at each request what its owner is worth then. What it changes
// must come from our own page, see Cookie.OwnPage, with the session's token.
//
// It makes no keys and stores none: the token room makes them, the store keeps
// their hashes. It decides nothing about comments.
//
// The rule a newcomer would break: ask May with the site of the thing that is
// read or changed, never with the site that the request names. An id in an
// address says nothing about where its comment stands.
//
// To add an action: a constant in principal.go and, if moderators may do it, a
// line in its table.
package auth
