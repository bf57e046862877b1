package postil

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// blog is a site with an alias, a development host and an international name.
var blog = PostRules{Hosts: []string{"blog.example", "alias.example", "localhost:8080", "xn--mller-kva.example"}}

func TestAddressesOfOnePageResolveToOneKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		raw        []string
	}{
		{"URL-01 tracking parameters are dropped", "/p/1", []string{
			"/p/1", "https://blog.example/p/1", "https://blog.example/p/1?fbclid=abc&utm_source=x",
			"/p/1?UTM_Campaign=y&gclid=1&dclid=2&gbraid=3&wbraid=4&msclkid=5&yclid=6&twclid=7&igshid=8",
			"/p/1?mc_cid=1&mc_eid=2&ref=home&replytocom=7&_ga=1&_gl=2&hsa_acc=3&oly_enc_id=4&vero_id=5",
			"/p/1?utm%5Fsource=x", "/p/1?&&", "/p/1?",
		}},
		{"URL-02 repeated slashes collapse", "/2018/09/22/podcast", []string{
			"/2018/09/22//podcast/", "/2018/09/22/podcast/", "//2018///09/22/podcast//", "https://blog.example//2018/09/22//podcast/",
		}},
		{"URL-02 a scheme-relative address is a path", "/evil.example/x", []string{
			"//evil.example/x", `/\evil.example/x`, `/\/evil.example\x`,
		}},
		{"URL-04 scheme, www, default port, host case and alias do not matter", "/a", []string{
			"http://blog.example/a", "https://blog.example/a", "HTTPS://BLOG.Example/a", "https://www.blog.example/a",
			"http://blog.example:80/a", "https://blog.example:443/a", "https://alias.example/a", "https://www.alias.example./a",
			"http://localhost:8080/a", "http://ann@blog.example/a", `https://blog.example\a`,
			"https://müller.example/a", "https://M%C3%9CLLER.example/a", "https://xn--mller-kva.example/a",
		}},
		{"URL-05 encoded and decoded paths are one", "/文章/é", []string{
			"/文章/é", "/%E6%96%87%E7%AB%A0/%C3%A9", "/%e6%96%87%e7%ab%a0/e%CC%81", "/文%E7%ab%A0/e\u0301/", "https://blog.example/文章/%c3%A9?",
		}},
		{"URL-07 fragments of pages do not matter", "/docs", []string{"/docs#section-2", "/docs/#/a", "https://blog.example/docs#a?b"}},
		{"dot segments are resolved", "/a/c", []string{"/a/./b/../c", "/../a/%2e/x/%2E%2e/c", "/a//b/../c/."}},
		{"the index page is its folder", "/a", []string{"/a/index.html", "/a/index.htm", "/a/index.html/", "/a/index.html/index.htm?utm_x=1"}},
		{"the root has one key", "/", []string{"", " \t\n\u3000", "/", "//", "/.", "/..", "/index.html", "https://blog.example", "https://blog.example?utm_source=x", "https://blog.example#top", "/?", "/#a"}},
		{"malformed escapes stay literally", "/100%/%zz/%4", []string{"/100%/%zz/%4"}},
		{"bytes that are no UTF-8 stay encoded", "/%FF", []string{"/%ff", "/%FF", "/\xff"}},
		{"white space at the end stays encoded", "/a b%20", []string{"/a%20b%20", "/a b%20/", " /a b%20 "}},
		{"direction characters stay encoded", "/a%E2%80%AEb", []string{"/a\u202eb", "/a%e2%80%aeb"}},
		{"joiners of Persian words are letters", "/می\u200cخواهم", []string{"/%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85"}},
		{"the case of a path matters", "/Hello", []string{"/Hello", "/%48ello"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, raw := range tt.raw {
				if got, err := blog.Resolve(raw); err != nil || string(got) != tt.want {
					t.Errorf("Resolve(%q) = %q, %v, want %q", raw, got, err, tt.want)
				}
			}
		})
	}
}

func TestDifferentPagesKeepDifferentKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		raw  []string
	}{
		{"URL-08 a query that identifies the page", []string{"/", "/?p=12", "/?p=34", "/?p=12&page=2", "/?P=12", "/?p", "/?p=", "/?p=12&p=13", "/?p=13&p=12"}},
		{"reserved characters in paths", []string{"/a/b", "/a%2Fb", "/a%5Cb", "/a?b", "/a%3Fb", "/a%23b", "/a%25b", "/a%252Fb", "/a%253Fb", "/a%00b"}},
		{"reserved characters in queries", []string{"/?a=1&b=2", "/?a=1%26b=2", "/?a%3D1&b=2", "/?a=b+c", "/?a=b%2Bc", "/?a=b%20c", "/?a=%23", "/?a=%2523"}},
		{"marks behind separators", []string{"/?a=%CC%B8", "/?a%E2%89%A0", "/?a=%26%CC%B8"}},
		{"URL-07 explicit ids", []string{"#/a", "#/b", "a", "A", "a/", "a?utm_source=x", "post#1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			seen := map[PostID]string{}
			for _, raw := range tt.raw {
				id, err := blog.Resolve(raw)
				if other, clash := seen[id]; err != nil || clash {
					t.Errorf("Resolve(%q) = %q, %v, the same as %q", raw, id, err, other)
				}
				seen[id] = raw
			}
		})
	}
}

