package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/intake"
	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/netid"
	"github.com/postil/postil/internal/pageview"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/qlog"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/token"
)

// booth is the light backend as it stands in a service: real store, counter,
// log, limits and addresses. Its sites are "blog", the default, and "other".
type booth struct {
	store *store.Store
	views *pageview.Counter
	url   string
	keys  *token.Keys
	proxy *netid.Resolver
	limit *limit.Limiter
	down  atomic.Bool // the store and the limiter cannot be asked
	slow  atomic.Int64
}

var errDown = errors.New("down")

func newBooth(t testing.TB) *booth {
	t.Helper()
	b := &booth{keys: token.NewKeys(token.NewSecret(strings.Repeat("s", 32))), limit: limit.New(now, 0)}
	b.store = runningStore(t, now)
	for i, id := range []postil.SiteID{"blog", "other"} {
		v := postil.Site{ID: id, Policy: postil.HoldAll, Origins: []string{"https://" + string(id) + ".example"}}
		if _, err := b.store.AddSite(ctx, v, setup); err != nil {
			t.Fatal(i, err)
		}
	}
	var err error
	if b.proxy, _, err = netid.NewResolver([]string{"127.0.0.1"}, ""); err != nil {
		t.Fatal(err)
	}
	b.views = pageview.New(quiet, b, "node", now)
	b.url = serve(t, b.server(t).Handler())
	return b
}

func now(context.Context) time.Time { return time.Now() }

