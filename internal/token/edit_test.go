package token

import (
	"math"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestAnEditKeyOpensItsOwnCommentOnly(t *testing.T) {
	t.Parallel()
	key := keys.EditKey(17, "nonce")
	if !keys.CheckEditKey(key, 17, "nonce") {
		t.Fatal("the key does not open its comment")
	}
	if id, _, ok := ParseEditKey(key); !ok || id != 17 {
		t.Fatalf("parsed as %d %t", id, ok)
	}
	for name, ok := range map[string]bool{
		"another comment":        keys.CheckEditKey(key, 18, "nonce"),
		"another nonce":          keys.CheckEditKey(key, 17, "other"),
		"another secret":         other.CheckEditKey(key, 17, "nonce"),
		"number changed":         keys.CheckEditKey(strings.Replace(key, "17", "18", 1), 18, "nonce"),
		"no nonce":               keys.CheckEditKey(keys.EditKey(17, ""), 17, ""),
		"nothing":                keys.CheckEditKey("", 17, "nonce"),
		"a space more":           keys.CheckEditKey(key+" ", 17, "nonce"),
		"number moved to a part": keys.CheckEditKey(keys.EditKey(1, "7nonce"), 17, "nonce"),
	} {
		if ok {
			t.Errorf("%s: opens", name)
		}
	}
}

func TestEveryChangedCharacterBreaksAnEditKey(t *testing.T) {
	t.Parallel()
	key := keys.EditKey(17, "nonce")
	for i := range key {
		for _, c := range []byte("A_0.") {
			changed := key[:i] + string(c) + key[i+1:]
			if changed != key && keys.CheckEditKey(changed, 17, "nonce") {
				t.Errorf("%s opens like %s", changed, key)
			}
		}
	}
}

func TestWhatIsNoEditKeyIsNotParsed(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("A", 22)
	for _, s := range []string{"", "e.", "e.1", "e.1.", "e..", "e.0." + good, "e.-1." + good, "e.+1." + good, "e.01." + good, "E.1." + good,
		"e.1." + good[1:], "e.1." + good + "A", "e.1." + good[1:] + "B", "e.1." + good[1:] + "=", "e.1." + good + ".", "e.99999999999999999999." + good, " e.1." + good, "e.1.\n" + good} {
		if id, mac, ok := ParseEditKey(s); ok || id != 0 || mac != "" {
			t.Errorf("%q: %d %q %t", s, id, mac, ok)
		}
	}
	if id, _, ok := ParseEditKey(keys.EditKey(math.MaxInt64, "n")); !ok || id != math.MaxInt64 {
		t.Error("the largest id does not parse")
	}
}

func TestNoncesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 10_000 {
		seen[NewNonce()] = true
	}
	if len(seen) != 10_000 {
		t.Errorf("%d of 10,000 differ", len(seen))
	}
}

func FuzzParseEditKey(f *testing.F) {
	f.Add(keys.EditKey(17, "nonce"))
	f.Add("e.1.")
	f.Add("e.9223372036854775807.AAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, s string) {
		id, mac, ok := ParseEditKey(s)
		if ok && "e."+id.String()+"."+mac != s {
			t.Fatalf("%q has a second spelling", s)
		}
		if ok && id < 1 {
			t.Fatalf("id %d", id)
		}
		if keys.CheckEditKey(s, postil.CommentID(17), "nonce") && s != keys.EditKey(17, "nonce") {
			t.Fatalf("%q opens", s)
		}
	})
}
