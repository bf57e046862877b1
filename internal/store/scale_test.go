//go:build !race

package store

// watched says whether the race detector looks on.
const watched = false

// grown is how many comments a database has that shows a bad plan.
const grown = 100_000

// fewer lets random tests run as often as they like.
const fewer = ""
