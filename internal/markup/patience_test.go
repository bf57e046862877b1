//go:build !race

package markup

import "time"

// patience is what a hostile text of length characters may cost: the bound is 100 ms, the rest is for a busy machine.
const (
	patience = 200 * time.Millisecond
	length   = 8_000
)