func (b *booth) server(t testing.TB) *httpapi.Server {
	sites := intake.NewDirectory(b)
	s, err := httpapi.New(quiet, httpapi.Config{PublicURL: "https://talk.example/comments/"}, httpapi.Deps{
		Sites: sites, Intake: &intake.Intake{}, Authors: &intake.Intake{}, Streams: noStreams{}, Posts: noPosts{}, Limiter: b, Clients: b,
		Read:  func(context.Context, postil.View, int64) (httpapi.Page, error) { return nil, postil.Missing() },
		Ready: func(context.Context) httpapi.Report { return httpapi.Report{Status: "ok", Accepting: true} },
		Admin: httpapi.Admin{Authenticator: auth.NewKeys(quiet, b.store, token.NewSecret(bootstrap), now)},
		Light: httpapi.Light{DefaultSite: b.defaultSite, Views: b.views, Trends: b.store, Questions: qlog.New(b.shelf(), now)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (b *booth) trouble() error {
	if b.down.Load() {
		return errDown
	}
	return nil
}

func (b *booth) defaultSite(context.Context) (postil.SiteID, error) { return "blog", b.trouble() }

func (b *booth) Site(ctx context.Context, id postil.SiteID) (postil.Site, error) {
	if err := b.trouble(); err != nil {
		return postil.Site{}, err
	}
	return b.store.Site(ctx, id)
}

func (b *booth) AddViews(ctx context.Context, writer string, batch int64, sums []postil.HourViews) error {
	time.Sleep(time.Duration(b.slow.Load()))
	if err := b.trouble(); err != nil {
		return err
	}
	return b.store.AddViews(ctx, writer, batch, sums)
}

func (b *booth) Views(ctx context.Context, site postil.SiteID, post postil.PostID, writer string) (int64, int64, error) {
	if err := b.trouble(); err != nil {
		return 0, 0, err
	}
	return b.store.Views(ctx, site, post, writer)
}

// shelf is the store for questions, which may be down alone.
func (b *booth) shelf() qlog.Shelf { return shelf{b.store, b} }

type shelf struct {
	*store.Store
	b *booth
}

func (s shelf) AddQuestion(ctx context.Context, v postil.Question, folded string) error {
	if err := s.b.trouble(); err != nil {
		return err
	}
	return s.Store.AddQuestion(ctx, v, folded)
}

func (b *booth) Take(ctx context.Context, rule, key string) (httpapi.Allowance, error) {
	if err := b.trouble(); err != nil {
		return nil, err
	}
	r := limit.Rule{Name: rule}
	for _, rate := range settings.Defaults().Routes()[rule] {
		r.Rates = append(r.Rates, limit.Rate(rate))
	}
	return b.limit.Take(ctx, r, key)
}

func (b *booth) Refund(ctx context.Context, taken httpapi.Allowance) error {
	return b.limit.Refund(ctx, taken.(limit.Result))
}

func (b *booth) ClientIP(remote string, h http.Header) netip.Addr {
	return b.proxy.ClientIP(remote, h)
}

func (b *booth) Actor(ctx context.Context, client netip.Addr) string {
	return b.keys.Actor(netid.Bucket(client), now(ctx))
}

func (b *booth) Network(client netip.Addr) string { return b.keys.NetworkID(netid.Network(client)) }
func (b *booth) Bucket(netip.Addr) string         { return "bucket" }

// sender is a kind of client: what it says beside the request.
type sender struct {
	name string
	h    http.Header
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// senders are curl as it sends "-d", fetch and navigator.sendBeacon of a page
// of the blog, and a server of the blog that counts for its readers.
var senders = []sender{
	{"curl", http.Header{"User-Agent": {"curl/8.5.0"}, "Accept": {"*/*"}, "Content-Type": {"application/x-www-form-urlencoded"}}},
	{"fetch", http.Header{"User-Agent": {firefox}, "Origin": {"https://blog.example"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"cors"}, "Content-Type": {"application/json"}}},
	{"sendBeacon", http.Header{"User-Agent": {firefox}, "Origin": {"https://blog.example"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}, "Content-Type": {"text/plain;charset=UTF-8"}}},
	{"a server", http.Header{"User-Agent": {"Go-http-client/1.1"}}},
}

// send sends a request as a client at an address of its own.
func (b *booth) send(t testing.TB, s sender, client, method, path, body string) told {
	t.Helper()
	h := s.h.Clone()
	h.Set("X-Forwarded-For", client)
	return roundTrip(t, method, b.url+path, h, body)
}

// is compares an answer with the contract, byte for byte.
func (r told) is(t testing.TB, status int, body string) told {
	t.Helper()
	if r.StatusCode != status || r.text != body || r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%s %s: %d %s %q, want %d %q", r.Request.Method, r.Request.URL, r.StatusCode, r.Header.Get("Content-Type"), r.text, status, body)
	}
	return r
}

const (
	viewAccepted = `{"accepted":true}`
	badPath      = `{"error":"invalid_path"}`
	badQuestion  = `{"error":"question_must_be_1_to_1000_chars"}`
	notFound     = `{"error":"not_found"}`
	unavailable  = `{"error":"temporarily_unavailable"}`
)

var questionKept = regexp.MustCompile(`^\{"accepted":true,"id":"\d{4}-\d\d-\d\d-[a-z2-7]{16}"\}$`)

func TestTheLightEndpointsAnswerByteForByte(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n) }
	for i, s := range senders {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t)
			client := fmt.Sprintf("198.51.100.%d", i)
			for _, c := range []struct {
				method, path, body string
				status             int
				want               string
			}{
				{"POST", "/api/view", `{"path":"/posts/kv"}`, 202, viewAccepted},
				{"POST", "/comments/api/view", `{"path":"/posts/kv","more":[1,{}]}`, 202, viewAccepted},
				{"GET", "/api/views?path=/posts/kv", "", 200, `{"path":"/posts/kv","count":1}`},
				{"GET", "/comments/api/views?path=%2Fposts%2Fkv%2F%3Futm_source%3Dx%23top", "", 200, `{"path":"/posts/kv","count":1}`},
				{"GET", "/api/views?path=/nobody/read/this", "", 200, `{"path":"/nobody/read/this","count":0}`},
				{"GET", "/api/views?path=/", "", 200, `{"path":"/","count":0}`},
				{"GET", "/api/views?path=/a%3Fb%3D%3Cc%3E%26d", "", 200, `{"path":"/a?b=<c>&d","count":0}`},
				{"GET", "/api/views?path=/posts/kv&site=other", "", 200, `{"path":"/posts/kv","count":0}`},
				{"GET", "/api/views?path=/posts/kv&site=nowhere", "", 404, notFound},
				{"GET", "/api/views?path=/posts/kv&site=NO%20SITE", "", 404, notFound},

				// Paths.
				{"POST", "/api/view", `{"path":"/` + long(199) + `"}`, 202, viewAccepted},
				{"POST", "/api/view", `{"path":"/` + long(200) + `"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"/` + strings.Repeat("😀", 199) + `"}`, 202, viewAccepted},
				{"POST", "/api/view", `{"path":"/` + strings.Repeat("%F0%9F%98%80", 199) + `"}`, 202, viewAccepted},
				{"POST", "/api/view", `{"path":"/` + strings.Repeat("%F0%9F%98%80", 200) + `"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"/` + long(199) + `////?utm_campaign=` + long(300) + `#` + long(300) + `"}`, 202, viewAccepted},
				{"POST", "/api/view", `{"path":"/` + long(600) + `"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"//evil"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"//evil.example/posts/kv"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"/\\evil.example"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"\\evil.example"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"/\t/evil.example"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"https://blog.example/posts/kv"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"posts/kv"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"#/kv"}`, 400, badPath},
				{"POST", "/api/view", `{"path":" /posts/kv"}`, 400, badPath},
				{"POST", "/api/view", `{"path":"/a\u0000b"}`, 400, badPath},
				{"POST", "/api/view", `{"path":""}`, 400, badPath},
				{"GET", "/api/views", "", 400, badPath},
				{"GET", "/api/views?path=", "", 400, badPath},
				{"GET", "/api/views?path=//evil", "", 400, badPath},
				{"GET", "/api/views?path=https://blog.example/", "", 400, badPath},
				{"GET", "/api/views?path=/" + long(200), "", 400, badPath},
				{"GET", "/api/views?path=/%zz", "", 400, badPath},
				{"GET", "/api/views?path=/a%00b", "", 400, badPath},

				// Bodies that are no object, or not the right one.
				{"POST", "/api/view", "", 400, badPath},
				{"POST", "/api/view", "null", 400, badPath},
				{"POST", "/api/view", `[{"path":"/a"}]`, 400, badPath},
				{"POST", "/api/view", `"/a"`, 400, badPath},
				{"POST", "/api/view", `{"path":"/a"`, 400, badPath},
				{"POST", "/api/view", `{"path":"/a"} {}`, 400, badPath},
				{"POST", "/api/view", `{"path":7}`, 400, badPath},
				{"POST", "/api/view", `{"path":null}`, 400, badPath},
				{"POST", "/api/view", `{"Path":"/a"}`, 400, badPath},
				{"POST", "/api/view", "path=%2Fa", 400, badPath},
				{"POST", "/api/view", `{"path":"/a","x":"` + long(128<<10) + `"}`, 413, `{"error":"too_large"}`},
				{"POST", "/api/qlog", `{"question":"` + long(128<<10) + `"}`, 413, `{"error":"too_large"}`},

				// Questions.
				{"POST", "/api/qlog", `{}`, 400, badQuestion},
				{"POST", "/api/qlog", `why?`, 400, badQuestion},
				{"POST", "/api/qlog", `{"question":["why?"]}`, 400, badQuestion},
				{"POST", "/api/qlog", `{"question":""}`, 400, badQuestion},
				{"POST", "/api/qlog", `{"question":" \n\t\u00a0\u3000\ufeff "}`, 400, badQuestion},
				{"POST", "/api/qlog", `{"question":"` + long(1001) + `"}`, 400, badQuestion},
				{"POST", "/api/qlog", `{"question":"` + strings.Repeat("😀", 1001) + `"}`, 400, badQuestion},
				{"POST", "/api/qlog?site=nowhere", `{"question":"Why?"}`, 404, notFound},
				{"POST", "/api/qlog?site=%zz", `{"question":"Why?"}`, 404, notFound},

				// Methods and addresses.
				{"GET", "/api/view", "", 404, notFound},
				{"PUT", "/api/view", `{"path":"/a"}`, 404, notFound},
				{"DELETE", "/api/views?path=/a", "", 404, notFound},
				{"POST", "/api/views", `{"path":"/a"}`, 404, notFound},
				{"GET", "/api/qlog", "", 404, notFound},
				{"OPTIONS", "/api/qlog", "", 404, notFound},
				{"OPTIONS", "/api/views", "", 404, notFound},
				{"GET", "/api/", "", 404, notFound},
				{"GET", "/api/unknown", "", 404, notFound},
				{"POST", "/comments/api/view/", `{"path":"/a"}`, 404, notFound},
				{"PATCH", "/api/view", `{"path":"/a"}`, 404, notFound},
			} {
				r := b.send(t, s, client, c.method, c.path, c.body).is(t, c.status, c.want)
				if r.Header.Get("Allow") != "" || r.Header.Get("X-Request-Id") == "" {
					t.Errorf("%s %s: headers %v", c.method, c.path, r.Header)
				}
			}
			b.send(t, s, client, "POST", "/api/qlog", `{"question":"  `+strings.Repeat("😀", 1000)+` "}`).isKept(t)
		})
	}
}

