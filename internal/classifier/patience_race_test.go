//go:build race

package classifier

// slower is how much longer things may take under the race detector.
const slower = 20
