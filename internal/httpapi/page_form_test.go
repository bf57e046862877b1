package httpapi

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
)

const formType = "application/x-www-form-urlencoded"

func serve(t testing.TB, s *Server) string {
	t.Helper()
	hs := httptest.NewServer(s.Handler())
	t.Cleanup(hs.Close)
	return hs.URL
}

var filled = url.Values{"name": {"Cy"}, "email": {"cy@mail.example"}, "website": {"cy.example"}, "text": {"Well\r\n*said*."}, "parent": {"17"}, "token": {"tok"}, "remark_linetok": {""}}

// with returns the filled form with other values.
func with(pairs ...string) string {
	v := url.Values{}
	for name, values := range filled {
		v[name] = values
	}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

func submit(t testing.TB, url, body string, headers ...string) reply {
	t.Helper()
	return ask(t, "POST", url+pagePath, body, append([]string{"Content-Type", formType}, headers...)...)
}

func TestAFormArrivesWhole(t *testing.T) {
	t.Parallel()
	w := newWorld()
	r := submit(t, w.open(t), with("remark_linetok", "spam"), "User-Agent", "<img src=x onerror=1>").want(t, 303, "")
	r.wantHeader(t, "Location", "?post=%2Fposts%2Fhello&sent=1#sent", "Cache-Control", "no-store", "Set-Cookie", "")
	want := postil.Submission{
		Site: "blog", Post: "/posts/hello", ParentID: "17", Name: "Cy", Email: "cy@mail.example", Website: "cy.example", Text: "Well\n*said*.",
		HasForm: true, Token: "tok", Trap: "spam", BodyHash: w.sent[0].BodyHash, Actor: "actor-of-127.0.0.1", Network: "network-of-127.0.0.1", Bucket: "bucket-of-127.0.0.1", UserAgent: "<img src=x onerror=1>",
	}
	if diff := cmp.Diff(want, w.sent[0]); diff != "" || len(want.BodyHash) != 64 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	ask(t, "POST", serve(t, w.server(t))+"/comments/thread/blog", with("post", "/posts/hello"), "Content-Type", formType+"; charset=utf-8").want(t, 303, "")
}

func TestTheSharedFormHasATrapToo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	address := w.open(t)
	sent := fields(inspect(t, ask(t, "GET", address+pagePath, "").text))
	for _, name := range []string{"text", "name", "email", "website", "remark_line"} {
		if !sent.Has(name) {
			t.Errorf("the form has no field %s", name)
		}
		sent.Set(name, "x@y.example")
	}
	submit(t, address, sent.Encode()).want(t, 303, "")
	if w.sent[0].Trap == "" || w.sent[0].Token != "" || w.sent[0].ParentID != "" {
		t.Errorf("%+v", w.sent[0])
	}
}

func TestAPreviewKeepsTheTextAndGivesAToken(t *testing.T) {
	t.Parallel()
	w := newWorld()
	address := w.open(t)
	r := submit(t, address, with("preview", "1", "token", "")).want(t, 200, "").wantHeader(t, "Cache-Control", "no-store")
	root := inspect(t, r.text)
	if got := text(byID(root, "preview")); got != "This is how it will look Well *said*." {
		t.Errorf("preview: %q", got)
	}
	sent := fields(root)
	want := url.Values{"name": {"Cy"}, "email": {"cy@mail.example"}, "website": {"cy.example"}, "text": {"Well\n*said*."}, "parent": {"17"}, "token": {"signed-token"}, "remark_linesigned-token": {""}}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{RulePreview + " actor-of-127.0.0.1"}, w.took); diff != "" || len(w.sent) != 0 {
		t.Error(diff, w.sent)
	}
	if kept := fields(inspect(t, submit(t, address, with("preview", "1")).text)).Get("token"); kept != "tok" {
		t.Errorf("the token became %q", kept)
	}
	inspect(t, submit(t, address, with("preview", "1", "text", "<details open ontoggle=alert(1)>")).want(t, 200, "").text)
}

// The decision table of Origin is that of every write, see admit.
func TestTheFormObeysTheOriginTable_AUTH_04_AUTH_14(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"no browser", nil, 303},
		{"own page", []string{"Origin", "https://talk.example", "Sec-Fetch-Site", "same-origin"}, 303},
		{"the blog", []string{"Origin", "https://blog.example", "Sec-Fetch-Site", "cross-site"}, 303},
		{"no Referer", []string{"Origin", "https://talk.example", "Referer", ""}, 303},
		{"proxy rewrites Host", []string{"Origin", "https://talk.example", "X-Forwarded-Host", "inner"}, 303},
		{"null", []string{"Origin", "null"}, 403},
		{"foreign", []string{"Origin", "https://evil.example"}, 403},
		{"hidden", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"two", []string{"Origin", "https://blog.example|https://evil.example"}, 403},
		{"nonsense", []string{"Origin", "%%%"}, 403},
		{"foreign text/plain", []string{"Origin", "https://evil.example", "Content-Type", "text/plain"}, 403},
		{"foreign multipart", []string{"Origin", "null", "Content-Type", "multipart/form-data; boundary=x"}, 403},
		{"text/plain", []string{"Content-Type", "text/plain"}, 415},
		{"multipart", []string{"Content-Type", "multipart/form-data; boundary=x"}, 415},
		{"JSON", []string{"Content-Type", "application/json"}, 415},
		{"nothing", []string{"Content-Type", ""}, 415},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			for _, body := range []string{with(), with("preview", "1")} {
				status := c.status
				if status == 303 && strings.Contains(body, "preview") {
					status = 200
				}
				r := submit(t, w.open(t), body, c.headers...).want(t, status, "").wantHeader(t, "Access-Control-Allow-Origin", "")
				if status >= 400 && (len(w.sent) != 0 || len(w.took) != 0 || strings.Contains(r.text, "said")) {
					t.Errorf("something came through: %s", r.text)
				}
				if status != 303 {
					inspect(t, r.text)
				}
			}
		})
	}
}

