package token

import "strings"

// sessionLength is how many characters a session's secret has: 256 bits.
const sessionLength = 52

// NewSession returns the secret of a session, for a cookie, and the hash to
// keep.
func NewSession() (plain, hash string) {
	plain = lower.EncodeToString(random(32))
	return plain, HashAPIKey(plain)
}

// LooksLikeSession reports whether a cookie may hold the secret of a session,
// so that nothing else is ever looked up.
func LooksLikeSession(plain string) bool {
	return len(plain) == sessionLength && strings.Trim(plain, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// NewSigninCode returns the code of a link that signs somebody in once, 160
// random bits, and the hash to keep.
func NewSigninCode() (plain, hash string) {
	plain = lower.EncodeToString(random(20))
	return plain, HashAPIKey(plain)
}

// CSRF returns what the pages of a session say with each change, so that no
// foreign page can. It follows from the session's secret and does not tell it.
func (k *Keys) CSRF(session string) string { return k.mac(forCSRF, session) }

// SettingMark stands for an admin key given as a setting: its sessions end when
// another one is given. It is keyed, because a person made the key up.
func (k *Keys) SettingMark(key string) string { return k.mac(forSession, key) }
