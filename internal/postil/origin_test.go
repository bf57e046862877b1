package postil

import (
	"strings"
	"testing"
)

func TestAUTH_02_OriginsAreReducedToSchemeHostAndPort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, origin, host string
		warns            bool
	}{
		{"https://blog.example/", "https://blog.example", "blog.example", false},
		{"HTTPS://Blog.example:443", "https://blog.example", "blog.example", false},
		{"https://blog.example/path", "https://blog.example", "blog.example", true},
		{"https://blog.example", "https://blog.example", "blog.example", false},
		{" https://blog.example// ", "https://blog.example", "blog.example", false},
		{"https://blog.example./?x=1", "https://blog.example", "blog.example", true},
		{"https://blog.example#x", "https://blog.example", "blog.example", true},
		{"http://blog.example:80", "http://blog.example", "blog.example", false},
		{"http://blog.example:443", "http://blog.example:443", "blog.example:443", false},
		{"https://blog.example:08443", "https://blog.example:8443", "blog.example:8443", false},
		{"http://localhost:8080", "http://localhost:8080", "localhost:8080", false},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1:8080", false},
		{"http://[::1]:8080", "http://[::1]:8080", "[::1]:8080", false},
		{"http://[0:0::1]:80", "http://[::1]", "[::1]", false},
		{"https://MÜLLER.example", "https://xn--mller-kva.example", "xn--mller-kva.example", false},
		{"https://www.blog.example", "https://www.blog.example", "www.blog.example", false},
	} {
		origin, warning, err := ParseOrigin(tt.in)
		if err != nil || origin != tt.origin || OriginHost(origin) != tt.host || (warning != "") != tt.warns {
			t.Errorf("ParseOrigin(%q) = %q, %q, %v", tt.in, origin, warning, err)
		}
		if tt.warns && !strings.Contains(warning, tt.origin) {
			t.Errorf("the warning does not say what counts: %s", warning)
		}
		if again, warning, err := ParseOrigin(origin); again != origin || warning != "" || err != nil {
			t.Errorf("%q is not its own canonical form: %q, %q, %v", origin, again, warning, err)
		}
	}
}

func TestAUTH_02_WhatIsNoOriginIsRefused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", "*", "null", "blog.example", "//blog.example", "ftp://blog.example", "https://", "https:///x", "https://*.blog.example", "https://ann@blog.example",
		"https://blog example", "https://blog.example:x", "https://blog.example:0", "https://blog.example:65536", "file:///x", "https://blog.example\x00", "https://a..b",
	} {
		_, _, err := ParseOrigin(in)
		wantInvalid(t, in, err, "origins")
	}
}

func TestAParsedOriginOwnsItsAddresses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"https://blog.example/", "http://localhost:8080", "https://müller.example", "https://www.blog.example:443", "http://[::1]:80"} {
		origin, _, err := ParseOrigin(in)
		if err != nil {
			t.Fatal(err)
		}
		rules := PostRules{Hosts: []string{OriginHost(origin)}}
		if id, err := rules.Resolve(origin + "/a/"); err != nil || id != "/a" || !rules.Owns(origin+"/a/") {
			t.Errorf("%q: %q, %v", in, id, err)
		}
	}
}
