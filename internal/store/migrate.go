package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/postil/postil/migrations"
)

// migrate brings the schema up to date; each file runs in a transaction. A
// database written by a newer version is refused.
func migrate(ctx context.Context, db *sql.DB) error {
	p, err := provider(ctx, db)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

func provider(ctx context.Context, db *sql.DB) (*goose.Provider, error) {
	p, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS, goose.WithDisableGlobalRegistry(true),
		goose.WithAllowOutofOrder(true)) // files of one release may be merged in another order than they are numbered
	if err != nil {
		return nil, err
	}
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return nil, err
	}
	sources := p.ListSources()
	if newest := sources[len(sources)-1].Version; have > newest {
		return nil, fmt.Errorf("its schema has version %d, and this program knows %d only. Install the newer postil again, or restore a backup made by this one", have, newest)
	}
	return p, nil
}

// Migrate brings the database file at path up to date, or with check only says
// what that would do. It returns a line for each step.
func Migrate(ctx context.Context, path string, check bool) (steps []string, err error) {
	db, err := sql.Open("sqlite", writerDSN(path))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	p, err := provider(ctx, db)
	if err != nil {
		return nil, err
	}
	state, err := p.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range state {
		if s.State == goose.StatePending {
			steps = append(steps, s.Source.Path)
		}
	}
	if check {
		return steps, nil
	}
	_, err = p.Up(ctx)
	return steps, err
}
