// Package e2e holds the product test: the real binary, a real browser and a
// Telegram Bot API in one tree of processes, driven from where people stand.
// It is run by “make e2e” and needs chromium, and npm for the Bot API that is
// not ours.
//
// What a single room promises is proved in that room, faster. A test belongs
// here when it needs the browser or the whole way.
//
// The rule a newcomer would break: the tests run one after the other, because
// they hold promises of time (“within a second”) against a machine that they
// must not load themselves.
//
// POSTIL_SHOTS names a directory for the pictures of the pages.
package e2e