func (r told) isKept(t testing.TB) told {
	t.Helper()
	if r.StatusCode != 201 || !questionKept.MatchString(r.text) || r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%d %s %s", r.StatusCode, r.Header.Get("Content-Type"), r.text)
	}
	return r
}

func TestURL_05_EverySpellingOfAPathIsOneNumber(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	spellings := []string{"/posts/中文/é", "/posts/%E4%B8%AD%E6%96%87/%C3%A9", "/posts/%e4%b8%ad%e6%96%87/%c3%a9", "/posts/中%E6%96%87/e\u0301", "/posts//中文/./é/", "/posts/中文/é/index.html?fbclid=1#top"}
	for i, path := range spellings {
		b.send(t, senders[1], fmt.Sprintf("203.0.113.%d", i), "POST", "/api/view", fmt.Sprintf(`{"path":%q}`, path)).is(t, 202, viewAccepted)
	}
	const want = `{"path":"/posts/中文/é","count":6}`
	escaped := strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", "中", "%E4%B8%AD", "文", "%E6%96%87", "é", "%C3%A9", "\u0301", "%CC%81")
	for _, path := range spellings {
		b.send(t, senders[0], "203.0.113.99", "GET", "/api/views?path="+escaped.Replace(path), "").is(t, 200, want)
	}
	b.send(t, senders[0], "203.0.113.99", "GET", "/api/views?path=/posts/%E4%B8%AD%E6%96%87/%C3%A9", "").is(t, 200, want)
	b.send(t, senders[0], "203.0.113.99", "GET", "/api/views?path=/posts/%e4%b8%ad%e6%96%87/%c3%a9", "").is(t, 200, want)
}

