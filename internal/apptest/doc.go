// Package apptest runs the whole service for tests: inside the test process
// (Start) or as the real binary (RunBinary), with a Telegram Bot API beside it
// that holds real chats, and with a real browser (NewBrowser) before it.
//
// It asserts nothing about the product; it starts, drives and waits. What is
// right stands in the tests that use it: e2e for what people see, chaos for
// what survives.
//
// The rule a newcomer would break: never sleep. Wait for a condition that has
// a name (Eventually, Page.Until, Bot.Card, Stream.Next), so that a test which
// fails says what did not happen.
//
// A package that calls Build or RunBinary has a TestMain that ends in Main, so
// that the binary is built once and removed at the end.
package apptest
