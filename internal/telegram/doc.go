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
// delivered stays due in the store. One that was on its way when the process
// died is looked for in the chat before another is sent, see probe.go.
//
// More new comments than a moderator wants to hear one by one go on a board: a
// digest that stands for all of them, see board.go and bulk.go.
//
// To add a button: an action in keyboard.go, what it does in press.go, and a
// place in keyboard for the statuses in which it makes sense.
//
// To add a command: a line in commands.go's table with a function of what was
// asked that returns the answer, and its text "menu.NAME" in internal/words.
package telegram