func TestURL_07_AnExplicitIDIsUsedVerbatim(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"#/a": "#/a", "#/b": "#/b", " #/a ": "#/a", "post//42/?utm_source=x#y": "post//42/?utm_source=x#y",
		"%41": "%41", "cafe\u0301": "café", "httpbin": "httpbin", "ftp://x/y": "ftp://x/y", "blog.example/a": "blog.example/a",
	} {
		if got, err := blog.Resolve(raw); err != nil || string(got) != want {
			t.Errorf("Resolve(%q) = %q, %v, want %q", raw, got, err, want)
		}
	}
}

func TestURL_08_OtherParametersAreKeptAndSorted(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"/?p=12":                        "/?p=12",
		"/?p=34&utm_source=x":           "/?p=34",
		"/?z=1&a=2&fbclid=q&m=3":        "/?a=2&m=3&z=1",
		"/?b=2&a=2&b=1":                 "/?a=2&b=2&b=1",
		"/?q=%E6%96%87&x=a%2fb":         "/?q=文&x=a/b",
		"https://blog.example?p=12#x":   "/?p=12",
		"/index.html?p=12&reference=1":  "/?p=12&reference=1",
		"/a/?x=index.html&y=//&z=/../":  "/a?x=index.html&y=//&z=/../",
		"/?preview=true&p=12&preview=1": "/?p=12&preview=true&preview=1",
	} {
		if got, err := blog.Resolve(raw); err != nil || string(got) != want {
			t.Errorf("Resolve(%q) = %q, %v, want %q", raw, got, err, want)
		}
	}
}

func TestURL_08_PreviewAddressesAreRecognised(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		"/?p=12&preview=true": true, "https://blog.example/?preview_id=1&preview_nonce=x": true, "/a?preview": true, "/a?preview_nonce=x#y": true,
		"/?p=12": false, "/preview=true": false, "/a?preview=false": false, "/a?preview=0": false, "/a#?preview=true": false, "": false,
		"/a?x=%zz&preview=true": true,
	} {
		if got := IsPreviewAddress(raw); got != want {
			t.Errorf("IsPreviewAddress(%q) = %v", raw, got)
		}
	}
}

func TestURL_04_AForeignHostIsRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"https://evil.example/a", "http://blog.example:8080/a", "http://localhost/a", "https://blog.example@evil.example/a",
		"https://blog.example.evil.example/", "http://blog.example:443/a", "HTTP://EVIL.example", "http://[::1]/a",
	} {
		_, err := blog.Resolve(raw)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrForeignHost) || e.Kind != Invalid || e.Field != "post" || e.Slug != "" {
			t.Errorf("Resolve(%q): %v", raw, err)
		}
	}
	_, err := blog.Resolve("https://Evil.example/a")
	if e, _ := errors.AsType[*Error](err); e == nil || !strings.Contains(e.Sentence, "“evil.example”") {
		t.Errorf("the sentence does not name the host: %v", err)
	}
	if _, err := (PostRules{}).Resolve("https://blog.example/a"); !errors.Is(err, ErrForeignHost) {
		t.Errorf("rules without hosts took an absolute address: %v", err)
	}
}

func TestAKeyThatCannotBeOneIsRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"http:a", "http:/a", "https://", "https:///a", "http://:80/a", "http://blog.example:x/a", "http://bl og/a", "http://[::1/a",
		"UNI-05 a\x00b", "/a\x00b", "/a\nb", "/a\tb", "a\u0085b", "/a\x7fb", "https://blog.example/a\rb", "https://bl\x00og.example/a",
		"a\xffb", "a\u202eb", "a\u2028b",
	} {
		got, err := blog.Resolve(raw)
		if e, _ := errors.AsType[*Error](err); e == nil || e.Kind != Invalid || e.Field != "post" || errors.Is(err, ErrForeignHost) {
			t.Errorf("Resolve(%q) = %q, %v", raw, got, err)
		}
	}
}

