// Package doctor examines an installation from outside, as its readers, its
// proxy and Telegram meet it, and says in words what an operator should change:
// what is wrong, why that matters, and the exact line.
//
// It changes nothing and decides nothing for the service. What only a room
// knows (the database, the Bot API) is asked through functions that it is given.
//
// The rule a newcomer would break: a finding without a line to change is a
// riddle. And "broken" is kept for what loses comments, lets somebody in or
// keeps readers out; all else is a warning, so that the exit code means
// something.
//
// To add an examination: a function from a context and a Patient to findings,
// and its row in Examine.
package doctor
