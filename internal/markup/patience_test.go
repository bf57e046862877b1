//go:build !race

package markup

import "time"

// patience is far above what a hostile text of length characters costs (some 50 ms, see the benchmark) even on a busy
// machine, and below what it cost without bounds.
const (
	patience = 3 * time.Second
	length   = 8_000
)
