package demo

import (
	"regexp"
	"strings"
	"testing"
)

var address = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)

func everyPage(t *testing.T, base string) map[string]string {
	t.Helper()
	pages := map[string]string{"index": string(Index(base))}
	for _, post := range Posts() {
		page, ok := Page(base, post.Slug)
		if !ok {
			t.Fatalf("post %q is listed and has no page", post.Slug)
		}
		pages[post.Slug] = string(page)
	}
	return pages
}

func TestEveryLinkStandsBelowTheBase(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"https://blog.example/comments", "https://blog.example/comments/", "http://127.0.0.1:8090"} {
		trimmed := strings.TrimRight(base, "/") + "/"
		for name, page := range everyPage(t, base) {
			for _, found := range address.FindAllStringSubmatch(page, -1) {
				if !strings.HasPrefix(found[1], trimmed) && !strings.HasPrefix(found[1], "data:") {
					t.Errorf("EMB-13: %s under %s links to %s", name, base, found[1])
				}
			}
		}
	}
}

func TestAPostCarriesTheSnippetAndItsCanonicalAddress(t *testing.T) {
	t.Parallel()
	page, _ := Page("https://x.example/comments", "margins")
	for _, want := range []string{
		`<link rel="canonical" href="https://x.example/comments/demo/posts/margins">`,
		`<script src="https://x.example/comments/widget.js" defer></script>`,
		`<postil-comments site="demo"></postil-comments>`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestPagesHoldNothingThatAStrictPolicyForbids(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|<script>|<script [^>]*>[^<]|javascript:`)
	for name, page := range everyPage(t, "https://x.example") {
		if found := inline.FindString(page); found != "" {
			t.Errorf("EMB-10: %s holds %q", name, found)
		}
	}
	if css := string(Style()); regexp.MustCompile(`@import|url\(`).MatchString(css) {
		t.Error("the style sheet loads something else")
	}
}

func TestAHostileBaseStaysText(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		`https://x.example/"><script>alert(1)</script>`,
		`https://x.example/' onload='alert(1)`,
		`javascript:alert(1)//`,
		`data:text/html,<script>alert(1)</script>`,
		"https://x.example/\u2028<img src=x onerror=alert(1)>",
	} {
		for name, page := range everyPage(t, base) {
			if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img") || strings.Contains(page, `' onload='`) ||
				strings.Contains(page, `"javascript:`) || strings.Contains(page, `"data:text`) {
				t.Errorf("base %q became active in %s", base, name)
			}
		}
	}
}

func TestUnknownPostsHaveNoPage(t *testing.T) {
	t.Parallel()
	for _, slug := range []string{"", "nowhere", "../margins", "Margins", "margins/"} {
		if _, ok := Page("https://x.example", slug); ok {
			t.Errorf("slug %q has a page", slug)
		}
	}
}

func TestPostsAreComplete(t *testing.T) {
	t.Parallel()
	slug := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	if len(Posts()) != 3 {
		t.Errorf("the demo has %d posts, want 3", len(Posts()))
	}
	for _, post := range Posts() {
		if !slug.MatchString(post.Slug) || post.Title == "" || post.Lead == "" || post.Date == "" || len(post.Blocks) < 3 {
			t.Errorf("post %+v is not complete", post)
		}
		for i, block := range post.Blocks {
			set := 0
			for _, text := range []string{block.Text, block.Heading, block.Quote} {
				if text != "" {
					set++
				}
			}
			if set != 1 {
				t.Errorf("%s: block %d has %d of its fields set, want 1", post.Slug, i, set)
			}
		}
	}
	Posts()[0].Title = "changed"
	if Posts()[0].Title == "changed" {
		t.Error("a caller can change the posts of everybody")
	}
}
