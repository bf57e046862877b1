package token

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"
)

// apiKeyPrefix lets people and secret scanners see what they hold.
const apiKeyPrefix = "pk_"

var lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewAPIKey returns a key of 256 random bits, to be shown once, and the hash to
// keep.
func NewAPIKey() (plain, hash string) {
	plain = apiKeyPrefix + lower.EncodeToString(random(32))
	return plain, HashAPIKey(plain)
}

// HashAPIKey returns the hash by which an API key is looked up. It is fast on
// purpose: nobody can try the possible keys. A key that a person made up must be
// at least 20 characters and rests on that person's imagination.
func HashAPIKey(plain string) string {
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:])
}

// codeAlphabet has 32 characters, none of which looks like another.
const (
	codeAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	codeLength   = 10
)

// NewCode returns a one-time code for a person to type, 50 random bits in 10
// characters, and the hash to keep. It is short, so let it live for minutes and
// limit the tries.
func (k *Keys) NewCode() (plain, hash string) {
	code := random(codeLength)
	for i, b := range code {
		code[i] = codeAlphabet[int(b)%len(codeAlphabet)]
	}
	return string(code), k.HashCode(string(code))
}

// HashCode returns the hash by which a code is looked up, however it was typed:
// small letters, spaces and hyphens do not matter. It is keyed, because whoever
// has only a copy of the store could try all codes.
func (k *Keys) HashCode(typed string) string {
	return k.mac(forCode, strings.NewReplacer(" ", "", "-", "").Replace(strings.ToUpper(typed)))
}
