package store

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"modernc.org/sqlite"

	"github.com/postil/postil/migrations"
)

// dieEnv tells this test binary to migrate a database and to end in the middle:
// PATH, FILE of the migration and after which of its statements.
const dieEnv = "POSTIL_TEST_DIE"

func init() {
	sqlite.MustRegisterScalarFunction("die", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		select {} // the signal is on its way
	})
	before := helper
	helper = func() (int, bool) {
		if order := os.Getenv(dieEnv); order != "" {
			return migrateAndDie(strings.Split(order, "|")), true
		}
		if before != nil {
			return before()
		}
		return 0, false
	}
}

func migrateAndDie(order []string) int {
	var after int
	fmt.Sscan(order[2], &after)
	db, err := sql.Open("sqlite", writerDSN(order[0]))
	if err != nil {
		return 3
	}
	db.SetMaxOpenConns(1)
	files, _ := deadly(order[1], after)
	p, err := provider(db, files)
	if err != nil {
		return 3
	}
	if _, err := p.Up(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 4 // it should not have come so far
}

// deadly returns the migrations with an end in one of them, and how many
// statements that one has.
func deadly(name string, after int) (fstest.MapFS, int) {
	files, statements := fstest.MapFS{}, 0
	names, _ := fs.Glob(migrations.FS, "*.sql")
	for _, n := range names {
		raw, _ := fs.ReadFile(migrations.FS, n)
		if n == name {
			raw, statements = withEnd(string(raw), after)
		}
		files[n] = &fstest.MapFile{Data: raw}
	}
	return files, statements
}

// withEnd puts the end after a statement of the way up.
func withEnd(text string, after int) (changed []byte, statements int) {
	up, down, _ := strings.Cut(text, "-- +goose Down")
	var out strings.Builder
	inside := false
	for line := range strings.Lines(up) {
		out.WriteString(line)
		switch code, _, _ := strings.Cut(line, "--"); {
		case strings.Contains(line, "+goose StatementBegin"):
			inside = true
		case strings.Contains(line, "+goose StatementEnd"):
			inside = false
			fallthrough
		case !inside && strings.HasSuffix(strings.TrimSpace(code), ";"):
			if statements++; statements == after {
				out.WriteString("SELECT die();\n")
			}
		}
	}
	return []byte(out.String() + "-- +goose Down" + down), statements
}

func TestUPG_01_AProcessThatDiesWithinAMigrationHasDoneNothingOfItAndTheNextOneDoesAll(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		path := filepath.Join(t.TempDir(), "postil.db")
		if i > 0 {
			atVersion(t, path, 1)
		}
		_, statements := deadly(name, 0)
		for _, after := range []int{1, (statements + 1) / 2, statements} {
			dies(t, path, name, after)
			upTo(t, path, name)
		}
		s, err := Open(ctx, quiet, path, Options{})
		if err != nil {
			t.Fatalf("after %s was cut off: %v", name, err)
		}
		if i > 0 {
			if c, err := s.Comment(ctx, 7); err != nil || c.Text != "An old comment." {
				t.Errorf("after %s was cut off the comment is %+v, %v", name, c, err)
			}
		}
		s.Close()
	}
}

// upTo checks that what stands before a migration is done, and nothing of it.
func upTo(t *testing.T, path, name string) {
	t.Helper()
	steps, err := Pending(ctx, path)
	if err != nil || len(steps) == 0 {
		t.Fatalf("after a cut within %s: %v, %v", name, steps, err)
	}
	if steps[0].File != name {
		t.Errorf("after a cut within %s the next step is %s", name, steps[0].File)
	}
}

func dies(t *testing.T, path, name string, after int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|%d", dieEnv, path, name, after))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.Exited() {
		t.Fatalf("%s, statement %d: the process was not killed: %v %s", name, after, err, out)
	}
}
