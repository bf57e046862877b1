package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/web"
)

// world stands behind the routes in these tests: one site, one thread, and a
// record of what was asked. Tests change its fields before the first request.
type world struct {
	mu      sync.Mutex
	reads   []read
	sent    []postil.Submission
	took    []string
	refunds int
	subs    chan *subscription
	thread  postil.ThreadPage
	recent  []postil.Listed
	numbers map[postil.PostID]int
	readErr error
	check   error
	accept  error
	stored  postil.Comment
	refusal error // of the limiter
	outage  error // of the limiter
	subErr  error
	ownErr  error
	work    *postil.Work
	acted   []string // reactions and reports
	status  Report
	deps    Deps
	cfg     Config
	log     bytes.Buffer
}

type read struct {
	view    postil.View
	atLeast int64
}

var noon = time.Date(2026, 11, 30, 18, 17, 0, 123456789, time.UTC)

func newWorld() *world {
	w := &world{
		thread: helloThread(), numbers: map[postil.PostID]int{"/posts/hello": 3, "/über": 2, "/": 1},
		subs: make(chan *subscription, 8), stored: storedComment(),
		status: Report{Status: "ok", Checks: map[string]string{"store": "ok", "broker": "ok"}, Accepting: true},
		cfg:    Config{PublicURL: "https://talk.example/comments/"},
	}
	w.recent = []postil.Listed{{
		ID: 19, Parent: 17, Author: postil.Author{Name: "Bo", Email: "bo@private.example"}, HTML: "<p>Yes.</p>", Created: noon,
		Post: "/posts/hello", PostTitle: "Hello", PostURL: "https://blog.example/posts/hello",
	}}
	w.deps = Deps{
		Sites: w, Read: w.Read, Intake: w, Authors: w, Streams: w, Posts: w, Limiter: w, Clients: w, Keys: w,
		Ready:    func(context.Context) Report { return w.status },
		TrapName: func(token string) string { return "remark_line" + token },
		Bundle: func(name string) ([]byte, bool) {
			return []byte("/* " + name + " */ customElements.define('postil-comments', class extends HTMLElement {})"), name != "widget.v9.js"
		},
	}
	return w
}

func helloThread() postil.ThreadPage {
	ann := postil.Author{Name: "Ann", Email: "ann@private.example", Website: "https://ann.example/", Badge: "author"}
	return postil.ThreadPage{
		Post: postil.Post{Site: "blog", ID: "/posts/hello", Title: "Hello", URL: "https://blog.example/posts/hello",
			TitledBy: "visitor", Version: 42, Count: 3, Roots: 2},
		Comments: []postil.Listed{
			{ID: 17, Author: ann, HTML: "<p>First &amp; <em>best</em></p>", Created: noon, Edited: noon.Add(time.Minute), Replies: 1, Score: 2, Reactions: map[string]int{"👍": 2}},
			{ID: 18, Parent: 17, Depth: 1, Tombstone: true},
			{ID: 19, Parent: 18, Depth: postil.MaxDepth, Author: postil.Author{Name: "Bo"}, HTML: "<p>Yes.</p>", Created: noon},
			{ID: 21, Author: postil.Author{Name: "Secret Name", Website: "https://gone.example/"}, UserGone: true, HTML: "<p>Bye</p>", Created: noon},
		},
		Next: "c3RvcA",
	}
}

func storedComment() postil.Comment {
	return postil.Comment{
		ID: 23, Site: "blog", Post: "/posts/hello", Parent: 17, Root: 17, Depth: 1,
		Author: postil.Author{Name: "Cy", Email: "cy@private.example"},
		Origin: postil.Origin{Actor: "actor-hash", Network: "network-hash", Device: "device-hash", UserAgent: "<img src=x onerror=1>"},
		Text:   "Well *said*.", HTML: "<p>Well <em>said</em>.</p>", Status: postil.Pending, Created: noon, Nonce: "nonce",
		Findings: []postil.Finding{{Check: "links", Reason: "2 links"}},
	}
}

