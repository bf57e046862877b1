// Package fakebot is a Telegram Bot API server for tests: a real HTTP server that speaks the protocol at
// BASE/bot<TOKEN>/<METHOD> and refuses what Telegram refuses, with Telegram's words.
//
// It does not know the product: it holds chats, messages, buttons and updates, and nothing about comments.
// It is not a mock either: a test drives it from the people's side (Say, Press) and looks at what stands in
// the chat (Messages, Answers), not at which functions were called.
//
// The rule a newcomer would break: when in doubt be stricter than Telegram, never milder. A test against a
// mild fake passes and the first real message is lost. Known places where it is stricter: a bare & in HTML
// is refused (the manual demands escaping, the server shrugs), and every length is counted in UTF-16 units.
// Known places where it knows less: legacy "Markdown" is refused, links and mentions in plain text are not
// turned into entities (bot commands are), and media cannot be sent.
//
// To add a method: write func (s *Server) name(r *request) (any, *Fault) and give it a row in methods.
package fakebot
