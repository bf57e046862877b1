package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestDistIsWhatTheSourcesGive(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-check", "-web", ".."}, &out); err != nil {
		t.Fatalf("%v (%s)", err, out.String())
	}
	if !strings.Contains(out.String(), "gzip") {
		t.Errorf("the report %q does not tell the compressed size", out.String())
	}
}

func TestAStaleDistIsRefusedWithTheCommandToRun(t *testing.T) {
	web := copyOfSources(t)
	var out bytes.Buffer
	if err := run([]string{"-web", web}, &out); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(web, "dist", "widget.v1.js")
	if err := os.WriteFile(stale, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := run([]string{"-web", web, "-check"}, &out)
	if err == nil || !strings.Contains(err.Error(), "go run ./web/build") {
		t.Errorf("a stale file gave %v, want the command that renews it", err)
	}
}

func TestABrokenSourceIsReportedWithItsPlace(t *testing.T) {
	web := copyOfSources(t)
	if err := os.WriteFile(filepath.Join(web, "widget", "index.ts"), []byte("import './nowhere';"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-web", web}, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "index.ts:1") {
		t.Errorf("a broken import gave %v, want file and line", err)
	}
}

func TestTheBundleRunsAsScriptAndAsModuleUnderAStrictPolicy(t *testing.T) {
	made, err := build("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range made {
		for _, word := range []string{"import.meta", "eval(", "new Function", "sourceMappingURL", "document.write", "createElement(\"style\")"} {
			if bytes.Contains(body, []byte(word)) {
				t.Errorf("%s contains %q", name, word)
			}
		}
	}
	for _, name := range []string{"widget.js", "widget.v1.js", "count.js", "views.js", "question.js"} {
		if bytes.Contains(made[name], []byte("export{")) || bytes.Contains(made[name], []byte("export ")) {
			t.Errorf("%s exports something and cannot run as a classic script", name)
		}
	}
}

// Members with an underscore at their end are renamed, in each bundle its own way: no bundle may
// take such a name from another.
func TestNoPartKnowsANameThatIsRenamed(t *testing.T) {
	contract, err := os.ReadFile("../widget/part.ts")
	if err != nil {
		t.Fatal(err)
	}
	if name := regexp.MustCompile(`\b[a-z]\w*_\b`).Find(contract); name != nil {
		t.Errorf("part.ts gives parts %s, which has another name in each bundle", name)
	}
	parts, _ := filepath.Glob("../widget/parts/*.ts")
	for _, path := range parts {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name := regexp.MustCompile(`\.\w+_\b`).Find(body); name != nil {
			t.Errorf("%s uses %s, which has another name in each bundle", path, name)
		}
	}
}

func copyOfSources(t *testing.T) string {
	t.Helper()
	web := t.TempDir()
	for _, part := range []string{"widget", "admin"} {
		if err := os.CopyFS(filepath.Join(web, part), os.DirFS("../"+part)); err != nil {
			t.Fatal(err)
		}
	}
	settings, err := os.ReadFile("../tsconfig.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(web, "tsconfig.json"), settings, 0o644); err != nil {
		t.Fatal(err)
	}
	return web
}

func TestTheAdminPagesFilesAreCheckedToo(t *testing.T) {
	web := copyOfSources(t)
	if err := run([]string{"-web", web}, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(web, "dist", "admin.css"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-web", web, "-check"}, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "admin.css") {
		t.Errorf("a stale file gave %v, want its name", err)
	}
}
