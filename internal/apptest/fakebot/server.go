package fakebot

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Server is the fake. It implements http.Handler; all methods are safe for concurrent use.
type Server struct {
	token string
	self  User

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change: what WaitFor and the long poll wait on
	state   State
	faults  []*script
	hooks   sync.WaitGroup // running webhook deliveries

	now          func() time.Time
	callbackTTL  time.Duration
	editWindow   time.Duration
	webhookRetry time.Duration

	lastUpdate int64
	lastQuery  int64
	pollTurn   int64 // the turn of the newest getUpdates; an older one gives up
	pollEnd    string
	allowed    []string
}

// New returns a server that accepts only token ("123456:secret"; the digits become the bot's id).
// It starts nothing: call Listen, or mount it as a handler and call Close at the end.
func New(token string) *Server {
	return &Server{
		token:   token,
		self:    User{ID: botID(token), IsBot: true, FirstName: "Fake Bot", Username: "fake_bot"},
		changed: make(chan struct{}),
		state: State{
			chats:   map[int64]*chat{},
			queries: map[string]*query{},
		},
		now:          time.Now,
		callbackTTL:  15 * time.Second,
		webhookRetry: 50 * time.Millisecond,
	}
}

// Listen serves on a free loopback port. baseURL has no trailing slash; for the client library append
// "/bot%s/%s". The returned function ends waiting polls, webhook deliveries and connections, and returns
// when all of them are gone. Listening again afterwards keeps chats, updates and calls.
func (s *Server) Listen() (baseURL string, closeServer func()) {
	ctx, cancel := context.WithCancel(context.Background())
	// Requests do not inherit a context from httptest, so a hanging one is tied to the server here.
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		joined, done := context.WithCancel(r.Context())
		defer done()
		defer context.AfterFunc(ctx, done)()
		s.ServeHTTP(w, r.WithContext(joined))
	}))
	var once sync.Once
	return srv.URL, func() {
		once.Do(func() {
			cancel()
			srv.Close()
			s.Close() // last: until here a call could still set a webhook
		})
	}
}

// Close stops webhook delivery and waits for it. Listen's function calls it.
func (s *Server) Close() {
	s.mu.Lock()
	s.dropHook()
	s.mu.Unlock()
	s.hooks.Wait()
}

// SetClock replaces the clock used for dates, expiry and rate limits. Waiting still takes real time.
func (s *Server) SetClock(now func() time.Time) { s.locked(func() { s.now = now }) }

// SetCallbackTTL sets how long a callback query can be answered (default 15 s).
func (s *Server) SetCallbackTTL(d time.Duration) { s.locked(func() { s.callbackTTL = d }) }

// SetEditWindow makes messages older than d refuse edits; 0, the default, means no limit.
func (s *Server) SetEditWindow(d time.Duration) { s.locked(func() { s.editWindow = d }) }

// SetWebhookRetry sets the pause before a refused webhook delivery is tried again (default 50 ms).
func (s *Server) SetWebhookRetry(d time.Duration) { s.locked(func() { s.webhookRetry = d }) }

// Self is the bot's own user, as getMe returns it.
func (s *Server) Self() User { return s.self }

// locked runs f under the lock and wakes everybody who waits for a change.
func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.wake()
}

func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// ServeHTTP answers one Bot API call: scripted faults first, then the method, then the record of the call.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	token, method, ok := splitPath(hr.URL.Path)
	if !ok {
		writeFault(w, &Fault{Status: 404, Description: "Not Found"})
		return
	}
	if token != s.token {
		writeFault(w, &Fault{Status: 401, Description: "Unauthorized"})
		return
	}
	r, fault := readRequest(hr, method)
	script := s.takeFault(r)
	if script.Refuse {
		s.record(r, script)
		panic(http.ErrAbortHandler)
	}
	var result any
	switch {
	case script.answers():
		fault = script
	case fault == nil:
		result, fault = s.dispatch(r)
	}
	s.record(r, fault)
	pause(hr.Context(), script.Hang)
	if script.Drop || hr.Context().Err() != nil {
		panic(http.ErrAbortHandler)
	}
	if fault != nil {
		writeFault(w, fault)
		return
	}
	writeResult(w, result)
}

func (s *Server) dispatch(r *request) (any, *Fault) {
	run, known := methods[strings.ToLower(r.method)]
	if !known {
		return nil, &Fault{Status: 404, Description: "Not Found: method not found"}
	}
	return run(s, r)
}

func splitPath(path string) (token, method string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/bot")
	if !ok {
		return "", "", false
	}
	token, method, ok = strings.Cut(rest, "/")
	return token, method, ok && method != "" && !strings.Contains(method, "/")
}

// pause waits for d, or less if the caller goes away or the server closes.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