func TestPRIV_05_AReaderCountsOnceADayAndRobotsNever(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	const page = `{"path":"/posts/kv"}`
	person := senders[1]
	for range 20 {
		b.send(t, person, "203.0.113.1", "POST", "/api/view", page).is(t, 202, viewAccepted)
	}
	b.send(t, person, "2001:db8::1", "POST", "/api/view", page).is(t, 202, viewAccepted)
	b.send(t, person, "2001:db8::2", "POST", "/api/view", page).is(t, 202, viewAccepted) // the same subscriber
	for i, h := range []http.Header{
		{"User-Agent": {"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}},
		{"User-Agent": {"TelegramBot (like TwitterBot)"}},
		{"User-Agent": {firefox}, "Sec-Purpose": {"prefetch"}},
		{"User-Agent": {firefox}, "Sec-Purpose": {"prefetch;prerender"}},
		{"User-Agent": {firefox}, "Purpose": {"prefetch"}},
		{"User-Agent": {firefox}, "X-Purpose": {"preview"}},
		{"User-Agent": {firefox}, "X-Moz": {"prefetch"}},
		{"User-Agent": {firefox}, "Authorization": {"Bearer " + bootstrap}},
	} {
		b.send(t, sender{"", h}, fmt.Sprintf("203.0.113.%d", 10+i), "POST", "/api/view", page).is(t, 202, viewAccepted)
	}
	b.send(t, person, "203.0.113.1", "GET", "/api/views?path=/posts/kv", "").is(t, 200, `{"path":"/posts/kv","count":2}`)
	if c := b.send(t, person, "203.0.113.1", "POST", "/api/view", page).Cookies(); len(c) != 0 {
		t.Errorf("cookies: %v", c)
	}
	// Reading a number changes none; a stranger's key is no owner.
	b.send(t, sender{"", http.Header{"Authorization": {"Bearer nonsense"}}}, "203.0.113.77", "POST", "/api/view", page).is(t, 202, viewAccepted)
	b.send(t, person, "203.0.113.1", "GET", "/api/views?path=/posts/kv", "").is(t, 200, `{"path":"/posts/kv","count":3}`)
}

func TestTwoHundredVisitorsAtOnceAreTwoHundred(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	var all sync.WaitGroup
	turn := make(chan int, 200)
	for i := range 200 {
		turn <- i
	}
	close(turn)
	for range 64 {
		all.Go(func() {
			for i := range turn {
				b.send(t, senders[2], fmt.Sprintf("203.0.113.%d", i), "POST", "/api/view", `{"path":"/rush"}`).is(t, 202, viewAccepted)
			}
		})
	}
	all.Wait()
	b.send(t, senders[0], "192.0.2.1", "GET", "/api/views?path=/rush", "").is(t, 200, `{"path":"/rush","count":200}`)
}

// A view is taken whatever happens behind it, a question only when it is kept,
// and a number is never invented.
func TestTroubleFailsAsEachPromises(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	const page, question = `{"path":"/posts/kv"}`, `{"question":"Why?"}`
	b.send(t, senders[1], "203.0.113.1", "POST", "/api/view", page).is(t, 202, viewAccepted)
	b.down.Store(true)
	for _, s := range senders {
		b.send(t, s, "203.0.113.2", "POST", "/api/view", page).is(t, 202, viewAccepted)
		b.send(t, s, "203.0.113.2", "POST", "/api/view?site=other", page).is(t, 202, viewAccepted)
		b.send(t, s, "203.0.113.2", "POST", "/api/view", `{"path":"//evil"}`).is(t, 400, badPath)
		b.send(t, s, "203.0.113.2", "GET", "/api/views?path=/posts/kv", "").is(t, 503, unavailable)
		r := b.send(t, s, "203.0.113.2", "POST", "/api/qlog", question).is(t, 503, unavailable)
		if r.Header.Get("Retry-After") == "" {
			t.Error("503 says no time")
		}
	}
	b.down.Store(false)
	if p, err := b.store.Questions(ctx, postil.QuestionFilter{}); err != nil || len(p.Questions) != 0 {
		t.Errorf("refused questions are there: %v, %v", p.Questions, err)
	}
	for i := range 10 { // what was refused has not used up the allowance
		b.send(t, senders[1], "203.0.113.2", "POST", "/api/qlog", fmt.Sprintf(`{"question":"Why %d?"}`, i)).isKept(t)
	}
}

func TestASlowStoreDelaysNoPage(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.slow.Store(int64(2 * time.Second))
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- b.views.Run(running) }()
	start := time.Now()
	for i := range 20 {
		b.send(t, senders[1], fmt.Sprintf("203.0.113.%d", i), "POST", "/api/view", `{"path":"/slow"}`).is(t, 202, viewAccepted)
	}
	stop() // the last batch is on its way for two seconds
	b.send(t, senders[1], "203.0.113.50", "POST", "/api/view", `{"path":"/other"}`).is(t, 202, viewAccepted)
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("21 pages took %s", took)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n, _, err := b.store.Views(ctx, "blog", "/slow", "node"); err != nil || n != 20 {
		t.Errorf("%d are stored, %v", n, err)
	}
}

func TestTenQuestionsAMinuteAndNotOneMore(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	var kept, limited atomic.Int32
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			b.send(t, senders[1], "203.0.113.1", "POST", "/api/qlog", `{"question":" "}`).is(t, 400, badQuestion) // costs nothing
			r := b.send(t, senders[1], "203.0.113.1", "POST", "/api/qlog", fmt.Sprintf(`{"question":"Why %d?"}`, i))
			if r.StatusCode == 201 {
				kept.Add(1)
				r.isKept(t)
				return
			}
			limited.Add(1)
			r.is(t, 429, `{"error":"rate_limited"}`)
			if r.Header.Get("Retry-After") == "" || !strings.Contains(r.Header.Get("RateLimit-Policy"), `"questions";q=10;w=60`) {
				t.Errorf("headers: %v", r.Header)
			}
		})
	}
	all.Wait()
	if kept.Load() != 10 || limited.Load() != 54 {
		t.Errorf("%d kept, %d limited", kept.Load(), limited.Load())
	}
	b.send(t, senders[1], "203.0.113.2", "POST", "/api/qlog", `{"question":"And me?"}`).isKept(t)
	p, err := b.store.Questions(ctx, postil.QuestionFilter{Limit: 100})
	if err != nil || len(p.Questions) != 11 {
		t.Errorf("%d questions are kept, %v", len(p.Questions), err)
	}
}

