// Package postil is the domain: the words of a comment platform and the rules
// that hold whatever technology carries them. A comment is written by an
// author on a post of a site, waits as pending, and is decided by a check or by
// a person; only what is approved is public.
//
// The package does no input or output, reads no clock and starts nothing. It
// imports the standard library and Unicode tables only.
//
// The rule a newcomer would break: a status changes only as Status.After says,
// and nobody calls After but the moderation room. Storing a status by hand
// leaves a change that nobody announces.
package postil