func TestAKeyHasAtMost512Characters(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"/", "x", "https://blog.example/"} {
		key := strings.TrimPrefix(head, "https://blog.example")
		if _, err := blog.Resolve(head + strings.Repeat("文", MaxPostKey-len(key))); err != nil {
			t.Errorf("512 characters behind %q: %v", head, err)
		}
		_, err := blog.Resolve(head + strings.Repeat("文", MaxPostKey))
		if e, _ := errors.AsType[*Error](err); e == nil || e.Kind != Invalid || e.Limit != MaxPostKey || e.Field != "post" {
			t.Errorf("513 characters behind %q: %v", head, err)
		}
	}
	if _, err := blog.Resolve("/a?fbclid=" + strings.Repeat("x", 5000)); err != nil {
		t.Errorf("what is dropped was counted: %v", err)
	}
}

func TestASiteCanSetItsOwnRules(t *testing.T) {
	t.Parallel()
	keep := PostRules{KeepSlash: true, KeepIndex: true}
	for _, tt := range []struct {
		rules     PostRules
		raw, want string
	}{
		{keep, "/a/", "/a/"}, {keep, "/a//", "/a/"}, {keep, "/a", "/a"}, {keep, "/", "/"}, {keep, "/a/.", "/a/"}, {keep, "/a/b/..", "/a/"},
		{keep, "/a/index.html", "/a/index.html"},
		{PostRules{KeepSlash: true}, "/a/index.html", "/a/"}, {PostRules{KeepSlash: true}, "/index.html", "/"},
		{PostRules{KeepSlash: true}, "/a/index.html/index.htm", "/a/index.html/"},
		{PostRules{KeepIndex: true}, "/a/index.html/", "/a/index.html"},
		{PostRules{Drop: []string{"Session", "x_*"}}, "/a?session=1&x_y=2&z=3&utm_source=q", "/a?z=3"},
		{PostRules{Drop: []string{"!ref"}}, "/a?ref=main&gclid=1", "/a?ref=main"},
		{PostRules{Drop: []string{"preview*"}}, "/?p=12&preview=true&preview_id=12", "/?p=12"},
		{PostRules{Hosts: []string{"www.blog.example"}}, "https://blog.example/a", "/a"},
	} {
		if got, err := tt.rules.Resolve(tt.raw); err != nil || string(got) != tt.want {
			t.Errorf("%+v: Resolve(%q) = %q, %v, want %q", tt.rules, tt.raw, got, err, tt.want)
		}
	}
}

func TestURL_11_OnlyAnAddressOfTheSiteIsOwned(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		"https://blog.example/posts/hello?p=1#x": true, "http://www.alias.example:80/": true, "http://localhost:8080/it's": true,
		"https://blog.example/文章": true, "https://blog.example": true,
		"https://evil.example/": false, "/posts/hello": false, "//blog.example/x": false, "javascript:alert(1)//blog.example": false,
		"https://blog.example@evil.example/": false, "https://ann:pw@blog.example/": false, "ftp://blog.example/": false,
		`https://blog.example/"onload=x`: false, "https://blog.example/<b>": false, "https://blog.example/a b": false, `https://blog.example\@evil.example`: false,
		"https://blog.example/a\u202eb": false, " https://blog.example/": false, "": false, "https:blog.example": false, "https://blog.example:8443/": false,
	} {
		if got := blog.Owns(raw); got != want {
			t.Errorf("Owns(%q) = %v", raw, got)
		}
	}
}

func TestThePathsThatAreTheirOwnKeyAreThoseOfTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := PostRules{KeepIndex: rapid.Bool().Draw(t, "index"), KeepSlash: rapid.Bool().Draw(t, "slash")}
		s := "/" + rapid.StringMatching(`([a-c./_-]|index\.html?|//|\.\./|%2e|é){0,8}`).Draw(t, "path")
		if r.settled(s) && r.normalise(s) != s {
			t.Fatalf("%q counts as its own key, but the rules make %q of it", s, r.normalise(s))
		}
	})
}

func TestURL_10_PathsFromAnImportAndAddressesFromAPageAreOneKey(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"/posts/hello", "https://blog.example/posts/hello/"},
		{"https://blog.example/posts/hello", "/posts/hello"},
		{"/2018/09/22/podcast/", "http://www.blog.example:80/2018/09/22/podcast"},
		{"/?p=77", "https://blog.example/?p=77&utm_source=feed"},
		{"/caf%C3%A9", "https://blog.example/café"},
	} {
		a, errA := blog.Resolve(pair[0])
		b, errB := blog.Resolve(pair[1])
		if errA != nil || errB != nil || a != b {
			t.Errorf("%q is %q (%v), %q is %q (%v)", pair[0], a, errA, pair[1], b, errB)
		}
	}
}
