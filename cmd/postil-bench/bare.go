package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite"
)

// bare is the ceiling for writes: a loop that puts whatever waits into one
// transaction, with the same rows, tables, indexes and fsync as the service,
// and nothing around it.
type bare struct {
	db       *sql.DB
	comment  []any // a row as the service has written it
	outbox   []any
	insertC  string
	insertO  string
	lastID   int64
	requests chan chan error
}

// openWritten opens the database of a service, to look at or to write to.
func openWritten(dir string, writes bool) (*sql.DB, error) {
	q := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-16000)", "wal_autocheckpoint(1000)"}, "_txlock": {"immediate"}}
	if !writes {
		q = url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(1)"}}
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "postil.db")+"?"+q.Encode())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// newBare opens the loop on a data directory in which the service has left at
// least one comment and one event of its submission.
func newBare(ctx context.Context, dir string) (b *bare, err error) {
	b = &bare{requests: make(chan chan error, 1024)}
	if b.db, err = openWritten(dir, true); err != nil {
		return nil, err
	}
	// The last member of each is the key, which the loop counts up.
	if b.insertC, b.comment, err = template(ctx, b.db, "comments", "comment_id", "root_comment_id"); err != nil {
		return nil, err
	}
	if b.insertO, b.outbox, err = template(ctx, b.db, "outbox", "event_id", ""); err != nil {
		return nil, err
	}
	return b, b.db.QueryRowContext(ctx, "SELECT max(comment_id) FROM comments").Scan(&b.lastID)
}

// template returns the INSERT of a table and the values of its first row
// without the key; self names a column that repeats the key.
func template(ctx context.Context, db *sql.DB, table, key, self string) (insert string, values []any, err error) {
	rows, err := db.QueryContext(ctx, "SELECT name FROM pragma_table_info(?) WHERE name NOT IN (?, ?)", table, key, self)
	if err != nil {
		return "", nil, err
	}
	defer rows.Close()
	var columns []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", nil, err
		}
		columns = append(columns, name)
	}
	values = make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Err(); err != nil {
		return "", nil, err
	}
	list := strings.Join(columns, ", ")
	if err := db.QueryRowContext(ctx, "SELECT "+list+" FROM "+table+" ORDER BY "+key+" LIMIT 1").Scan(into...); err != nil {
		return "", nil, fmt.Errorf("a row of %s: %w", table, err)
	}
	for i, v := range values {
		if blob, ok := v.([]byte); ok && len(blob) == 0 {
			values[i] = []byte{} // the driver takes a nil one for NULL
		}
	}
	marks := strings.Repeat("?, ", len(columns))
	if self != "" {
		return fmt.Sprintf("INSERT INTO %s (%s, %s, %s) VALUES (%s?, ?)", table, list, key, self, marks), values, nil
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, list, strings.TrimSuffix(marks, ", ")), values, nil
}

// run commits what waits until ctx ends.
func (b *bare) run(ctx context.Context) error {
	conn, err := b.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var stmts [4]*sql.Stmt
	for i, query := range []string{"BEGIN IMMEDIATE", b.insertC, b.insertO, "COMMIT"} {
		if stmts[i], err = conn.PrepareContext(ctx, query); err != nil {
			return err
		}
		defer stmts[i].Close()
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case first := <-b.requests:
			waiting := []chan error{first}
			for len(waiting) < 256 && len(b.requests) > 0 {
				waiting = append(waiting, <-b.requests)
			}
			err := b.commit(stmts, len(waiting))
			for _, done := range waiting {
				done <- err
			}
		}
	}
}

func (b *bare) commit(stmts [4]*sql.Stmt, n int) error {
	if _, err := stmts[0].Exec(); err != nil {
		return err
	}
	for range n {
		b.lastID++
		if _, err := stmts[1].Exec(append(append([]any{}, b.comment...), b.lastID, b.lastID)...); err != nil {
			return err
		}
		if _, err := stmts[2].Exec(b.outbox...); err != nil {
			return err
		}
	}
	_, err := stmts[3].Exec()
	return err
}

// race lets clients ask for commits for d.
func (b *bare) race(ctx context.Context, clients int, d time.Duration) (*sent, error) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- b.run(ctx) }()
	total := &sent{statuses: map[int]int{}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failure error
	began := time.Now()
	for range clients {
		wg.Go(func() {
			var h histogram
			done := make(chan error, 1)
			var err error
			for now := time.Now(); err == nil && time.Since(began) < d; {
				b.requests <- done
				err = <-done
				then := time.Now()
				h.add(then.Sub(now))
				now = then
			}
			mu.Lock()
			defer mu.Unlock()
			total.merge(&h)
			failure = errors.Join(failure, err)
		})
	}
	wg.Wait()
	total.took = time.Since(began)
	stop()
	return total, errors.Join(failure, <-ended)
}