func TestWhatIsRefusedComesBackWithItsText_UX_01(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*world)
		body    string
		status  int
		field   string // where the sentence stands, "" for above the form
		says    string
	}{
		"no name":             {nil, with("name", " "), 422, "name", "Write your name first: it needs at least one character that can be seen."},
		"no text":             {nil, with("text", ""), 422, "text", "Write a comment first."},
		"no preview":          {nil, with("text", " ", "preview", "1"), 422, "text", "Write a comment first."},
		"long text":           {nil, with("text", strings.Repeat("é", 8312)), 422, "text", "That is 8,312 characters; 8,000 fit. Shorten it a little and send again."},
		"bad website":         {func(w *world) { w.check = postil.InvalidField("author.website", "A website is a full web address.") }, with("website", `x"></a><img src=q onerror=1>`), 422, "website", "A website is a full web address."},
		"bad mail":            {func(w *world) { w.check = postil.InvalidField("author.email", "That is no address.") }, with("email", "cy"), 422, "email", "That is no address."},
		"bad parent":          {func(w *world) { w.check = postil.InvalidField("parent_id", "No such comment.") }, with("parent", "<b>"), 422, "", "No such comment."},
		"foreign post":        {nil, with("post", "https://other.example/"), 422, "", ""},
		"closed":              {func(w *world) { w.accept = postil.Refuse("post-closed", "Comments on this post are closed.") }, with(), 403, "", "Comments on this post are closed."},
		"not saved":           {func(w *world) { w.accept = errors.New("database is locked") }, with(), 503, "", "That could not be saved just now. Keep your text and send it again in a few seconds."},
		"too large":           {nil, with("text", strings.Repeat("x", maxBody)), 413, "", tooLarge().Sentence},
		"preview fails":       {nil, with("text", "unlucky", "preview", "1"), 500, "", "Something went wrong on our side. Try again in a moment; if it stays, tell the owner of the site."},
		"nothing can be read": {func(w *world) { w.readErr, w.accept = errors.New("no cache"), errors.New("no store") }, with(), 503, "", "That could not be saved just now. Keep your text and send it again in a few seconds."},
		"too often": {func(w *world) {
			w.refusal = &postil.Error{Kind: postil.Throttled, RetryAfter: 7 * time.Second, Sentence: "That was a little too much at once."}
		}, with(), 429, "", "That was a little too much at once."},
		"preview too often": {func(w *world) {
			w.refusal = &postil.Error{Kind: postil.Throttled, RetryAfter: 7 * time.Second, Sentence: "That was a little too much at once."}
		}, with("preview", "1"), 429, "", "That was a little too much at once."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			if c.prepare != nil {
				c.prepare(w)
			}
			r := submit(t, w.open(t), c.body).want(t, c.status, "").wantHeader(t, "Cache-Control", "no-store")
			if c.status == 429 {
				r.wantHeader(t, "Retry-After", "7", "RateLimit", `"comments";r=2;t=10`)
			}
			root := inspect(t, r.text)
			sent, want := fields(root), mustQuery(t, c.body)
			for _, field := range []string{"text", "name", "email", "website", "parent", "token"} {
				if field != "text" && sent.Get(field) != want.Get(field) || sent.Get("text") != typed(want.Get("text")) {
					t.Errorf("%s became %.80q", field, sent.Get(field))
				}
			}
			if c.field == "" {
				if !strings.Contains(text(root), c.says) {
					t.Errorf("the page does not say %q: %.600s", c.says, text(root))
				}
				return
			}
			input := byID(root, "f-"+c.field)
			if slip := byID(root, attr(input, "aria-describedby")); slip == nil || text(slip) != c.says || attr(input, "aria-invalid") != "true" {
				t.Errorf("the field %s does not say %q: %.600s", c.field, c.says, text(root))
			}
		})
	}
}

func mustQuery(t testing.TB, s string) url.Values {
	t.Helper()
	q, err := url.ParseQuery(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestNoTextIsChangedByComingBack_UX_01(t *testing.T) {
	t.Parallel()
	p := newWorld().pages()
	rapid.Check(t, func(t *rapid.T) {
		keep := func(s string) string { // what no document can hold
			return strings.NewReplacer("\x00", "", "\r", "").Replace(strings.ToValidUTF8(s, "\uFFFD"))
		}
		d := draft{text: keep(hostileText().Draw(t, "text")), name: keep(hostileText().Draw(t, "name")), parent: "x" + keep(hostileText().Draw(t, "parent"))}
		form := formData{Here: "?post=%2F"}
		form.fill(d, &problem{Field: "author.name", Detail: keep(hostileText().Draw(t, "detail"))})
		sent := fields(inspect(t, string(p.execute("form", form))))
		if sent.Get("text") != d.text || sent.Get("name") != d.name || sent.Get("parent") != d.parent {
			t.Fatalf("%q, %q, %q became %q", d.text, d.name, d.parent, sent)
		}
	})
}

func TestABodyThatIsNoFormIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld()
	address := w.open(t)
	submit(t, address, "%zz").want(t, 400, "")
	submit(t, address, "text="+strings.Repeat("x", maxKept)).want(t, 413, "")
	ask(t, "POST", address+"/thread/nobody?post=/", with(), "Content-Type", formType).want(t, 404, "")
	ask(t, "POST", address+"/thread/blog", with(), "Content-Type", formType).want(t, 422, "")
	if len(w.sent) != 0 || len(w.took) != 0 {
		t.Errorf("sent %v, took %v", w.sent, w.took)
	}
}
