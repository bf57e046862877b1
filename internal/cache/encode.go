package cache

import (
	"bytes"
	"compress/gzip"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"

	"github.com/postil/postil/internal/postil"
)

// Compressors are large and made often: each change of a hot thread needs two.
var (
	gzips   = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	brotlis = sync.Pool{New: func() any { return brotli.NewWriterLevel(nil, brotliLevel) }}
)

// The highest level, 11, takes a quarter of a second for a long thread.
const brotliLevel = 5

type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

func gzipped(body []byte) []byte    { return compressed(&gzips, body) }
func brotlified(body []byte) []byte { return compressed(&brotlis, body) }

// compressed ignores the errors of the compressor: they are those of the
// writer below it, and a buffer has none.
func compressed(pool *sync.Pool, body []byte) []byte {
	w := pool.Get().(compressor)
	defer pool.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(body)
	_ = w.Close()
	return bytes.Clone(out.Bytes()) // the buffer has grown too large, and the entry may stay for hours
}

// variant is a body in one encoding, made when it is first asked for.
type variant struct {
	made atomic.Pointer[postil.Encoded]
	mu   sync.Mutex
}

func (r *variant) get(e *Entry, encode func([]byte) []byte, suffix string) postil.Encoded {
	if made := r.made.Load(); made != nil {
		return *made
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if made := r.made.Load(); made != nil {
		return *made
	}
	made := encoded(encode(e.plain.Body), e.tag+suffix)
	r.made.Store(&made)
	return made
}

func encoded(body []byte, tag string) postil.Encoded {
	return postil.Encoded{Body: body, ETag: []string{`"` + tag + `"`}, Length: []string{strconv.Itoa(len(body))}}
}
