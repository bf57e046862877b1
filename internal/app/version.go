package app

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/postil/postil/internal/store"
)

// version returns which version of the program this is, and from which commit.
func version() (version, commit string) {
	version, commit = "development", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	return version, commit
}

// printVersion prints what an operator is asked for in a report of trouble.
func printVersion(w io.Writer) error {
	version, commit := version()
	_, err := fmt.Fprintf(w, "postil %s\ncommit %s\n%s %s/%s\nSQLite %s\nNATS %s\n",
		version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, store.SQLiteVersion(), server.VERSION)
	return err
}

// TuneMemory lets the garbage collector run less often than usual: the live
// heap is small, and memory is cheaper here than time. An operator's own GOGC
// stands, and a GOMEMLIMIT bounds it all. What is measured beside the service
// calls it too.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}
