package httpapi

import (
	"bytes"
	"compress/gzip"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

var (
	// An hour, also for numbered bundles: their number is that of the
	// interface, and a mended bundle keeps it.
	fileAge    = []string{"public, max-age=3600, stale-while-revalidate=86400"}
	scriptType = []string{"text/javascript; charset=utf-8"}
	bundleName = regexp.MustCompile(`^((widget|count|views|question)(\.v[0-9]{1,4})?|widget\.v[0-9]{1,4}\.[a-z]{1,16}(-[a-z]{1,16}){0,2})\.js$`)
)

// files keeps finished bundles by name and coding.
type files struct{ made sync.Map }

// bundle is GET /widget.js and its like.
func (s *Server) bundle(c echo.Context) error {
	name := path.Base(c.Request().URL.Path)
	if s.deps.Bundle == nil || !bundleName.MatchString(name) {
		return postil.Missing()
	}
	source, ok := s.deps.Bundle(name)
	if !ok {
		return postil.Missing()
	}
	coding := negotiate(c.Request().Header["Accept-Encoding"])
	h := c.Response().Header()
	h["X-Content-Type-Options"] = noSniff
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h["Content-Type"] = scriptType
	return send(c, s.files.get(name, coding, source), coding, fileAge)
}

// get returns a bundle in one coding, made when it is first asked for.
func (f *files) get(name, coding string, source []byte) postil.Encoded {
	key := name + " " + coding
	if made, ok := f.made.Load(key); ok {
		return made.(postil.Encoded)
	}
	made := identity(source)
	if coding != "" {
		made.ETag = []string{strings.TrimSuffix(made.ETag[0], `"`) + "-" + coding + `"`}
		made.Body = compress(source, coding)
		made.Length = []string{strconv.Itoa(len(made.Body))}
	}
	f.made.Store(key, made)
	return made
}

// compress is done once for each bundle and coding, so it takes its time.
func compress(source []byte, coding string) []byte {
	var b bytes.Buffer
	if coding == "br" {
		w := brotli.NewWriterLevel(&b, brotli.BestCompression)
		_, _ = w.Write(source) // a buffer takes everything
		_ = w.Close()
		return b.Bytes()
	}
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level exists
	_, _ = w.Write(source)
	_ = w.Close()
	return b.Bytes()
}
