package app

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/postil/postil/internal/store"
)

// printVersion prints what an operator is asked for in a report of trouble.
func printVersion(w io.Writer) error {
	version, commit := "development", "unknown"
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
	_, err := fmt.Fprintf(w, "postil %s\ncommit %s\n%s %s/%s\nSQLite %s\nNATS %s\n",
		version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, store.SQLiteVersion(), server.VERSION)
	return err
}

// TuneMemory lets the garbage collector run less often than usual: the live
// heap is small, and memory is cheaper here than time. An operator's own
// GOGC or GOMEMLIMIT stands. What is measured beside the service calls it too.
func TuneMemory() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(200)
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

func runMigrate(ctx context.Context, c *commands, p Process) error {
	if err := c.Config.makeData(); err != nil {
		return &usageError{err}
	}
	lock, err := lockData(c.Data)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	steps, err := store.Migrate(ctx, filepath.Join(c.Data, "postil.db"), c.Migrate.Check)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		fmt.Fprintln(p.Stdout, "The database is up to date.")
	}
	for _, s := range steps {
		fmt.Fprintln(p.Stdout, s)
	}
	return nil
}
