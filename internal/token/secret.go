package token

import (
	"encoding"
	"fmt"
	"log/slog"
)

// hidden is printed in the place of every secret.
const hidden = "(hidden)"

// Secret is a text that prints nowhere: not with fmt, not in a log, not in JSON,
// and not as a field of a struct that is printed. The zero value is no secret.
type Secret struct {
	// A pointer, because fmt prints the unexported fields of a struct without
	// asking them: this way it can print an address at most.
	text *string
}

var (
	_ fmt.Formatter            = Secret{}
	_ slog.LogValuer           = Secret{}
	_ encoding.TextMarshaler   = Secret{}
	_ encoding.TextUnmarshaler = (*Secret)(nil)
)

// NewSecret hides text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text. Every call is a place to look at in a review.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no secret or an empty one.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// String says that there is a secret, or "" when there is none.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return hidden
}

// Format prints what String says, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue logs what String says.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText writes what String says.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a setting.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
