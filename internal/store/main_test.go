package store

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// helper, when set, takes over the process: a test that must watch a store from
// outside starts this binary again.
var helper func() (code int, taken bool)

func TestMain(m *testing.M) {
	if helper != nil {
		if code, taken := helper(); taken {
			os.Exit(code)
		}
	}
	if fewer != "" {
		_ = flag.Set("rapid.checks", fewer)
	}
	goleak.VerifyTestMain(m)
}
