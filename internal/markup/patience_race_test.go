//go:build race

package markup

import "time"

// patience under the race detector, which makes parsing about ten times slower.
const patience = 2 * time.Second
