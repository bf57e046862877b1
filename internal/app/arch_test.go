package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/postil/postil/"

// may is the law: which of our packages each package may import, with the
// reason where it is not the domain. Everybody may import internal/postil.
var may = map[string][]string{
	"cmd/postil": {"internal/app"},
	// Runs the real binary and services around it, and fills databases by the store itself, sooner than by the API.
	"cmd/postil-bench": {"internal/app", "internal/apptest/fakebot", "internal/apptest/edge", "internal/store", "internal/markup"},
	"migrations":       {},
	"web":              {"web/demo"},
	"web/build":        {},
	"web/demo":         {},

	"internal/postil": {},
	"internal/markup": {},                                // a leaf: text in, text out
	"internal/netid":  {},                                // a leaf: addresses
	"internal/token":  {},                                // a leaf: keyed hashes
	"internal/limit":  {},                                // a room of rules
	"internal/cache":  {},                                // a room of rules
	"internal/live":   {},                                // a room of rules
	"internal/outbox": {},                                // a room of rules
	"internal/queue":  {},                                // knows NATS
	"internal/store":  {"migrations", "internal/markup"}, // knows SQL; the schema is its own; folds texts for the search index
	"internal/words":  {},                                // a leaf: texts by language

	"internal/outbound": {}, // a leaf: clients for addresses that somebody typed

	"internal/backup":   {},                  // a room of rules, and the one that moves the files of a data directory
	"internal/settings": {},                  // a room of rules
	"internal/exporter": {},                  // writes what a small interface gives it
	"internal/doctor":   {},                  // a room of rules that looks from outside
	"internal/pageview": {},                  // a room of rules
	"internal/signals":  {},                  // a room of rules
	"internal/alerts":   {},                  // a room of rules
	"internal/qlog":     {"internal/markup"}, // folds texts for searching

	"internal/classifier":         {"internal/markup"}, // folds text
	"internal/classifier/measure": {"internal/classifier"},

	"internal/moderation": {"internal/markup", "internal/netid"},                   // checks read text, lists name networks
	"internal/notify":     {"internal/outbound"},                                   // calls webhooks
	"internal/intake":     {"internal/markup", "internal/token"},                   // renders, and makes keys
	"internal/askhttp":    {"internal/token", "internal/outbound"},                 // a secret that does not print
	"internal/askmodel":   {"internal/token", "internal/outbound"},                 // likewise
	"internal/akismet":    {"internal/token", "internal/outbound"},                 // likewise
	"internal/auth":       {"internal/token"},                                      // hashes keys
	"internal/telegram":   {"internal/markup", "internal/token", "internal/words"}, // excerpts; a token that does not print; what it says
	"internal/console":    {"internal/markup", "internal/words"},                   // excerpts; what both desks say of an author
	"internal/httpapi":    {"internal/auth", "internal/token", "internal/markup"},
	"internal/desk":       {"internal/auth"}, // who is signed in; everything else it asks the admin API
	"internal/app":        nil,               // everything but apptest

	"internal/apptest":           nil,
	"internal/apptest/fakebot":   {},
	"internal/apptest/e2e":       nil,
	"internal/apptest/chaos":     nil,
	"internal/apptest/edge":      {},
	"internal/apptest/soak":      nil,
	"internal/apptest/recipes":   {},
	"internal/apptest/cluster":   {},
	"internal/apptest/ports":     {},
	"internal/apptest/fresh":     {},
	"internal/apptest/storetest": {"internal/store"},
}

