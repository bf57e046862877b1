package cache

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/postil/postil/internal/postil"
)

func TestEveryEncodingHoldsTheSameBody(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"empty": "", "short": "{}", "long": strings.Repeat("<p>Hello, Grüße 👋</p>", 3000)} {
		t.Run(name, func(t *testing.T) {
			e := newEntry([]byte(body), 7)
			seen := map[string]bool{}
			for encoding, decode := range map[string]func(io.Reader) io.Reader{
				"":     func(r io.Reader) io.Reader { return r },
				"gzip": func(r io.Reader) io.Reader { z, _ := gzip.NewReader(r); return z },
				"br":   func(r io.Reader) io.Reader { return brotli.NewReader(r) },
			} {
				made := e.Encoded(encoding)
				have, err := io.ReadAll(decode(bytes.NewReader(made.Body)))
				if err != nil || string(have) != body {
					t.Errorf("%q decodes to %d bytes, %v", encoding, len(have), err)
				}
				if len(made.Length) != 1 || made.Length[0] != strconv.Itoa(len(made.Body)) {
					t.Errorf("%q has length %q for %d bytes", encoding, made.Length, len(made.Body))
				}
				tag := made.ETag[0]
				if len(made.ETag) != 1 || seen[tag] || len(tag) < 20 || tag[0] != '"' || tag[len(tag)-1] != '"' {
					t.Errorf("%q has the validator %q", encoding, made.ETag)
				}
				seen[tag] = true
			}
		})
	}
}

func TestAnEncodingThatIsNotKnownIsTheBodyAsItIs(t *testing.T) {
	t.Parallel()
	e := newEntry([]byte("x"), 1)
	for _, encoding := range []string{"identity", "deflate", "zstd", "BR"} {
		if have := e.Encoded(encoding); string(have.Body) != "x" || have.ETag[0] != e.Encoded("").ETag[0] {
			t.Errorf("%s gives %q", encoding, have.Body)
		}
	}
}

func TestTheValidatorFollowsTheContentAlone(t *testing.T) {
	t.Parallel()
	a, same, other := newEntry([]byte("a"), 1), newEntry([]byte("a"), 2), newEntry([]byte("b"), 1)
	for _, encoding := range []string{"", "gzip", "br"} {
		tag := a.Encoded(encoding).ETag[0]
		if tag != same.Encoded(encoding).ETag[0] {
			t.Errorf("%q: the same body has another validator", encoding)
		}
		if tag == other.Encoded(encoding).ETag[0] {
			t.Errorf("%q: another body has the same validator", encoding)
		}
	}
}

func TestAnEncodingIsMadeOnce(t *testing.T) {
	t.Parallel()
	e := newEntry([]byte(strings.Repeat("hello ", 1000)), 1)
	bodies := make([]postil.Encoded, 50)
	var all sync.WaitGroup
	for i := range bodies {
		all.Go(func() { bodies[i] = e.Encoded("br") })
	}
	all.Wait()
	for _, b := range bodies {
		if &b.Body[0] != &bodies[0].Body[0] {
			t.Fatal("two readers got two copies")
		}
	}
}

func TestTheWeightCoversAllEncodingsOfAThread(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 100 {
		text.WriteString(`{"id":"` + strconv.Itoa(i*7919) + `","author":{"name":"Ann ` + strconv.Itoa(i) + `"},"html":"<p>I have read your post ` + strconv.Itoa(i*i) + ` times.</p>"},`)
	}
	e := newEntry([]byte(text.String()), 1)
	have := len(e.Encoded("").Body) + len(e.Encoded("gzip").Body) + len(e.Encoded("br").Body)
	if weight := int(weigh(thread("/a"), e)); have > weight {
		t.Errorf("%d bytes weigh %d", have, weight)
	}
}

// A hit is to cost next to nothing: no JSON, no compression, no lock, no
// allocation.
func BenchmarkHit(b *testing.B) {
	body := []byte(strings.Repeat("<p>Hello</p>", 3000))
	c := newCache(b, func(context.Context, postil.View) (Fresh, error) { return Fresh{Body: body, Version: 1}, nil }, Options{})
	v := thread("/posts/hello")
	if _, err := c.Get(b.Context(), v, 0); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			e, err := c.Get(context.Background(), v, 0)
			if err != nil || len(e.Encoded("gzip").Body) == 0 {
				b.Error("no answer")
			}
		}
	})
}
