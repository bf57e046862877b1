package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/postil/postil/migrations"
)

var (
	personalLine = regexp.MustCompile(`(?m)^-- personal (\w+) \| ([^|\n]+) \| ([^|\n]+) \| ([^|\n]+)$`)
	nothingLine  = regexp.MustCompile(`(?m)^-- personal none: (.+)$`)
)

func TestPersonalDataIsDescribedForEveryTable(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| table | what | why | how long |\n|---|---|---|---|\n")
	said := map[string]bool{}
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range personalLine.FindAllStringSubmatch(string(text), -1) {
			said[m[1]] = true
			fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", m[1], m[2], m[3], m[4])
		}
		for _, m := range nothingLine.FindAllStringSubmatch(string(text), -1) {
			for name := range strings.SplitSeq(m[1], ", ") {
				said[name] = true
			}
		}
	}
	s := open(t, Options{})
	have := map[string]bool{}
	for _, name := range tables(t, s.readers) {
		have[name] = true
		if name != "goose_db_version" && !said[name] && !shadow(name, said) {
			t.Errorf("nothing says what of people is in the table %s; say it in its migration, in the form of 00015: -- personal %s | what | why | how long", name, name)
		}
	}
	for name := range said {
		if !have[name] {
			t.Errorf("the migrations tell of a table %s, which there is not", name)
		}
	}
	path := filepath.Join("..", "..", "deploy", "privacy.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- personal data: made from migrations -->\n", "<!-- end of personal data -->\n"
	head, rest, ok := strings.Cut(string(page), begin)
	is, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("deploy/privacy.md has no place for the table")
	}
	if is == table.String() {
		return
	}
	if os.Getenv("POSTIL_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(head+begin+table.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("the table in deploy/privacy.md is out of date; run POSTIL_UPDATE=1 go test ./internal/store -run Personal and look at the diff")
}

// shadow tells the tables that belong to a search index.
func shadow(name string, said map[string]bool) bool {
	i := strings.LastIndex(name, "_")
	return i > 0 && strings.HasSuffix(name[:i], "_search") && said[name[:i]]
}
