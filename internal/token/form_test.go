package token

import (
	"encoding/binary"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestAFormTokenIsGoodForItsPostForADay(t *testing.T) {
	t.Parallel()
	tok, trap := keys.FormToken("blog", "/posts/hello", 0, noon)
	if keys.TrapName(tok) != trap {
		t.Errorf("trap %q is read as %q", trap, keys.TrapName(tok))
	}
	foreign, _ := other.FormToken("blog", "/posts/hello", 0, noon)
	shifted, _ := keys.FormToken("blo", "g/posts/hello", 0, noon)
	body, mac, _ := strings.Cut(tok, ".")
	for _, c := range []struct {
		name, token, site, post string
		after                   time.Duration
		state                   string
		age                     time.Duration
	}{
		{"fresh", tok, "blog", "/posts/hello", 0, FormOK, 0},
		{"after nine seconds", tok, "blog", "/posts/hello", 9 * time.Second, FormOK, 9 * time.Second},
		{"at the last moment", tok, "blog", "/posts/hello", 24 * time.Hour, FormOK, 24 * time.Hour},
		{"too old", tok, "blog", "/posts/hello", 24*time.Hour + time.Millisecond, FormExpired, 0},
		{"clock set back", tok, "blog", "/posts/hello", -time.Minute, FormOK, 0},
		{"clock set back by days", tok, "blog", "/posts/hello", -48 * time.Hour, FormExpired, 0},
		{"missing", "", "blog", "/posts/hello", 0, FormMissing, 0},
		{"another post", tok, "blog", "/posts/other", 0, FormForeign, 0},
		{"another site", tok, "shop", "/posts/hello", 0, FormForeign, 0},
		{"another secret", foreign, "blog", "/posts/hello", 0, FormForeign, 0},
		{"another split", shifted, "blog", "/posts/hello", 0, FormForeign, 0},
		{"old and foreign", foreign, "blog", "/posts/hello", 48 * time.Hour, FormForeign, 0},
		{"no mac", body, "blog", "/posts/hello", 0, FormForeign, 0},
		{"empty mac", body + ".", "blog", "/posts/hello", 0, FormForeign, 0},
		{"no body", "." + mac, "blog", "/posts/hello", 0, FormForeign, 0},
		{"garbage", "💥", "blog", "/posts/hello", 0, FormForeign, 0},
		{"an edit key", keys.EditKey(1, "n"), "blog", "/posts/hello", 0, FormForeign, 0},
		{"one character more", tok + "A", "blog", "/posts/hello", 0, FormForeign, 0},
		{"white space", tok + "\n", "blog", "/posts/hello", 0, FormForeign, 0},
		{"white space inside", tok[:3] + "\n" + tok[3:], "blog", "/posts/hello", 0, FormForeign, 0},
	} {
		state, age, key := keys.ReadForm(c.token, c.site, c.post, noon.Add(c.after))
		if state != c.state || age != c.age || (key != "") != (state == FormOK) {
			t.Errorf("%s: %s %s %q, want %s %s", c.name, state, age, key, c.state, c.age)
		}
	}
}

func TestEveryChangedCharacterMakesAFormTokenForeign(t *testing.T) {
	t.Parallel()
	tok, _ := keys.FormToken("blog", "/", 0, noon)
	for i := range tok {
		for _, c := range []byte("A_0.\n") {
			changed := tok[:i] + string(c) + tok[i+1:]
			if changed == tok {
				continue
			}
			if state, _, _ := keys.ReadForm(changed, "blog", "/", noon); state != FormForeign {
				t.Errorf("%q is %s", changed, state)
			}
		}
	}
}

func TestEveryFormTokenIsUsedUnderItsOwnKey(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		tok, _ := keys.FormToken("blog", "/", 0, noon)
		_, _, key := keys.ReadForm(tok, "blog", "/", noon)
		seen[key] = true
		if _, _, again := keys.ReadForm(tok, "blog", "/", noon.Add(time.Hour)); again != key {
			t.Fatal("the key changes with time")
		}
	}
	if len(seen) != 1000 {
		t.Errorf("%d of 1,000 keys differ", len(seen))
	}
}

func TestNoBrowserFillsATrapByItself(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z]+_[a-z]+[2-9]$`)
	filled := regexp.MustCompile(`name|mail|url|web|site|home|phone|tel|mobile|fax|addr|street|city|state|zip|post|country|company|organi|user|login|pass|pwd|card|cc|cvc|code|otp|birth|bday|sex|gender|title|age|date|coupon|iban|search`)
	seen := map[string]bool{}
	for range 5000 {
		_, trap := keys.FormToken("blog", "/", 0, noon)
		seen[trap] = true
		if !form.MatchString(trap) || filled.MatchString(trap) {
			t.Fatalf("trap %q", trap)
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d names: a program can learn them by heart", len(seen))
	}
	if keys.TrapName("") == "" || keys.TrapName("garbage") == "" {
		t.Error("a broken token has no trap name")
	}
}

func FuzzReadForm(f *testing.F) {
	// The same in every process that takes part in fuzzing.
	body := binary.BigEndian.AppendUint64(nil, uint64(noon.UnixMilli()))
	body = append(body, "8 bytes!"...)
	tok := encode(body) + "." + keys.mac(forForm, "blog", "/posts/hello", string(body))
	f.Add(tok, "blog", "/posts/hello")
	f.Add(tok, "blo", "g/posts/hello")
	f.Add(tok[:len(tok)-1], "blog", "/posts/hello")
	f.Add("", "", "")
	f.Add(".", "blog", "/")
	f.Fuzz(func(t *testing.T, s, site, post string) {
		state, _, _ := keys.ReadForm(s, site, post, noon)
		own := s == tok && site == "blog" && post == "/posts/hello"
		if (state == FormOK) != own || (state == FormMissing) != (s == "") {
			t.Fatalf("%q for %q %q is %s", s, site, post, state)
		}
		if keys.TrapName(s) == "" {
			t.Fatal("no trap")
		}
	})
}
