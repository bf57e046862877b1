package token

import (
	"crypto/subtle"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
)

// formValid is how long a form may stand open.
const formValid = 24 * time.Hour

// What ReadForm says of a token. "Reused" is known to whoever keeps the keys.
const (
	FormOK      = "ok"
	FormMissing = "missing"
	FormExpired = "expired"
	FormForeign = "foreign" // not ours, tampered with, or of another post
)

// formBody is the part of a form token that is signed: when it was issued, in
// unix milliseconds, and 8 random bytes. A token that asks for work has one
// byte more, the work.
const formBody = 16

// FormToken returns a token for one use of the form under a post, and the name
// of the form's trap field, which a person leaves empty.
//
// With bits above 0 (see MaxWork) the token also says that the form must come
// with a solution of the challenge that Challenge returns for it.
func (k *Keys) FormToken(site, post string, bits int, now time.Time) (token, trap string) {
	body := binary.BigEndian.AppendUint64(make([]byte, 0, formBody+1), uint64(now.UnixMilli()))
	body = append(body, random(formBody-8)...)
	if bits > 0 {
		body = append(body, byte(min(bits, MaxWork)))
	}
	token = encode(body) + "." + k.mac(forForm, site, post, string(body))
	return token, k.TrapName(token)
}

// ReadForm says what a form token is worth at now, how long ago it was issued
// (0 when that lies in the future: a clock was set back), and under which key
// its use is remembered. age and key are given for FormOK alone.
func (k *Keys) ReadForm(token, site, post string, now time.Time) (state string, age time.Duration, key string) {
	if token == "" {
		return FormMissing, 0, ""
	}
	text, mac, _ := strings.Cut(token, ".")
	body, ok := decode(text)
	if !ok || len(body) != formBody && len(body) != formBody+1 {
		return FormForeign, 0, ""
	}
	if subtle.ConstantTimeCompare([]byte(mac), []byte(k.mac(forForm, site, post, string(body)))) != 1 {
		return FormForeign, 0, ""
	}
	age = time.Duration(now.UnixMilli()-int64(binary.BigEndian.Uint64(body))) * time.Millisecond
	if age > formValid || age < -formValid {
		return FormExpired, 0, ""
	}
	return FormOK, max(age, 0), k.mac(forUse, token)
}

// The names are what a program that fills every field would fill, and nothing
// that a browser or a password manager fills by itself: no name, mail, phone,
// address, web address, company, birthday or code of any kind.
var (
	trapFirst  = []string{"subject", "topic", "summary", "headline", "feedback", "opinion", "remark", "question"}
	trapSecond = []string{"line", "text", "field", "entry", "input", "details", "extra", "more"}
)

// TrapName returns the name of the trap field that was given out with token. It
// needs no valid token: a form sent without script is read by it.
func (k *Keys) TrapName(token string) string {
	sum, _ := decode(k.mac(forTrap, token))
	first, second := trapFirst[int(sum[0])%len(trapFirst)], trapSecond[int(sum[1])%len(trapSecond)]
	return first + "_" + second + strconv.Itoa(2+int(sum[2])%8)
}