func (w *world) Post(context.Context, postil.SiteID, postil.PostID) (postil.Post, error) {
	return w.thread.Post, nil
}

func (w *world) Site(_ context.Context, id postil.SiteID) (postil.Site, error) {
	if id != "blog" {
		return postil.Site{}, postil.Missing()
	}
	return postil.Site{ID: "blog", Name: "Ann’s notes", Reactions: postil.DefaultReactions(), Created: noon.Add(-time.Hour), Origins: []string{"https://blog.example", "https://www.blog.example", "http://localhost:1313"}}, nil
}

func (w *world) Resolve(ctx context.Context, id postil.SiteID, raw string) (postil.PostID, error) {
	if _, err := w.Site(ctx, id); err != nil {
		return "", err
	}
	return postil.PostRules{Hosts: []string{"blog.example"}}.Resolve(raw)
}

func (w *world) Named(ctx context.Context, id postil.SiteID, raw string) (postil.PostID, error) {
	return w.Resolve(ctx, id, raw)
}

func (w *world) Read(_ context.Context, view postil.View, atLeast int64) (Page, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads = append(w.reads, read{view, atLeast})
	switch {
	case w.readErr != nil:
		return nil, w.readErr
	case view.Focus > 100:
		return nil, postil.Missing()
	case view.Kind == postil.CountsView:
		counts := map[postil.PostID]int{}
		for _, key := range strings.Split(view.Posts, "\n") {
			counts[postil.PostID(key)] = w.numbers[postil.PostID(key)]
		}
		return bodyPage(EncodeCounts(counts)), nil
	case view.Kind == postil.RecentView:
		return bodyPage(EncodeRecent(w.recent)), nil
	case view.Kind != postil.ThreadView:
		return w.document(view)
	case view.Post != "/posts/hello":
		return bodyPage(EncodeThread(postil.ThreadPage{Post: postil.Post{Site: view.Site, ID: view.Post}})), nil
	}
	return bodyPage(EncodeThread(w.thread)), nil
}

// pages writes documents below the public URL of the world.
func (w *world) pages() *Pages {
	p, err := NewPages(w.cfg.PublicURL, web.PageFiles())
	if err != nil {
		panic(err)
	}
	return p
}

// document is what the views of feeds and pages show.
func (w *world) document(view postil.View) (Page, error) {
	p, thread := w.pages(), w.thread
	if view.Post != "/posts/hello" {
		thread = postil.ThreadPage{Post: postil.Post{Site: view.Site, ID: view.Post}}
	}
	switch view.Kind {
	case postil.FeedView:
		return bodyPage(p.Feed(w.blog(), view.Post, w.recent)), nil
	case postil.FragmentView:
		return bodyPage(p.Fragment(w.blog(), view.Query(), thread)), nil
	case postil.ContextView:
		b, err := p.Context(w.blog(), view.Query(), thread)
		return bodyPage(b), err
	}
	return bodyPage(p.Page(w.blog(), view.Query(), thread, view.Kind, w.deps.TrapName(""))), nil
}

func (w *world) blog() postil.Site {
	site, _ := w.Site(context.Background(), "blog")
	return site
}

// bodyPage is a Page that encodes on every call.
type bodyPage []byte

func (p bodyPage) Version() int64 { return 42 }

func (p bodyPage) Encoded(coding string) postil.Encoded {
	var f files
	return f.get("page", coding, p)
}

func (w *world) Check(_ context.Context, s postil.Submission) (postil.NewComment, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, s)
	if w.check != nil {
		return postil.NewComment{}, w.check
	}
	name, err := postil.CleanName(s.Name)
	if err != nil {
		return postil.NewComment{}, err
	}
	text, err := postil.CleanText(s.Text)
	return postil.NewComment{Site: s.Site, Author: postil.Author{Name: name}, Text: text}, err
}

func (w *world) Accept(_ context.Context, n postil.NewComment) (postil.Receipt, error) {
	return postil.Receipt{Comment: w.stored, EditKey: "edit-key-23", Bookmark: 43, EditableUntil: noon.Add(15 * time.Minute)}, w.accept
}

