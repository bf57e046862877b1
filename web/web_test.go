package web

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestBundleAnswersPublicNamesOnly(t *testing.T) {
	t.Parallel()
	latest, ok := Bundle("widget.js")
	if !ok || len(latest) == 0 {
		t.Fatal("widget.js is missing")
	}
	pinned, ok := Bundle("widget.v1.js")
	if !ok || !bytes.Equal(latest, pinned) {
		t.Error("widget.v1.js is missing or differs from widget.js")
	}
	for _, name := range []string{"", ".", "widget", "widget.v2.js", "widget.v1.nowhere.js", "widget.v1.own.js.js", "postil.d.ts", "widget.v.js", "../web.go", "dist/widget.js", "widget.js/", "WIDGET.JS", "widget.js\n"} {
		if _, ok := Bundle(name); ok {
			t.Errorf("%q was answered", name)
		}
	}
}

func TestDemoIsReachableThroughThisPackage(t *testing.T) {
	t.Parallel()
	for _, post := range DemoPosts() {
		page, ok := DemoPage("https://x.example", post.Slug)
		if !ok || !bytes.Contains(page, []byte("<postil-comments")) {
			t.Errorf("%s has no page with comments", post.Slug)
		}
		if !bytes.Contains(DemoIndex("https://x.example"), []byte("/demo/posts/"+post.Slug)) {
			t.Errorf("the index does not link to %s", post.Slug)
		}
	}
	if len(DemoStyle()) == 0 {
		t.Error("the style sheet is empty")
	}
}

// sources are the widget's files by name.
func sources(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("widget/*.ts")
	parts, err2 := filepath.Glob("widget/parts/*.ts")
	if err != nil || err2 != nil || len(names) == 0 || len(parts) == 0 {
		t.Fatalf("no sources: %v, %v", err, err2)
	}
	names = append(names, parts...)
	files := map[string]string{}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(body)
	}
	return files
}

func TestOneFunctionOfTheWidgetSetsHTML(t *testing.T) {
	t.Parallel()
	setters := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|DOMParser|document\.write|srcdoc`)
	var found []string
	for name, body := range sources(t) {
		for range setters.FindAllString(body, -1) {
			found = append(found, name)
		}
	}
	if len(found) != 1 || found[0] != "widget/dom.ts" {
		t.Errorf("HTML is set in %v, want once, in widget/dom.ts", found)
	}
}

// Attribute values, the page's address and window.name are data: see also the browser tests.
func TestXSS_13_TheWidgetEvaluatesNothingAndReadsNoParameters(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`\beval\b|new Function|\bFunction\(|window\.name\b|location\.search|setTimeout\("|window\.postMessage|import\(`)
	for name, body := range sources(t) {
		if name == "widget/api.ts" { // loads its own parts, from where it came from itself
			body = strings.Replace(body, "import(/* webpackIgnore: true */ /* @vite-ignore */ `${base}/widget.v1.${name}.js`)", "", 1)
		}
		if found := forbidden.FindString(body); found != "" {
			t.Errorf("%s contains %q", name, found)
		}
	}
}

func TestTheNetworkIsReachedInNamedFilesAlone(t *testing.T) {
	t.Parallel()
	calls := regexp.MustCompile(`\bfetch\(|new EventSource|XMLHttpRequest|sendBeacon|new WebSocket`)
	for name, body := range sources(t) {
		if !slices.Contains([]string{"widget/api.ts", "widget/batch.ts", "widget/views.ts", "widget/question.ts"}, name) && calls.MatchString(body) {
			t.Errorf("%s reaches the network past widget/api.ts", name)
		}
	}
}

func TestWidgetFilesStaySmallAndSayTheirJob(t *testing.T) {
	t.Parallel()
	for name, body := range sources(t) {
		if n := strings.Count(body, "\n"); n > 200 {
			t.Errorf("%s has %d lines, at most 200 are meant", name, n)
		}
		if !strings.HasPrefix(body, "// ") {
			t.Errorf("%s does not begin with what it is for", name)
		}
	}
}
