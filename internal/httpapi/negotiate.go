package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/postil/postil/internal/postil"
)

// negotiate picks the content coding: "br", "gzip" or "" for none. Of codings
// that the client likes equally the smaller wins.
func negotiate(accept []string) string {
	if len(accept) == 1 { // what browsers and tools really send needs no parsing
		switch accept[0] {
		case "gzip, deflate, br, zstd", "gzip, deflate, br":
			return "br"
		case "gzip", "gzip, deflate":
			return "gzip"
		}
	}
	var q qualities
	for _, line := range accept {
		q.read(line)
	}
	br, gzip, identity := q.of(q.br), q.of(q.gzip), q.identity
	if !identity.named {
		identity.value = 0
		if q.any.named && q.any.value == 0 {
			identity.value = -1 // refused, and yet better than no answer at all
		}
	}
	switch {
	case br > 0 && br >= gzip && br >= identity.value:
		return "br"
	case gzip > 0 && gzip >= identity.value:
		return "gzip"
	}
	return ""
}

// quality is how much a client likes a coding, 0 (refused) to 1.
type quality struct {
	named bool
	value float64
}

type qualities struct{ br, gzip, identity, any quality }

// of returns the quality of a coding, which "*" gives when it is not named.
func (q *qualities) of(named quality) float64 {
	if !named.named {
		named = q.any
	}
	return named.value
}

// read notes what one Accept-Encoding line says.
func (q *qualities) read(line string) {
	for item := range strings.SplitSeq(line, ",") {
		name, params, _ := strings.Cut(item, ";")
		liked := quality{named: true, value: qValue(params)}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "br":
			q.br = liked
		case "gzip", "x-gzip":
			q.gzip = liked
		case "identity":
			q.identity = liked
		case "*":
			q.any = liked
		}
	}
}

// qValue reads "q=0.5"; anything unreadable is a refusal, none is 1.
func qValue(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}

// identity makes body ready to be sent as it is; its validator is its hash.
func identity(body []byte) postil.Encoded {
	sum := sha256.Sum256(body)
	return postil.Encoded{
		Body:   body,
		ETag:   []string{`"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`},
		Length: []string{strconv.Itoa(len(body))},
	}
}
