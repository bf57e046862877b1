// Package telegram is the desk in Telegram: it shows each comment that waits
// for a person as a card with buttons, keeps every card true to what is stored,
// and turns presses, replies and commands into calls of the one door.
//
// It decides nothing and holds no comment. Which comments need a person, what a
// decision does and what is allowed in which status is known elsewhere; here is
// only what a message can hold and whom the bot may obey.
//
// The rule a newcomer would break: a card is always made from the stored
// comment, at the moment it is sent or edited. Never re-use the text or the
// buttons that Telegram gives back: the text has lost its markup, and both say
// what was true once. For the same reason an event only makes cards due, and
// the sender looks what there is to say.
//
// Nothing waits for the network inside a transaction. A card that could not be
// delivered stays due in the store, so a crash costs at most one card sent
// twice: the one between its sending and its record.
//
// To add a button: a verb in press.go's table with what it does, and a place in
// keyboard.go for the statuses in which it makes sense.
//
// To add a command: a line in commands.go's table with a function
// func(ctx, message) string; what it returns is the answer.
package telegram
