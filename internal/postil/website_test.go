package postil

import (
	"strings"
	"testing"
)

func TestAWebsiteIsStoredInACanonicalForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, canonical, shown string }{
		{"UNI-11 international name and path", "https://müller.example/über", "https://xn--mller-kva.example/%C3%BCber", "https://müller.example/über"},
		{"UNI-11 typed encoded", "HTTPS://XN--MLLER-KVA.example/%c3%bcber", "https://xn--mller-kva.example/%C3%BCber", "https://müller.example/über"},
		{"UNI-11 decomposed", "https://mu\u0308ller.example/u\u0308ber", "https://xn--mller-kva.example/%C3%BCber", "https://müller.example/über"},
		{"UNI-11 Chinese", "https://例え.テスト/文?q=字#部", "https://xn--r8jz45g.xn--zckzah/%E6%96%87?q=%E5%AD%97#%E9%83%A8", "https://例え.テスト/文?q=字#部"},
		{"UNI-11 Cyrillic", "https://пример.рф", "https://xn--e1afmkfd.xn--p1ai", "https://пример.рф"},
		{"UNI-11 look-alike of another host", "https://аррӏе.example/", "https://xn--80ak6aa92e.example/", "https://xn--80ak6aa92e.example/"},
		{"UNI-11 mixed scripts", "https://pаypal.example/", "https://xn--pypal-4ve.example/", "https://xn--pypal-4ve.example/"},
		{"UNI-11 international name with port", "https://müller.example:8443/", "https://xn--mller-kva.example:8443/", "https://müller.example:8443/"},
		{"nothing", "  ", "", ""},
		{"plain", "https://ann.example", "https://ann.example", "https://ann.example"},
		{"default port", "http://Ann.Example:80/A?b=C#d", "http://ann.example/A?b=C#d", "http://ann.example/A?b=C#d"},
		{"another port", "http://ann.example:8080", "http://ann.example:8080", "http://ann.example:8080"},
		{"no scheme", "example.org", "https://example.org", "https://example.org"},
		{"no scheme but a path", "www.Example.org/~ann?x=1", "https://www.example.org/~ann?x=1", "https://www.example.org/~ann?x=1"},
		{"no scheme but a port", "example.org:8080/x", "https://example.org:8080/x", "https://example.org:8080/x"},
		{"no scheme, international", "müller.example", "https://xn--mller-kva.example", "https://müller.example"},
		{"an address", "http://192.0.2.7/x", "http://192.0.2.7/x", "http://192.0.2.7/x"},
		{"an IPv6 address", "http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080/"},
		{"malformed escapes", "https://ann.example/100%?a=%zz|[]", "https://ann.example/100%25?a=%25zz%7C%5B%5D", "https://ann.example/100%25?a=%25zz%7C%5B%5D"},
		{"what hides stays encoded", "https://ann.example/%E2%80%AE%E3%80%80%E2%80%8B%22%3C%0A", "https://ann.example/%E2%80%AE%E3%80%80%E2%80%8B%22%3C%0A", "https://ann.example/%E2%80%AE%E3%80%80%E2%80%8B%22%3C%0A"},
		{"an underscore", "https://my_blog.example/", "https://my_blog.example/", "https://my_blog.example/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []string{tt.in, tt.canonical} {
				if got, err := CleanWebsite(in); err != nil || got != tt.canonical {
					t.Errorf("CleanWebsite(%q) = %q, %v, want %q", in, got, err, tt.canonical)
				}
			}
			if got := ShowWebsite(tt.canonical); got != tt.shown {
				t.Errorf("ShowWebsite(%q) = %q, want %q", tt.canonical, got, tt.shown)
			}
		})
	}
}

func TestXSS_02_AWebsiteThatIsNoAddressIsRefused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`x"></a><img src=q onerror=1>`, `https://ann.example/"><script>`, `https://ann.example/x"onmouseover="y`, "https://ann.example/'x", "https://ann.example/`x", "https://ann.example/\u1fefx",
		"https://ann.example/<b>", "https://ann.example/a b", `https://ann.example\x`, "https://ann.example/a\x00b", "https://ann.exa\nmple/", "java\tscript:alert(1)",
		"javascript:alert(1)", "JavaScript://ann.example/%0aalert(1)", "data:text/html,x", "vbscript:x", "ftp://ann.example", "mailto:ann@mail.example", "ann@mail.example",
		"//ann.example", "/about", "ann", "https:", "https://", "https:///x", "https:ann.example", "https://:80/", "https://ann:pw@ann.example/", "https://ann@evil.example",
		"https://ann..example", "https://-ann.example", "https://ann.example:0", "https://ann.example:99999", "https://ann.example:x", "https://xn--a.example/",
		"https://1.2.3", "https://2130706433", "https://0x7f.1", "https://ann.example/a\u202eb", "https://ann.example/\xff", "http://[::1", "https://a%00b.example", "https://ann。example。/ x",
	} {
		_, err := CleanWebsite(in)
		wantInvalid(t, in, err, "author.website")
	}
}

func TestAWebsiteHasAtMost300Characters(t *testing.T) {
	t.Parallel()
	head := "https://ann.example/"
	if _, err := CleanWebsite(head + strings.Repeat("x", MaxWebsite-len(head))); err != nil {
		t.Error(err)
	}
	_, err := CleanWebsite(head + strings.Repeat("x", MaxWebsite))
	if e := wantInvalid(t, "long", err, "author.website"); e.Limit != MaxWebsite {
		t.Errorf("limit %d", e.Limit)
	}
}