func (w *world) mine(shown postil.Status) postil.Own {
	return postil.Own{Comment: w.stored, Shown: shown, EditableUntil: noon.Add(15 * time.Minute)}
}

func (w *world) Edit(_ context.Context, _ postil.SiteID, id postil.CommentID, key, text string) (postil.Own, int64, error) {
	if err := w.fits(id, key); err != nil {
		return postil.Own{}, 0, err
	}
	own := w.mine(postil.Approved)
	own.Comment.Draft = &postil.Draft{Text: text, HTML: "<p>" + text + "</p>"}
	return own, 44, nil
}

func (w *world) Remove(_ context.Context, _ postil.SiteID, id postil.CommentID, key string) (postil.Own, int64, error) {
	return w.mine(postil.Deleted), 45, w.fits(id, key)
}

func (w *world) fits(id postil.CommentID, key string) error {
	switch {
	case w.ownErr != nil:
		return w.ownErr
	case id != 23:
		return postil.Missing()
	case key != "edit-key-23":
		return postil.WrongEditKey()
	}
	return nil
}

func (w *world) Own(_ context.Context, _ postil.SiteID, keys []string) ([]postil.Own, error) {
	if !slices.Contains(keys, "edit-key-23") {
		return nil, nil
	}
	return []postil.Own{w.mine(postil.Pending), w.mine(postil.Deleted)}, nil
}

func (w *world) Form(context.Context, postil.FormRequest) (postil.Form, error) {
	return postil.Form{Token: "signed-token", Trap: "phone_7", Limits: postil.DefaultLimits(), Work: w.work, Reactions: postil.DefaultReactions()}, nil
}

func (w *world) React(_ context.Context, _ postil.SiteID, id postil.CommentID, emoji, device, actor string, on bool) (postil.Reacted, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acted = append(w.acted, fmt.Sprint(id, " ", emoji, " ", device, " ", actor, " ", on))
	switch {
	case w.ownErr != nil:
		return postil.Reacted{}, w.ownErr
	case id != 17:
		return postil.Reacted{}, postil.Missing()
	case !on:
		return postil.Reacted{Comment: id, Score: 1, Reactions: map[string]int{"❤": 1}, Version: 44}, nil
	}
	return postil.Reacted{Comment: id, Score: 2, Reactions: map[string]int{"👍": 2, "❤": 1}, Mine: []string{"❤", "👍"}, Version: 43}, nil
}

func (w *world) Report(_ context.Context, r postil.Report, device, actor string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acted = append(w.acted, fmt.Sprint(r.Comment, " ", r.Reason, " ", r.Note, " ", device, " ", actor))
	if w.ownErr == nil && r.Comment != 17 {
		return postil.Missing()
	}
	return w.ownErr
}

func (w *world) Preview(_ context.Context, _ postil.SiteID, text string) (string, []string, error) {
	if text == "unlucky" {
		return "", nil, errors.New("parser stumbled over /srv/secret")
	}
	return "<p>" + strings.ReplaceAll(text, "<", "&lt;") + "</p>", []string{"Two spaces at the end of a line break it."}, nil
}

func (w *world) Author(_ context.Context, bearer string) (*postil.Byline, error) {
	switch bearer {
	case "author-key":
		return &postil.Byline{By: postil.By{Channel: postil.ByREST, Actor: "key:7", Name: "Ann"}, Site: "blog"}, nil
	case "other-site-key":
		return &postil.Byline{By: postil.By{Channel: postil.ByREST, Actor: "key:8"}, Site: "other"}, nil
	}
	return nil, &postil.Error{Kind: postil.KeyRequired, Sentence: "This key is not known."}
}

// allowance is what the limiter of the world hands out.
type allowance struct{ refusal error }

func (a allowance) Err() error         { return a.refusal }
func (allowance) PolicyHeader() string { return `"comments";q=3;w=10` }
func (allowance) StateHeader() string  { return `"comments";r=2;t=10` }

func (allowance) ReturnedHeader() string { return `"comments";r=3;t=10` }

