//go:build race

package markup

import "time"

// Under the race detector, which makes parsing about ten times slower, a shorter text shows the same.
const (
	patience = 10 * time.Second
	length   = 2_000
)