func TestCACHE_04_WhatIsNotPublicIsInNoNumber(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	for i := range 3 {
		if _, err := b.store.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/posts/kv"}, Text: fmt.Sprint(i), Nonce: "n"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	b.send(t, senders[0], "203.0.113.1", "GET", "/api/views?path=/posts/kv", "").is(t, 200, `{"path":"/posts/kv","count":0}`)
}

func BenchmarkAView(b *testing.B) {
	booth := newBooth(b)
	h := booth.server(b).Handler()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := httptest.NewRequest("POST", "/api/view", strings.NewReader(`{"path":"/posts/kv"}`))
		r.RemoteAddr = "127.0.0.1:1"
		r.Header = http.Header{"User-Agent": {firefox}, "Origin": {"https://blog.example"}, "X-Forwarded-For": {netip.AddrFrom4([4]byte{198, byte(i >> 16), byte(i >> 8), byte(i)}).String()}}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != 202 {
			b.Fatal(w.Code, w.Body)
		}
	}
}

// noPosts is for what opens no streams.
type noPosts struct{}

func (noPosts) Post(context.Context, postil.SiteID, postil.PostID) (postil.Post, error) {
	return postil.Post{}, postil.Missing()
}

func (b *booth) Redirects(context.Context, postil.SiteID) (map[postil.PostID]postil.PostID, error) {
	return nil, nil
}

func (b *booth) TakeOwn(ctx context.Context, _ postil.Pen, key string) (httpapi.Allowance, error) {
	return b.Take(ctx, httpapi.RuleComments, key)
}
