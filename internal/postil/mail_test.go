package postil

import (
	"strings"
	"testing"
)

func TestAnAddressIsKeptWithItsDomainInOneForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "  ": "", " Ann.Lee+blog@Mail.EXAMPLE ": "Ann.Lee+blog@mail.example", "o'neil@mail.example": "o'neil@mail.example",
		"ann@müller.example": "ann@xn--mller-kva.example", "a@b-c.d3.co": "a@b-c.d3.co",
	} {
		if got, err := CleanEmail(in); err != nil || got != want {
			t.Errorf("CleanEmail(%q) = %q, %v", in, got, err)
		}
	}
}

func TestMAIL_14_HostileAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"a@b:c;", "group:a@mail.example,b@mail.example;", "a@mail.example,b@mail.example", "a@mail.example b@mail.example", "a@mail.example;b@mail.example",
		strings.Repeat("(", 2500) + strings.Repeat(")", 2500) + "a@mail.example", strings.Repeat("a", 5000) + "@mail.example", "a@" + strings.Repeat("b.", 2500) + "example",
		"a(comment)@mail.example", `"a b"@mail.example`, "Ann <a@mail.example>", "<a@mail.example>", "a@[192.0.2.1]", "a@192.0.2.1", "a@localhost", "@mail.example", "a@", "a",
		"a@b@mail.example", ".a@mail.example", "a.@mail.example", "a..b@mail.example", "a@mail..example", "a@-mail.example", "a@mail.example.", "a@mail.e", "a@ma_il.example",
		"a@mail.example\r\nBcc: b@mail.example", "a\x00@mail.example", "a\n@mail.example", "ä@mail.example", "a@xn--a.example", "a\u202e@mail.example",
		strings.Repeat("a", 65) + "@mail.example", "a@" + strings.Repeat("b", 64) + ".example",
	} {
		_, err := CleanEmail(in)
		wantInvalid(t, in, err, "author.email")
	}
}

func TestADeviceKeyHasItsAlphabetAndLength(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", strings.Repeat("aZ9_", 4), strings.Repeat("-", 128)} {
		if err := CheckDevice(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{"short", strings.Repeat("a", 15), strings.Repeat("a", 129), strings.Repeat("a", 16) + "\n", strings.Repeat("ä", 16), strings.Repeat("a ", 16)} {
		wantInvalid(t, key, CheckDevice(key), "device")
	}
}
