package token

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	keys  = NewKeys(NewSecret(strings.Repeat("s", 32)))
	other = NewKeys(NewSecret(strings.Repeat("t", 32)))
	noon  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	home  = netip.MustParsePrefix("192.0.2.7/32")
)

func TestHashesAreTheSameAfterARestartAndOthersUnderAnotherSecret(t *testing.T) {
	t.Parallel()
	again := NewKeys(NewSecret(strings.Repeat("s", 32)))
	form := regexp.MustCompile(`^[A-Za-z0-9_-]{22}$`)
	seen := map[string]string{}
	for name, hash := range map[string]func(*Keys) string{
		"actor":   func(k *Keys) string { return k.Actor(home, noon) },
		"network": func(k *Keys) string { return k.NetworkID(home) },
		"device":  func(k *Keys) string { return k.DeviceHash("192.0.2.7/32") },
		"twin":    func(k *Keys) string { return k.TwinHash("192.0.2.7/32") },
		"replay":  func(k *Keys) string { return k.ReplayHash("192.0.2.7/32") },
		"limit":   func(k *Keys) string { return k.LimitName("192.0.2.7/32") },
		"code":    func(k *Keys) string { return k.HashCode("192.0.2.7/32") },
	} {
		got := hash(keys)
		if !form.MatchString(got) {
			t.Errorf("%s: %q is not 128 bits in base64url", name, got)
		}
		if hash(again) != got {
			t.Errorf("%s differs after a restart", name)
		}
		if hash(other) == got {
			t.Errorf("%s is the same under another secret", name)
		}
		if before, ok := seen[got]; ok {
			t.Errorf("%s and %s share a key", name, before)
		}
		seen[got] = name
	}
	if keys.DeviceHash("") != "" {
		t.Error("no device has a hash")
	}
}

func TestDerivedValuesNeverChangeBetweenVersions(t *testing.T) {
	t.Parallel()
	// Stored hashes and keys in the hands of readers depend on these. They
	// were computed from HKDF and HMAC by another program.
	for got, want := range map[string]string{
		keys.Actor(home, noon):       "0mYOa4RUbG2PpWDskM-LYg",
		keys.NetworkID(home):         "J3yRUEHIDLGCrt9fofiGSQ",
		keys.DeviceHash("device"):    "ubWnANjjUZogTfPWEwIbdg",
		keys.TwinHash("a", "b"):      "X5Eb8TNAfNLgtvTeWEsMxA",
		keys.ReplayHash("a", "b"):    "DENwh3TPCuWmGU28dGA6HQ",
		keys.EditKey(17, "nonce"):    "e.17.EysGzo16zq2OLOm_FMRWVQ",
		keys.HashCode("23456-789ab"): "zQpQvCI1lW5fSKJxPd5wDA",
		HashAPIKey("pk_a"):           "e871ed62fe956ff06d845c92a57ad7e2826b1c1114fc44e034fce5d5edbe689e",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAnActorIsAnotherOneAfterMidnightUTC(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	before, after := keys.Actor(home, midnight.Add(-time.Millisecond)), keys.Actor(home, midnight)
	if before == after {
		t.Error("the actor survives midnight")
	}
	if keys.Actor(home, noon) != before {
		t.Error("the actor changes within a day")
	}
	tokyo := time.FixedZone("JST", 9*3600)
	if keys.Actor(home, midnight.Add(-time.Millisecond).In(tokyo)) != before {
		t.Error("the day depends on the zone of the clock")
	}
	if keys.Actor(netip.MustParsePrefix("192.0.2.8/32"), noon) == before {
		t.Error("neighbours are one actor")
	}
}

func TestDifferentSplitsGiveDifferentHashes(t *testing.T) {
	t.Parallel()
	splits := [][]string{{"abc"}, {"a", "bc"}, {"ab", "c"}, {"a", "b", "c"}, {"", "abc"}, {"abc", ""}, {}, {""}, {"", ""}, {"a\x00b", "c"}, {"a", "b\x00c"}}
	seen := map[string][]string{}
	for _, parts := range splits {
		got := keys.TwinHash(parts...)
		if before, ok := seen[got]; ok {
			t.Errorf("%q and %q are the same", before, parts)
		}
		seen[got] = parts
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.StringMatching(`[ab\x00]{0,3}`))
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		same := len(a) == len(b)
		for i := 0; same && i < len(a); i++ {
			same = a[i] == b[i]
		}
		if (keys.TwinHash(a...) == keys.TwinHash(b...)) != same {
			t.Fatalf("%q %q", a, b)
		}
	})
}