// outside says which packages from elsewhere only one room may know.
var outside = map[string][]string{
	"github.com/labstack/echo":           {"internal/httpapi"},
	"modernc.org/sqlite":                 {"internal/store", "cmd/postil-bench"}, // the bench's bare loop is the ceiling for writes
	"github.com/nats-io":                 {"internal/queue", "internal/app"},     // app prints the server's version
	"github.com/go-telegram-bot-api":     {"internal/telegram"},
	"github.com/ulule/limiter":           {"internal/limit"},
	"github.com/maypok86/otter":          {"internal/cache", "internal/limit", "internal/pageview"},
	"github.com/yuin/goldmark":           {"internal/markup"},
	"github.com/microcosm-cc/bluemonday": {"internal/markup"},
	"database/sql":                       {"internal/store", "cmd/postil-bench"},
	"github.com/evanw/esbuild":           {"web/build"},
	"github.com/alecthomas/kong":         {"internal/app"},
}

func TestPackagesImportOnlyWhatTheLawAllows(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(dir, path string, f *ast.File) {
		seen[dir] = true
		allowed, listed := may[dir]
		if !listed {
			t.Errorf("%s: the package %s is not in the table; give it a row", path, dir)
			return
		}
		if strings.HasSuffix(path, "_test.go") {
			return // tests may bring real rooms together
		}
		for _, imp := range f.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			checkImport(t, dir, path, name, allowed)
		}
	})
	for dir := range may {
		if !seen[dir] && !strings.HasPrefix(dir, "internal/apptest") {
			t.Errorf("the table has a row for %s, which does not exist", dir)
		}
	}
}

func checkImport(t *testing.T, dir, path, name string, allowed []string) {
	for prefix, rooms := range outside {
		if strings.HasPrefix(name, prefix) && !slices.Contains(rooms, dir) && !strings.HasPrefix(dir, "internal/apptest") {
			t.Errorf("%s imports %s, which only %s may know", path, name, strings.Join(rooms, ", "))
		}
	}
	ours, inside := strings.CutPrefix(name, module)
	if !inside || ours == "internal/postil" || strings.HasPrefix(dir, "internal/apptest") {
		return
	}
	if dir == "internal/app" {
		if strings.HasPrefix(ours, "internal/apptest") {
			t.Errorf("%s imports %s, which is for tests", path, name)
		}
		return
	}
	if !slices.Contains(allowed, ours) {
		t.Errorf("%s imports %s, which the table does not allow to %s", path, name, dir)
	}
}

func TestEveryPackageHasAPackageComment(t *testing.T) {
	documented := map[string]bool{}
	eachFile(t, func(dir, path string, f *ast.File) {
		documented[dir] = documented[dir] || f.Doc != nil && !strings.HasSuffix(path, "_test.go")
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("the package %s has no package comment", dir)
		}
	}
}

// TestSizes reports how large files and functions are and fails for what is
// too large: a decision is hiding in it.
func TestSizes(t *testing.T) {
	var files, funcs []int
	set := token.NewFileSet()
	eachSource(t, func(_, path string) {
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		lines := set.File(f.Pos()).LineCount()
		files = append(files, lines)
		if lines > 500 {
			t.Errorf("%s has %d lines", path, lines)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
			funcs = append(funcs, n)
			if n > 70 && fn.Name.Name != "table" {
				t.Errorf("%s: %s has %d lines", path, fn.Name.Name, n)
			}
		}
	})
	slices.Sort(files)
	slices.Sort(funcs)
	t.Logf("%d files: median %d lines, nine in ten under %d, longest %d", len(files), files[len(files)/2], files[len(files)*9/10], files[len(files)-1])
	t.Logf("%d functions: median %d lines, nine in ten under %d, longest %d", len(funcs), funcs[len(funcs)/2], funcs[len(funcs)*9/10], funcs[len(funcs)-1])
}

func eachFile(t *testing.T, visit func(dir, path string, f *ast.File)) {
	t.Helper()
	set := token.NewFileSet()
	eachSource(t, func(dir, path string) {
		f, err := parser.ParseFile(set, path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		visit(dir, path, f)
	})
}

func eachSource(t *testing.T, visit func(dir, path string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	for _, top := range []string{"cmd", "internal", "migrations", "web"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(path))
			if err == nil {
				visit(filepath.ToSlash(dir), path)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}
