// Package token makes and checks what is derived from the installation's one
// secret, and what is random and kept only as a hash: hashes that stand for
// people and requests, edit keys, form tokens, API keys, one-time codes.
//
// It stores nothing and decides nothing: whether a form token was used before,
// an API key was revoked or a code is too old is known to whoever keeps the
// hashes.
//
// The rule a newcomer would break: every purpose has its own key and every
// input its length in front (see Keys.mac). Hashing joined strings with a shared
// key lets "ab"+"c" pass for "a"+"bc", or a form token for an edit key.
//
// To add a purpose: add a name to the list in keys.go, and a method that calls
// mac with it. Names are never reused: changing one makes everything derived
// under it invalid.
package token
