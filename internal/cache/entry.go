package cache

import (
	"crypto/sha256"
	"encoding/base64"
	"math"
	"sync/atomic"

	"github.com/postil/postil/internal/postil"
)

// Entry is one finished answer. It never changes; a newer one takes its place.
type Entry struct {
	version int64
	err     error // what is answered instead of a body: a short-lived refusal
	brief   bool  // a placeholder or refusal: worth nothing once it is out of date

	seen   uint64 // sum of scopes before the load began
	scopes []*atomic.Uint64

	fresh, keep int64 // end of freshness and of retention, unix nanoseconds
	ration      int64 // see pace
	next        atomic.Int64
	bearable    atomic.Int64 // until when it is answered though it is out of date
	futile      atomic.Int64 // when a reader last asked for a version that does not exist yet
	renewing    atomic.Int64 // until when somebody else is trusted to renew it

	tag        string // what the validators of all encodings begin with
	plain      postil.Encoded
	gzipped    variant
	brotlified variant
}

func newEntry(body []byte, version int64) *Entry {
	hash := sha256.Sum256(body)
	tag := base64.RawURLEncoding.EncodeToString(hash[:15])
	return &Entry{version: version, tag: tag, plain: encoded(body, tag)}
}

// Version returns the version of the thread in the body; 0 where there is none.
func (e *Entry) Version() int64 { return e.version }

// Encoded returns the body in a content encoding: "gzip", "br", and as it is
// for everything else. Each is made when it is first asked for. The result is
// shared: it must not be changed.
func (e *Entry) Encoded(encoding string) postil.Encoded {
	switch encoding {
	case "gzip":
		return e.gzipped.get(e, gzipped, "-gzip")
	case "br":
		return e.brotlified.get(e, brotlified, "-br")
	}
	return e.plain
}

// encodeLike makes the encodings that the entry had which e replaces: the
// readers of a hot thread would all wait for them otherwise.
func (e *Entry) encodeLike(old *Entry) {
	if old == nil || e.err != nil {
		return
	}
	for made, encoding := range map[*variant]string{&old.gzipped: "gzip", &old.brotlified: "br"} {
		if made.made.Load() != nil {
			e.Encoded(encoding)
		}
	}
}

// answer is what a reader gets of e.
func (e *Entry) answer() (*Entry, error) {
	if e.err != nil {
		return nil, e.err
	}
	return e, nil
}

// outOfDate reports whether something that e shows has changed since its load
// began.
func (e *Entry) outOfDate() bool { return e.seen < sum(e.scopes) }

// spare reports whether e may stand in when its view cannot be loaded.
func (e *Entry) spare(now int64) bool { return e != nil && !e.brief && now < e.keep }

// Weight of an entry beside its body, in bytes: the structs, the header values
// and the cache's own node.
const overhead = 768

// weigh estimates the bytes of an entry with all its encodings. Threads shrink
// to about a fifth, so twice the body is on the safe side.
func weigh(v postil.View, e *Entry) uint32 {
	key := len(v.Site) + len(v.Post) + len(v.Posts) + len(v.Cursor)
	return uint32(min(2*len(e.plain.Body)+key+8*len(e.scopes)+overhead, math.MaxUint32))
}
