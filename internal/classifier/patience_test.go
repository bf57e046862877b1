//go:build !race

package classifier

// slower is how much longer things may take in this build.
const slower = 1
