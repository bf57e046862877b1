// Package storetest gives tests of other packages a database to open.
package storetest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/postil/postil/internal/apptest/fresh"
	"github.com/postil/postil/internal/store"
)

// Path returns the path of an empty database with all migrations.
func Path(t testing.TB) string {
	t.Helper()
	return fresh.Path(t, "postil.db", func(path string) error {
		s, err := store.Open(context.Background(), slog.New(slog.DiscardHandler), path, store.Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
}