func (w *world) Take(_ context.Context, rule, key string) (Allowance, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took = append(w.took, rule+" "+key)
	return allowance{w.refusal}, w.outage
}

func (w *world) Refund(context.Context, Allowance) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refunds++
	return nil
}

func (w *world) ClientIP(remoteAddr string, _ http.Header) netip.Addr {
	return netip.MustParseAddrPort(remoteAddr).Addr()
}
func (w *world) Actor(_ context.Context, a netip.Addr) string { return "actor-of-" + a.String() }
func (w *world) Bucket(a netip.Addr) string                   { return "bucket-of-" + a.String() }
func (w *world) Network(a netip.Addr) string                  { return "network-of-" + a.String() }

// subscription is a Stream that the test feeds.
type subscription struct {
	posts  []postil.PostID
	actor  string
	ch     chan postil.Notice
	closed chan struct{}
	once   sync.Once
}

func (s *subscription) C() <-chan postil.Notice { return s.ch }
func (s *subscription) Close()                  { s.once.Do(func() { close(s.closed) }) }

func (w *world) Subscribe(_ postil.SiteID, posts []postil.PostID, actor string) (Stream, error) {
	if w.subErr != nil {
		return nil, w.subErr
	}
	s := &subscription{posts: posts, actor: actor, ch: make(chan postil.Notice, 4), closed: make(chan struct{})}
	w.subs <- s
	return s, nil
}

// server returns a server over the world.
func (w *world) server(t testing.TB) *Server {
	t.Helper()
	if w.deps.Pages == nil {
		w.deps.Pages = w.pages()
	}
	s, err := New(slog.New(slog.NewTextHandler(&lockedWriter{w: &w.log}, &slog.HandlerOptions{Level: slog.LevelDebug})), w.cfg, w.deps)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// open serves the world over real HTTP and returns its address.
func (w *world) open(t testing.TB) string {
	t.Helper()
	hs := httptest.NewServer(w.server(t).Handler())
	t.Cleanup(hs.Close)
	return hs.URL
}

const blog = "/api/v1/sites/blog"

// reply is an answer with its body read, decompressed and as text.
type reply struct {
	*http.Response
	text string
}

// ask sends a request. Headers are pairs; a body is sent as JSON unless a
// Content-Type is among them.
func ask(t testing.TB, method, url, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Del(headers[i])
		if headers[i+1] != "" {
			req.Header[http.CanonicalHeaderKey(headers[i])] = strings.Split(headers[i+1], "|")
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var r io.Reader = res.Body
	switch res.Header.Get("Content-Encoding") {
	case "gzip":
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	case "br":
		r = brotli.NewReader(r)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, string(text)}
}

// slug returns the end of the problem's type.
func (r reply) slug(t testing.TB) string {
	t.Helper()
	var p problem
	if err := json.Unmarshal([]byte(r.text), &p); err != nil || r.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("answer %d %q is no problem: %s", r.StatusCode, r.Header.Get("Content-Type"), r.text)
	}
	if p.Status != r.StatusCode || p.Detail == "" || p.Title == "" {
		t.Fatalf("problem is incomplete or has another status than the answer (%d): %s", r.StatusCode, r.text)
	}
	return strings.TrimPrefix(p.Type, problemType)
}

// want checks status and, for a problem, its slug ("" for success).
func (r reply) want(t testing.TB, status int, slug string) reply {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", r.StatusCode, status, r.text)
	}
	if slug != "" && r.slug(t) != slug {
		t.Fatalf("slug %q, want %q: %s", r.slug(t), slug, r.text)
	}
	return r
}

// wantHeader checks header values given as pairs; "" means absent.
func (r reply) wantHeader(t testing.TB, pairs ...string) reply {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := strings.Join(r.Header.Values(pairs[i]), ", "); got != pairs[i+1] {
			t.Errorf("%s: %q, want %q", pairs[i], got, pairs[i+1])
		}
	}
	return r
}

func (w *world) TakeOwn(ctx context.Context, _ postil.Pen, key string) (Allowance, error) {
	return w.Take(ctx, RuleComments, key)
}
