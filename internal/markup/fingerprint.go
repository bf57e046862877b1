package markup

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// minFingerprint is the length, in characters, below which a text means
// nothing when it is repeated: "Thank you!" is no spam.
const minFingerprint = 12

// Fingerprint gives a short hash by which the same words are recognised
// whatever their markup, case, accents and spacing; "" for texts too short to
// mean anything when they are repeated.
func Fingerprint(source string) string { return FingerprintHTML(Render(source)) }

// FingerprintHTML is Fingerprint for who has the safe HTML that Render gave.
func FingerprintHTML(safe string) string {
	folded := spaced(Fold(PlainHTML(safe)))
	if utf8.RuneCountInString(folded) < minFingerprint {
		return ""
	}
	sum := sha256.Sum256([]byte(folded))
	return hex.EncodeToString(sum[:12])
}
