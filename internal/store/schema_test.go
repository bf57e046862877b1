package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/migrations"
)

// sqlOf reads rows of text columns beside the store, as another program would.
func sqlOf(t testing.TB, db *sql.DB, query string, args ...any) [][]string {
	t.Helper()
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(columns))
		for i, v := range values {
			row[i] = v.String
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// meddle changes the data behind the store's back, as an import or a hand does.
func meddle(t testing.TB, s *Store, query string, args ...any) {
	t.Helper()
	if err := s.Write(ctx, func(tx *Tx) error { _, err := tx.exec(query, args...); return err }); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func tables(t testing.TB, db *sql.DB) (names []string) {
	for _, row := range sqlOf(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name") {
		names = append(names, row[0])
	}
	return names
}

func TestEveryForeignKeyHasAnIndexThatBeginsWithIt(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	keys := 0
	for _, table := range tables(t, s.readers) {
		byKey := map[string][]string{}
		for _, row := range sqlOf(t, s.readers, `SELECT id, "from" FROM pragma_foreign_key_list(?) ORDER BY id, seq`, table) {
			byKey[row[0]] = append(byKey[row[0]], row[1])
		}
		for _, columns := range byKey {
			keys++
			if !slices.ContainsFunc(leads(t, s.readers, table), func(index []string) bool { return beginsWith(index, columns) }) {
				t.Errorf("the foreign key %s(%s) has no index that begins with these columns", table, strings.Join(columns, ", "))
			}
		}
	}
	if keys < 10 {
		t.Fatalf("only %d foreign keys were found; the test looks in the wrong place", keys)
	}
}

// leads returns the columns of each full index of a table, its rowid included;
// a partial one helps only where its condition is part of the query.
func leads(t testing.TB, db *sql.DB, table string) (out [][]string) {
	for _, index := range sqlOf(t, db, "SELECT name FROM pragma_index_list(?) WHERE partial = 0", table) {
		var columns []string
		for _, c := range sqlOf(t, db, "SELECT name FROM pragma_index_info(?) ORDER BY seqno", index[0]) {
			columns = append(columns, c[0])
		}
		out = append(out, columns)
	}
	return append(out, sqlOf(t, db, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 AND type = 'INTEGER'", table)...)
}

func beginsWith(index, columns []string) bool {
	if len(index) < len(columns) {
		return false
	}
	head, want := slices.Sorted(slices.Values(index[:len(columns)])), slices.Sorted(slices.Values(columns))
	return slices.Equal(head, want)
}

func TestTheCommentsTableIsTheOneThatThePlatformIsKnownBy(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	have := map[string]string{}
	for _, row := range sqlOf(t, s.readers, "SELECT name, type FROM pragma_table_info('comments')") {
		have[row[0]] = row[1]
	}
	for name, kind := range map[string]string{"comment_id": "INTEGER", "site_id": "TEXT", "post_id": "TEXT", "user_id": "TEXT", "parent_comment_id": "INTEGER",
		"comment_body": "TEXT", "status": "TEXT", "created_at": "INTEGER"} {
		if have[name] != kind {
			t.Errorf("comments.%s is %q, not %s", name, have[name], kind)
		}
	}
	for _, name := range []string{"idx_comments_post_id", "idx_comments_user_id", "idx_comments_parent_id", "idx_comments_created_at"} {
		if len(sqlOf(t, s.readers, "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'comments' AND name = ?", name)) == 0 {
			t.Errorf("there is no index %s", name)
		}
	}
	for _, table := range tables(t, s.readers) { // those of the full-text index have no types
		if table != "goose_db_version" && !strings.Contains(table, "_search") && len(sqlOf(t, s.readers, "SELECT 1 FROM pragma_table_list WHERE name = ? AND strict = 1", table)) == 0 {
			t.Errorf("the table %s is not STRICT", table)
		}
	}
}

func TestMigrationsGoUpDownAndUpAgain(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", writerDSN(filepath.Join(t.TempDir(), "postil.db")))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	schema := func() string {
		return fmt.Sprint(sqlOf(t, db, "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE '%goose%' AND name <> 'sqlite_sequence' ORDER BY type, name"))
	}
	if err := migrate(ctx, db, nil); err != nil {
		t.Fatal(err)
	}
	first := schema()
	p, err := provider(db, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(ctx, 0); err != nil {
		t.Fatalf("down: %v", err)
	}
	if left := schema(); left != "[]" {
		t.Errorf("going down leaves %s", left)
	}
	if _, err := p.Up(ctx); err != nil {
		t.Fatalf("up again: %v", err)
	}
	if again := schema(); again != first {
		t.Errorf("up again makes another schema:\n%s\n%s", first, again)
	}
}

func TestMigrateTellsWhatItWouldDoAndDoesIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	would, err := Pending(ctx, path)
	if err != nil || len(would) < 3 {
		t.Fatalf("check: %v, %v", would, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("asking made the database")
	}
	did, err := Migrate(ctx, path, nil)
	if err != nil || !slices.Equal(did, would) {
		t.Fatalf("it said %v and did %v, %v", would, did, err)
	}
	for _, step := range did {
		if len(step.What) < 20 {
			t.Errorf("step %d is explained by %q", step.Version, step.What)
		}
	}
	if rest, err := Pending(ctx, path); err != nil || len(rest) != 0 {
		t.Fatalf("afterwards %v is left, %v", rest, err)
	}
}

func TestANewerSchemaIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	if _, err := Migrate(ctx, path, nil); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", writerDSN(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)"); err != nil {
		t.Fatal(err)
	}
	_, opened := Open(ctx, quiet, path, Options{})
	_, asked := Pending(ctx, path)
	_, migrated := Migrate(ctx, path, nil)
	for name, err := range map[string]error{"Open": opened, "Pending": asked, "Migrate": migrated} {
		if err == nil || !strings.Contains(err.Error(), "has version 99999") || !strings.Contains(err.Error(), "Install the newer postil again") {
			t.Errorf("%s says %v", name, err)
		}
	}
}

func TestErasingASiteErasesAllOfItAndNothingElse(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	if _, err := s.AddSite(ctx, postil.Site{ID: "other", Policy: postil.HoldAll}, somebody); err != nil {
		t.Fatal(err)
	}
	kept, err := s.AddComment(ctx, postil.NewComment{Site: "other", Post: postil.PostRef{ID: "/p"}, Text: "stays", Nonce: "n"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := say(t, s, "root", 0)
	to(t, s, a.ID, postil.Approved)
	b := say(t, s, "reply", a.ID)
	to(t, s, b.ID, postil.Deleted)
	if err := s.WantCard(ctx, b.ID, []int64{7}); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveSite(ctx, "blog", somebody); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"SELECT count(*) FROM comments": "1", "SELECT count(*) FROM posts": "1", "SELECT count(*) FROM decisions": "0", "SELECT count(*) FROM cards": "0"} {
		if got := sqlOf(t, s.readers, query)[0][0]; got != want {
			t.Errorf("%s: %s, not %s", query, got, want)
		}
	}
	if _, err := s.Comment(ctx, kept.Comment.ID); err != nil {
		t.Error(err)
	}
	if err := s.RemoveSite(ctx, "blog", somebody); postil.KindOf(err) != postil.NotFound {
		t.Errorf("removing it again: %v", err)
	}
}

func TestEveryReaderConnectionCannotWrite(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Readers: 3})
	for range 6 {
		conn, err := s.readers.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.ExecContext(ctx, "DELETE FROM sites"); err == nil {
			t.Fatal("a reader deleted the sites")
		}
		conn.Close()
	}
}
