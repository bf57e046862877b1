package token

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/netip"
	"time"
)

// purpose names a key of its own.
type purpose string

const (
	forActor   purpose = "actor"
	forNetwork purpose = "network"
	forDevice  purpose = "device"
	forTwin    purpose = "twin"
	forReplay  purpose = "replay"
	forEdit    purpose = "edit"
	forForm    purpose = "form"
	forTrap    purpose = "trap"
	forUse     purpose = "form-use"
	forWork    purpose = "work"
	forBucket  purpose = "bucket"
	forCode    purpose = "code"
	forHook    purpose = "webhook"
	forSession purpose = "session"
	forCSRF    purpose = "csrf"
	forMark    purpose = "mark"
	forLimit   purpose = "limit"
)

var purposes = []purpose{forActor, forNetwork, forDevice, forTwin, forReplay, forMark, forEdit, forForm, forTrap, forUse, forWork, forBucket, forCode, forHook,
	forSession, forCSRF, forLimit}

// Keys holds the keys derived from one secret. It never changes, is safe for
// many goroutines, and does not print.
type Keys struct {
	// A function, because fmt prints the fields of a struct within a struct
	// without asking them, but never looks into a function.
	of func(purpose) []byte
}

// NewKeys derives the keys. The same secret gives the same keys on every
// machine and after every restart; another one makes everything signed before
// invalid and everybody a stranger.
func NewKeys(secret Secret) *Keys {
	derived := make(map[purpose][]byte, len(purposes))
	for _, p := range purposes {
		key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "postil "+string(p)+" 1", sha256.Size)
		if err != nil {
			panic("token: " + err.Error()) // only for a key longer than HKDF can make
		}
		derived[p] = key
	}
	return &Keys{of: func(p purpose) []byte { return derived[p] }}
}

// mac is the keyed hash of parts for p, 128 bits in base64url. Each part is
// preceded by its length, so that no other parts give the same input.
func (k *Keys) mac(p purpose, parts ...string) string {
	h := hmac.New(sha256.New, k.of(p))
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return encode(h.Sum(nil)[:16])
}

// Actor stands for who is behind prefix on the UTC day of day. Another day
// gives another id, so nobody can be followed over days by it.
func (k *Keys) Actor(prefix netip.Prefix, day time.Time) string {
	return k.mac(forActor, prefix.String(), day.UTC().Format(time.DateOnly))
}

// NetworkID stands for a network, on every day the same.
func (k *Keys) NetworkID(prefix netip.Prefix) string { return k.mac(forNetwork, prefix.String()) }

// Bucket stands for one client of a limit, on every day the same. It is for
// what one client asks and answers within a day and is never stored.
func (k *Keys) Bucket(prefix netip.Prefix) string { return k.mac(forBucket, prefix.String()) }

// WebhookSecret returns what a service that calls us must say with each call,
// so that nobody else can.
func (k *Keys) WebhookSecret(service string) string { return k.mac(forHook, service) }

// Mark tells this secret from another one and says nothing else about it.
func (k *Keys) Mark() string { return k.mac(forMark) }

// DeviceHash stands for a device key; "" for none.
func (k *Keys) DeviceHash(device string) string {
	if device == "" {
		return ""
	}
	return k.mac(forDevice, device)
}

// TwinHash stands for a comment that is said twice, see postil.Replay.
func (k *Keys) TwinHash(parts ...string) string { return k.mac(forTwin, parts...) }

// ReplayHash stands for a request that is sent twice, see postil.Replay.
func (k *Keys) ReplayHash(parts ...string) string { return k.mac(forReplay, parts...) }

// LimitName names the counter of an allowance at a broker, where others might
// read along.
func (k *Keys) LimitName(parts ...string) string { return k.mac(forLimit, parts...) }

// String prints no key.
func (Keys) String() string { return hidden }

// Format prints no key, whatever the verb.
func (Keys) Format(f fmt.State, _ rune) { fmt.Fprint(f, hidden) }

// LogValue prints no key.
func (Keys) LogValue() slog.Value { return slog.StringValue(hidden) }

// random returns n bytes that nobody can guess.
func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails, see crypto/rand
	return b
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// decode reads what encode wrote and nothing else, so that a token has one
// spelling: base64 alone would overlook line breaks and stray last bits.
func decode(s string) (b []byte, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	return b, err == nil && encode(b) == s
}
