package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testdata/cases.txt holds the ids of failures that really happened elsewhere
// and that a test here must prevent. A test carries the id in its name
// (TestXSS_01_…), in a row or in the name of a file of test data (XSS-01).
// testdata/cases-open.txt lists those that nobody has covered yet; it may only
// become shorter.

var caseID = regexp.MustCompile(`[A-Z]{2,5}[-_][0-9]{2}`)

func ids(t *testing.T, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(raw))
}

// coveredCases returns the ids that stand in tests, by the first file they are in.
func coveredCases(t *testing.T) map[string]string {
	t.Helper()
	covered := map[string]string{}
	note := func(text, path string) {
		for _, id := range caseID.FindAllString(text, -1) {
			id = strings.Replace(id, "_", "-", 1)
			if covered[id] == "" {
				covered[id] = path
			}
		}
	}
	root := filepath.Join("..", "..")
	for _, top := range []string{"cmd", "internal", "migrations", "web"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if strings.Contains(path, string(filepath.Separator)+"testdata"+string(filepath.Separator)) {
				note(d.Name(), path)
			}
			if !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".test.ts") {
				return nil
			}
			raw, err := os.ReadFile(path)
			note(string(raw), path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return covered
}

func TestNoCaseThatATestCoversEverDisappears(t *testing.T) {
	t.Parallel()
	covered, open, all := coveredCases(t), ids(t, "cases-open.txt"), ids(t, "cases.txt")
	if len(all) < 140 {
		t.Fatalf("testdata/cases.txt has %d ids", len(all))
	}
	for _, id := range all {
		switch isOpen := slices.Contains(open, id); {
		case covered[id] == "" && !isOpen:
			t.Errorf("no test carries %s any more; the test that prevents it has gone or lost its id", id)
		case covered[id] != "" && isOpen:
			t.Logf("%s is covered by %s now; take it out of testdata/cases-open.txt", id, covered[id])
		}
	}
	for _, id := range open {
		if !slices.Contains(all, id) {
			t.Errorf("%s is in testdata/cases-open.txt and is no case", id)
		}
	}
	t.Logf("%d of %d cases are covered", len(all)-len(open), len(all))
}

var namedTest = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")

// The table in deploy/security.md says which test proves which claim.
func TestTheTestsThatTheSecurityPageNamesExist(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "deploy", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range namedTest.FindAllStringSubmatch(string(page), -1) {
		names[m[1]] = true
	}
	if len(names) < 40 {
		t.Fatalf("deploy/security.md names %d tests only", len(names))
	}
	err = filepath.WalkDir(filepath.Join(root, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		for name := range names {
			if strings.Contains(string(raw), "func "+name+"(") {
				delete(names, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		t.Errorf("deploy/security.md names the test %s, which there is not", name)
	}
}
