package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/postil/postil/internal/backup"
	"github.com/postil/postil/internal/store"
)

// runMigrate says what an upgrade changes, and does it.
func runMigrate(ctx context.Context, c *commands, p Process) (err error) {
	path := filepath.Join(c.Data, backup.Database)
	if c.Migrate.Check {
		steps, err := store.Pending(ctx, path)
		if err == nil {
			tell(p, steps, "would change")
		}
		return err
	}
	if err := c.Config.makeData(); err != nil {
		return &usageError{err}
	}
	lock, err := lockData(c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	steps, err := store.Migrate(ctx, path, func(ctx context.Context, from, to int64) error {
		copied, err := c.Config.copyBefore(ctx, from)
		if err == nil {
			fmt.Fprintf(p.Stdout, "A verified copy of the database as it was stands in %s.\n", copied)
		}
		return err
	})
	if err == nil {
		tell(p, steps, "changed")
	}
	return err
}

func tell(p Process, steps []store.Step, verb string) {
	if len(steps) == 0 {
		fmt.Fprintln(p.Stdout, "The database is up to date.")
	}
	for _, s := range steps {
		fmt.Fprintf(p.Stdout, "%s %s: %s\n", s.File, verb, s.What)
	}
}

// copyBefore makes a verified copy of the database that an upgrade is about to
// change, and returns its name. It is kept until the operator removes it.
func (c *Config) copyBefore(ctx context.Context, from int64) (string, error) {
	dir, _ := c.backups()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("the directory for the copy cannot be made: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("before-upgrade-from-%d-%s.db", from, time.Now().UTC().Format("20060102T150405Z")))
	_, err := store.Backup(ctx, filepath.Join(c.Data, backup.Database), path, c.manifest(true))
	return path, err
}

// upgrade is copyBefore for a server that starts.
func (a *App) upgrade(ctx context.Context, from, to int64) error {
	path, err := a.cfg.copyBefore(ctx, from)
	if err == nil {
		a.lg.Info("the database is brought up to date; a verified copy was made first", "from", from, "to", to, "copy", path)
	}
	return err
}
