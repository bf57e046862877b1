package token

import (
	"crypto/subtle"
	"strings"

	"github.com/postil/postil/internal/postil"
)

// NewNonce returns what is stored with a new comment so that its edit key can be
// derived again. A new nonce takes the old key away.
func NewNonce() string { return encode(random(16)) }

// EditKey returns the key that lets the author of a comment change it:
// "e.ID.MAC". It is derived, never stored.
func (k *Keys) EditKey(id postil.CommentID, nonce string) string {
	return "e." + id.String() + "." + k.mac(forEdit, id.String(), nonce)
}

// ParseEditKey tells which comment s claims to be the key of. It checks the form
// alone; only CheckEditKey tells whether the claim is true.
func ParseEditKey(s string) (id postil.CommentID, mac string, ok bool) {
	rest, ok := strings.CutPrefix(s, "e.")
	if !ok {
		return 0, "", false
	}
	number, mac, _ := strings.Cut(rest, ".")
	id, err := postil.ParseCommentID(number)
	if raw, plain := decode(mac); err != nil || !plain || len(raw) != 16 {
		return 0, "", false
	}
	return id, mac, true
}

// CheckEditKey reports whether s is the edit key of the comment with that nonce,
// in time that does not depend on how much of it is right. A comment without a
// nonce has no key.
func (k *Keys) CheckEditKey(s string, id postil.CommentID, nonce string) bool {
	want := k.EditKey(id, nonce)
	return nonce != "" && subtle.ConstantTimeCompare([]byte(s), []byte(want)) == 1
}
