package token

import (
	"regexp"
	"strings"
	"testing"
)

func TestAPIKeysAreLongRandomAndFoundByTheirHash(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^pk_[a-z2-7]{52}$`)
	seen := map[string]bool{}
	for range 1000 {
		plain, hash := NewAPIKey()
		if !form.MatchString(plain) || HashAPIKey(plain) != hash || strings.Contains(plain, hash) {
			t.Fatalf("key %q, hash %q", plain, hash)
		}
		seen[plain], seen[hash] = true, true
	}
	if len(seen) != 2000 {
		t.Error("keys repeat")
	}
	if HashAPIKey("pk_a") == HashAPIKey("pk_A") || HashAPIKey("a") == HashAPIKey("a ") {
		t.Error("different keys have one hash")
	}
}

func TestCodesAreReadHoweverTheyAreTyped(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[2-9A-HJ-NP-Z]{10}$`)
	seen, letters := map[string]bool{}, map[rune]bool{}
	for range 2000 {
		plain, hash := keys.NewCode()
		if !form.MatchString(plain) {
			t.Fatalf("code %q", plain)
		}
		for _, typed := range []string{plain, strings.ToLower(plain), " " + plain[:5] + "-" + plain[5:] + " ", plain[:3] + " " + plain[3:]} {
			if keys.HashCode(typed) != hash {
				t.Fatalf("%q is not read as %q", typed, plain)
			}
		}
		if other.HashCode(plain) == hash {
			t.Fatal("the hash is not keyed")
		}
		seen[plain] = true
		for _, r := range plain {
			letters[r] = true
		}
	}
	if len(seen) != 2000 || len(letters) != 32 {
		t.Errorf("%d codes of %d letters", len(seen), len(letters))
	}
}
