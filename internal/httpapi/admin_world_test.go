package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/exporter"
	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/intake"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/notify"
	"github.com/postil/postil/internal/pageview"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/qlog"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/token"
)

var (
	ctx   = context.Background()
	quiet = slog.New(slog.DiscardHandler)
	setup = postil.By{Channel: postil.ByREST, Actor: "setup", Name: "Setup"}
)

const (
	adminAt   = "/api/v1/admin"
	bootstrap = "the-bootstrap-key-of-a-test"
)

// cy is the id of the author of what say says.
var cy = token.NewKeys(token.NewSecret(strings.Repeat("s", 32))).DeviceHash("device-of-cy-0123456789")

// office is the real thing behind the admin routes: store, door, intake and
// keys, with the sites "blog" and "other".
type office struct {
	store  *store.Store
	intake *intake.Intake
	door   *moderation.Door
	worker *moderation.Worker
	server *httpapi.Server
	asked  *qlog.Log
	desk   *auth.Sessions
	hooks  *notify.Hooks
	url    string // over TCP
	local  string // over the socket

	revoked string // a key that was good once

	mu    sync.Mutex
	clock time.Time
}

func newOffice(t testing.TB) *office {
	t.Helper()
	o := &office{clock: time.Date(2026, 11, 30, 18, 17, 0, 0, time.UTC)}
	o.store = runningStore(t, o.now)
	for _, id := range []postil.SiteID{"blog", "other"} {
		v := postil.Site{ID: id, Name: "The " + string(id), Policy: postil.FirstComment, MaxLinks: 2, Origins: []string{"https://" + string(id) + ".example"}}
		if _, err := o.store.AddSite(ctx, v, setup); err != nil {
			t.Fatal(err)
		}
	}
	keys := token.NewKeys(token.NewSecret(strings.Repeat("s", 32)))
	sites := intake.NewDirectory(o.store)
	o.door = moderation.NewDoor(o.store, 15*time.Minute, o.now)
	o.worker = moderation.NewWorker(quiet, o.store, nil)
	o.intake = intake.New(o.store, o.door, sites, keys, o.now, 15*time.Minute, nil)
	o.asked = qlog.New(o.store, o.now)
	apiKeys := auth.NewKeys(quiet, o.store, token.NewSecret(bootstrap), o.now)
	cookie, err := auth.CookieFor("https://talk.example/comments/")
	if err != nil {
		t.Fatal(err)
	}
	o.desk = auth.NewSessions(quiet, o.store, apiKeys, keys, cookie, o.now)
	o.hooks = notify.New(quiet, o.store, notify.Options{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Secret: func(hook int64, version int) []byte { return fmt.Appendf(nil, "secret %d of %d", version, hook) }, Now: func() time.Time { return o.now(ctx) }})
	live := settings.New(quiet, o.store, settings.Options{})
	board := settings.NewDesk(live, o.store)
	server, err := httpapi.New(quiet, httpapi.Config{PublicURL: "https://talk.example/comments/"}, httpapi.Deps{
		Sites: sites, Intake: o.intake, Authors: o.intake, Keys: apiKeys,
		Read:    func(context.Context, postil.View, int64) (httpapi.Page, error) { return nil, postil.Missing() },
		Streams: noStreams{}, Flags: board, Posts: o.store, Limiter: noLimits{}, Clients: oneClient{},
		Ready: func(context.Context) httpapi.Report { return httpapi.Report{Status: "ok", Accepting: true} },
		Admin: httpapi.Admin{
			Authenticator: apiKeys, Records: o.store, Decisions: o.store, Door: o.door, Replies: o.intake, Posts: o.store,
			Sites: o.store, APIKeys: o.store, Moderators: o.store, Codes: keys,
			Audits:   o.store,
			Settings: board, Plans: settings.NewPlanner(quiet, live, o.store),
			Webhooks: o.store, Hooks: o.hooks,
			Book: moderation.NewBook(o.store, keys.NetworkID, o.now), Rules: o.store,
			Sessions: o.desk, Forget: func(id postil.SiteID) { sites.Forget(id); _ = live.Load(ctx) }, Now: o.now,
			Privacy: people{o.store}, EditKeys: o.intake, Operations: o.store, Notes: o.store, Templates: o.store,
		},
		Explain: func(string, http.Header) httpapi.Arrival { return httpapi.Arrival{} },
		Light: httpapi.Light{
			DefaultSite: func(context.Context) (postil.SiteID, error) { return "blog", nil },
			Views:       pageview.New(quiet, o.store, "node", o.now), Trends: o.store, Questions: o.asked,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.server = server
	o.url, o.local = serve(t, server.Handler()), serve(t, server.LocalHandler())
	return o
}

func serve(t testing.TB, h http.Handler) string {
	hs := httptest.NewServer(h)
	t.Cleanup(hs.Close)
	return hs.URL
}

func runningStore(t testing.TB, now func(context.Context) time.Time) *store.Store {
	t.Helper()
	s, err := store.Open(ctx, quiet, storetest.Path(t), store.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (o *office) now(context.Context) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.clock
}

func (o *office) later(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clock = o.clock.Add(d)
}

// The parts of the server that these tests do not use.
type (
	noStreams struct{}
	noLimits  struct{}
	oneClient struct{}
	granted   struct{}
)

func (noStreams) Subscribe(postil.SiteID, []postil.PostID, string) (httpapi.Stream, error) {
	return nil, postil.Missing()
}
func (noLimits) Take(context.Context, string, string) (httpapi.Allowance, error) {
	return granted{}, nil
}
func (noLimits) TakeOwn(context.Context, postil.Pen, string) (httpapi.Allowance, error) {
	return granted{}, nil
}
func (noLimits) Refund(context.Context, httpapi.Allowance) error { return nil }
func (granted) Err() error                                       { return nil }
func (granted) PolicyHeader() string                             { return "" }
func (granted) StateHeader() string                              { return "" }
func (granted) ReturnedHeader() string                           { return "" }
func (oneClient) ClientIP(string, http.Header) netip.Addr        { return netip.MustParseAddr("192.0.2.7") }
func (oneClient) Actor(context.Context, netip.Addr) string       { return "actor-hash" }
func (oneClient) Network(netip.Addr) string                      { return "network-hash" }
func (oneClient) Bucket(netip.Addr) string                       { return "bucket-hash" }

// say takes a comment in and runs the checks over it.
func (o *office) say(t testing.TB, site postil.SiteID, text string) postil.CommentID {
	t.Helper()
	n, err := o.intake.Check(ctx, postil.Submission{Site: site, Post: "/posts/hello", Name: "Cy", Email: "cy@mail.example", Website: "https://cy.example",
		Text: text, Title: "Hello", URL: "https://" + string(site) + ".example/posts/hello", Device: "device-of-cy-0123456789",
		Actor: "actor-hash", Network: "network-hash", UserAgent: "Browser/1.0 <b>"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.intake.Accept(ctx, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.worker.Handle(ctx, postil.Event{Kind: postil.CommentSubmitted, Comment: r.Comment.ID}); err != nil {
		t.Fatal(err)
	}
	return r.Comment.ID
}

// key makes an API key and returns it as a bearer.
func (o *office) key(t testing.TB, k postil.APIKey) string {
	t.Helper()
	plain, hash := token.NewAPIKey()
	if _, err := o.store.AddKey(ctx, k, hash, setup); err != nil {
		t.Fatal(err)
	}
	return plain
}

// events lists what was announced about a comment so far, in order.
func (o *office) events(t testing.TB, id postil.CommentID) []postil.Event {
	t.Helper()
	all, err := o.store.PendingEvents(ctx, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	var out []postil.Event
	for _, ev := range all {
		if id == 0 || ev.Comment == id {
			out = append(out, ev)
		}
	}
	return out
}

func (o *office) status(t testing.TB, id postil.CommentID) postil.Status {
	t.Helper()
	c, err := o.store.Comment(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return c.Status
}

// told is an answer with its body read.
type told struct {
	*http.Response
	text string
}

// call sends a request with the bearer key, "" for none, from a foreign page:
// with a key that does not matter.
func call(t testing.TB, method, url, bearer, body string) told {
	t.Helper()
	return callAs(t, method, url, bearer, "application/json", body)
}

func callAs(t testing.TB, method, url, bearer, contentType, body string) told {
	t.Helper()
	h := http.Header{"Origin": {"https://elsewhere.example"}}
	if body != "" {
		h.Set("Content-Type", contentType)
	}
	if bearer != "" {
		h.Set("Authorization", "Bearer "+bearer)
	}
	return roundTrip(t, method, url, h, body)
}

// callFrom posts as a page at origin does, without a key.
func callFrom(t testing.TB, url, origin, body string) told {
	t.Helper()
	return roundTrip(t, "POST", url, http.Header{"Origin": {origin}, "Content-Type": {"application/json"}}, body)
}

func roundTrip(t testing.TB, method, url string, h http.Header, body string) told {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return told{res, string(text)}
}

// ask calls an admin route with the bootstrap key.
func (o *office) ask(t testing.TB, method, path, body string) told {
	t.Helper()
	return call(t, method, o.url+adminAt+path, bootstrap, body)
}

func (r told) want(t testing.TB, status int) told {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %s", r.Request.Method, r.Request.URL, r.StatusCode, status, r.text)
	}
	if status >= 400 && r.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a refusal is %q: %s", r.Header.Get("Content-Type"), r.text)
	}
	if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("X-Request-Id") == "" || r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("headers: %v", r.Header)
	}
	return r
}

// read takes the answer apart.
func (r told) read(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.text), v); err != nil {
		t.Fatalf("%v: %s", err, r.text)
	}
}

var random = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`pk_[a-z2-7]{52}`), "pk_SECRET"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "BATCH"},
	{regexp.MustCompile(`"code": "[2-9A-Z]{10}"`), `"code": "CODE"`},
	{regexp.MustCompile(`"2026-11-30-[a-z2-7]{16}"`), `"2026-11-30-RANDOM"`},
	{regexp.MustCompile(`"device": "[^"]+"`), `"device": "DEVICE"`},
}

// golden compares an answer with testdata/NAME.json; what is random has a name
// instead.
func (r told) golden(t *testing.T, name string) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(r.text), "", "  "); err != nil {
		t.Fatalf("answer is no JSON: %v: %s", err, r.text)
	}
	got := b.String() + "\n"
	for _, what := range random {
		got = what.pattern.ReplaceAllString(got, what.name)
	}
	file := filepath.Join("testdata", name+".json")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// people is the store as the routes about people need it.
type people struct{ *store.Store }

func (p people) Export(ctx context.Context, w io.Writer, site postil.SiteID, addresses bool) error {
	_, err := exporter.Write(ctx, w, p.Store, site, exporter.Options{Addresses: addresses})
	return err
}
