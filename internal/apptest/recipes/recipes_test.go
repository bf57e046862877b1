//go:build recipes

package recipes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// recipe returns the code block below **NAME** in web/README.md.
func recipe(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile("../../../web/README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)\\*\\*" + name + "\\*\\*.*?```\\w+\n(.*?)```").FindSubmatch(raw)
	if found == nil {
		t.Fatalf("web/README.md has no recipe for %s", name)
	}
	return string(found[1])
}

// site writes files into a new folder.
func site(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// build runs a generator in the folder.
func build(t *testing.T, dir string, command ...string) {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Fatalf("this test needs %s", command[0])
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8", "ASTRO_TELEMETRY_DISABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
}

// hasWidget fails unless the built page has the script and the element with this post and title.
func hasWidget(t *testing.T, dir, path, post string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	page = strings.ReplaceAll(page, "&#38;", "&amp;") // the same to a browser
	for _, want := range []string{`src="https://comments.example/widget.js"`, `site="blog"`, fmt.Sprintf("post=%q", post), `title="Soup &amp; bread"`} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, `"`, "")) {
			t.Errorf("%s has no %s but:\n%s", path, want, strings.Join(regexp.MustCompile(`.*(widget.js|postil-comments).*`).FindAllString(page, -1), "\n"))
		}
	}
}

const text = "---\ntitle: \"Soup & bread\"\n---\nHow to cook it.\n"

func TestHugo(t *testing.T) {
	dir := site(t, map[string]string{
		"hugo.toml":                      "baseURL = \"https://blog.example/\"\ntitle = \"Blog\"\n",
		"config.toml":                    "baseURL = \"https://blog.example/\"\ntitle = \"Blog\"\n", // what older ones read
		"layouts/_default/single.html":   "<html><body>{{ .Content }}{{ partial \"comments.html\" . }}</body></html>",
		"layouts/_default/list.html":     "<html></html>",
		"layouts/partials/comments.html": recipe(t, "Hugo"),
		"content/posts/soup.md":          text,
	})
	build(t, dir, "hugo")
	hasWidget(t, dir, "public/posts/soup/index.html", "/posts/soup/")
}

func TestJekyll(t *testing.T) {
	dir := site(t, map[string]string{
		"_config.yml":             "url: https://blog.example\n",
		"_layouts/post.html":      "<html><body>{{ content }}{% include comments.html %}</body></html>",
		"_includes/comments.html": recipe(t, "Jekyll"),
		"soup.md":                 strings.Replace(text, "---\n", "---\nlayout: post\n", 1),
	})
	build(t, dir, "jekyll", "build")
	hasWidget(t, dir, "_site/soup.html", "/soup.html")
}

func TestMkDocs(t *testing.T) {
	dir := site(t, map[string]string{
		"mkdocs.yml":          "site_name: Blog\nsite_url: https://blog.example/\ntheme:\n  name: mkdocs\n  custom_dir: overrides\n",
		"overrides/main.html": recipe(t, "MkDocs"),
		"docs/index.md":       "# Home\n",
		"docs/soup.md":        text,
	})
	build(t, dir, "mkdocs", "build", "-q")
	hasWidget(t, dir, "site/soup/index.html", "/soup/")
}

func TestEleventy(t *testing.T) {
	dir := site(t, map[string]string{
		"package.json":           "{}",
		"_includes/comments.njk": "<html><body>{{ content | safe }}" + recipe(t, "Eleventy") + "</body></html>",
		"soup.md":                strings.Replace(text, "---\n", "---\nlayout: comments.njk\n", 1),
	})
	build(t, dir, "npm", "install", "--no-audit", "--no-fund", "@11ty/eleventy@3")
	build(t, dir, "npx", "eleventy")
	hasWidget(t, dir, "_site/soup/index.html", "/soup/")
}

func TestAstro(t *testing.T) {
	dir := site(t, map[string]string{
		"package.json":                  `{"type":"module"}`,
		"src/components/Comments.astro": recipe(t, "Astro"),
		"src/pages/soup.astro":          "---\nimport Comments from '../components/Comments.astro';\n---\n<html><body><p>How to cook it.</p><Comments title=\"Soup &amp; bread\" /></body></html>",
	})
	build(t, dir, "npm", "install", "--no-audit", "--no-fund", "astro@5")
	build(t, dir, "npx", "astro", "build")
	hasWidget(t, dir, "dist/soup/index.html", "/soup/")
}
