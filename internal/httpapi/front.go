package httpapi

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// front answers what a thread read is mostly about, a GET of an address that
// was read before, without the router and without taking the address apart
// again. Whatever is out of the ordinary goes the usual way, through the same
// table as everything else.
type front struct {
	known atomic.Pointer[sync.Map] // threadQuery by address
	size  atomic.Int64
}

// Bounds of what is remembered. When there are too many all are forgotten: those
// that are read now are known again at once.
const (
	maxFront     = 4096
	maxFrontLine = 512 // bytes of an address
)

// note remembers what an address means, which depends on nothing else. One that
// asks for a version is asked for once.
func (f *front) note(r *http.Request, q threadQuery) {
	if r.Method != http.MethodGet || q.fresh || len(r.RequestURI) > maxFrontLine {
		return
	}
	known := f.known.Load()
	if known == nil || f.size.Load() >= maxFront {
		fresh := &sync.Map{}
		if !f.known.CompareAndSwap(known, fresh) {
			return // somebody else has begun anew
		}
		f.size.Store(0)
		known = fresh
	}
	if _, there := known.LoadOrStore(r.RequestURI, q); !there {
		f.size.Add(1)
	}
}

// find returns what the address of r means, if it is known.
func (f *front) find(r *http.Request) (q threadQuery, ok bool) {
	known := f.known.Load()
	if known == nil || r.Method != http.MethodGet || r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
		return q, false
	}
	v, ok := known.Load(r.RequestURI)
	if !ok {
		return q, false
	}
	return v.(threadQuery), true
}

// ServeHTTP answers from the front when it can.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if q, ok := s.front.find(r); ok && s.atFront(w, r, q) {
		return
	}
	s.echo.ServeHTTP(w, r)
}

// atFront answers a thread read, or reports that something is in the way: then
// nothing was written.
func (s *Server) atFront(w http.ResponseWriter, r *http.Request, q threadQuery) (done bool) {
	defer func() {
		if p := recover(); p != nil {
			done = true
			s.failFront(w, r, panicked(nil, fmt.Errorf("%v", p), debug.Stack()))
		}
	}()
	var err error
	if q.view.Post, err = s.deps.Sites.Resolve(r.Context(), q.view.Site, q.post); err != nil {
		return false
	}
	h := w.Header()
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = datesOnly
	h["X-Content-Type-Options"] = noSniff
	page, err := s.deps.Read(r.Context(), q.view, 0)
	if err != nil {
		s.failFront(w, r, err)
		return true
	}
	coding := negotiate(r.Header["Accept-Encoding"])
	write(w, r, page.Encoded(coding), coding, shared)
	return true
}

func (s *Server) failFront(w http.ResponseWriter, r *http.Request, err error) {
	c := s.echo.NewContext(r, w)
	c.SetPath(sitePath + "/comments")
	s.lastResort(err, c)
}
