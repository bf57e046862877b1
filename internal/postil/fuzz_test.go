package postil

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// FuzzResolve finds keys that do not resolve to themselves: comments would be
// written under one key and read under another.
func FuzzResolve(f *testing.F) {
	for _, raw := range []string{
		"", "/", "/a/b/?x=1&y=2#z", "https://blog.example/a", "//evil/x", "/%2F%3F%23%25%26%3D%2B%00%0a", "/%%34%31", "/%25%34%31", "/%2F\u0307",
		"/?a=\u0338", "/?a=b%20", "/e\u0301%CC%81", "/%FF\xff%zz%", "/a\u2000", "/%%34A%CC%8A", "#/a", "a\u0344", "/a/../index.html/", "/?b&a&=&==", `/\a%5C`,
		"/%E2%80%8E\u0301", "/%41\u030A", "/a%20?%20", "/\u1100\u1161%E1%86%A8",
	} {
		f.Add(raw, false, false)
		f.Add(raw, true, true)
	}
	f.Fuzz(func(t *testing.T, raw string, keepSlash, keepIndex bool) {
		rules := PostRules{Hosts: blog.Hosts, KeepSlash: keepSlash, KeepIndex: keepIndex}
		id, err := rules.Resolve(raw)
		if err != nil {
			if KindOf(err) != Invalid {
				t.Fatalf("Resolve(%q): %v", raw, err)
			}
			return
		}
		s := string(id)
		if again, err := rules.Resolve(s); err != nil || again != id {
			t.Fatalf("Resolve(%q) = %q, then %q, %v", raw, id, again, err)
		}
		if s == "" || !utf8.ValidString(s) || !norm.NFC.IsNormalString(s) || utf8.RuneCountInString(s) > MaxPostKey ||
			strings.ContainsFunc(s, unicode.IsControl) || strings.HasPrefix(s, "//") || strings.HasPrefix(s, `/\`) {
			t.Fatalf("Resolve(%q) = %q", raw, id)
		}
	})
}

// FuzzCleanName finds names that a second cleaning would change.
func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"Ann", " A\u202enn\x00 ", "\u200b\u2800", "👨‍👩‍👧", "می\u200cخواهم", "e\x00\u0301", "a\u2000 \u200db", "❤️", "\xff", "\u1160a\u3164"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		NameKey(s)
		CleanTitle(s)
		name, err := CleanName(s)
		if err != nil {
			return
		}
		if again, err := CleanName(name); err != nil || again != name {
			t.Fatalf("CleanName(%q) = %q, then %q, %v", s, name, again, err)
		}
		if NameKey(name) == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxName || strings.ContainsFunc(name, hidden) {
			t.Fatalf("CleanName(%q) = %q", s, name)
		}
	})
}

// FuzzCleanWebsite finds websites that a second cleaning would change or that
// could leave an attribute.
func FuzzCleanWebsite(f *testing.F) {
	for _, s := range []string{"https://müller.example/über", "example.org", `x"></a>`, "http://a/%zz#a#b", "http://[::1]:80/?[x]", "https://a_b.example.:443"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		site, err := CleanWebsite(s)
		if err != nil || site == "" {
			return
		}
		if again, err := CleanWebsite(site); err != nil || again != site {
			t.Fatalf("CleanWebsite(%q) = %q, then %q, %v", s, site, again, err)
		}
		if !isASCII(site) || strings.ContainsFunc(site, unsafeInURL) || schemeOf(site) == "" {
			t.Fatalf("CleanWebsite(%q) = %q", s, site)
		}
		if shown := ShowWebsite(site); !utf8.ValidString(shown) || strings.ContainsFunc(shown, unsafeInURL) {
			t.Fatalf("ShowWebsite(%q) = %q", site, shown)
		}
	})
}
