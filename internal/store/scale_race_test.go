//go:build race

package store

// The race detector makes SQLite ten times slower and learns nothing from
// plans and models.
const (
	watched = true
	grown   = 10_000
	fewer   = "15" // checks of a random test
)
