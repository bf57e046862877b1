package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

const helloPath = blog + "/comments?post=/posts/hello"

func TestAReadCarriesExactlyTheSharedHeaders_CACHE_07(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for _, path := range []string{helloPath, blog + "/counts?post=/posts/hello", blog + "/recent"} {
		r := ask(t, "GET", url+path, "", "X-Request-Id", "mine", "Cookie", "session=1", "Origin", "https://anybody.example").want(t, 200, "")
		r.wantHeader(t, "Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", "Date, Age", "Vary", "Accept-Encoding", "Content-Type", "application/json",
			"Cache-Control", "public, max-age=0, s-maxage=1, stale-while-revalidate=5, stale-if-error=60")
		want := []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Date", "Etag", "Vary", "X-Content-Type-Options"}
		var got []string
		for name := range r.Header {
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Contains(got, "Connection") {
			got = append(got, "Connection")
			slices.Sort(got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", path, diff)
		}
	}
}

func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	tag := ask(t, "GET", url+helloPath, "").Header.Get("Etag")
	if !strings.HasPrefix(tag, `"`) {
		t.Fatalf("%q is no strong validator", tag)
	}
	for header, status := range map[string]int{
		tag: 304, "W/" + tag: 304, "*": 304, `"other", ` + tag: 304, `"other",W/` + tag + `, "more"`: 304, `"other"|` + tag: 304,
		`"other"`: 200, strings.Trim(tag, `"`): 200, "": 200, "W/": 200, `"`: 200, ",,,": 200,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			r := ask(t, method, url+helloPath, "", "If-None-Match", header).want(t, status, "")
			r.wantHeader(t, "Etag", tag, "Access-Control-Allow-Origin", "*", "Vary", "Accept-Encoding", "Cache-Control", shared[0])
			if status == 304 || method == "HEAD" {
				if r.text != "" {
					t.Errorf("%s %s has a body: %s", method, header, r.text)
				}
			}
			if status == 200 && r.ContentLength <= 0 {
				t.Errorf("%s has no length", method)
			}
		}
	}
	if other := ask(t, "GET", url+helloPath, "", "Accept-Encoding", "br").Header.Get("Etag"); other == tag {
		t.Error("two codings share a validator")
	}
}

func TestContentCodingFollowsTheQuality(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	plain := ask(t, "GET", url+helloPath, "").text
	for accept, want := range map[string]string{
		"gzip, deflate, br, zstd": "br", "gzip, deflate, br": "br", "gzip": "gzip", "br": "br", "": "", "identity": "",
		"gzip;q=1.0, br;q=0.5": "gzip", "br;q=0, gzip": "gzip", "gzip;q=0": "", "*": "br", "*;q=0": "", "br;q=0, *": "gzip",
		"GZIP": "gzip", "x-gzip": "gzip", "deflate": "", "br;q=0.4, identity;q=0.9": "", "gzip;q=nonsense": "", "gzip;q=2": "",
		"gzip;q=NaN": "", "gzip ; q=0.2 , br ; q=0.3": "br", ";;;,,,=": "", "gzip|br": "br", "identity;q=0, gzip;q=0.1": "gzip",
	} {
		r := ask(t, "GET", url+helloPath, "", "Accept-Encoding", accept).want(t, 200, "").wantHeader(t, "Content-Encoding", want)
		if r.text != plain {
			t.Errorf("%q: another body", accept)
		}
	}
}

func TestVersionAsksForANewerAnswerAndIsNotStored(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for v, want := range map[string]int64{"43": 43, "0": 0, "99999999999999999999999": 1<<63 - 1} {
		ask(t, "GET", url+helloPath+"&v="+v, "").want(t, 200, "").wantHeader(t, "Cache-Control", "no-store")
		if got := w.reads[len(w.reads)-1].atLeast; got != want {
			t.Errorf("v=%s asked for %d", v, got)
		}
	}
	tag := ask(t, "GET", url+helloPath, "").Header.Get("Etag")
	ask(t, "GET", url+helloPath+"&v=42", "", "If-None-Match", tag).want(t, 304, "").wantHeader(t, "Cache-Control", "no-store")
}

func TestTheQueryOfAThreadIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for query, field := range map[string]string{
		"": "post", "post=/&limit=0": "limit", "post=/&limit=201": "limit", "post=/&limit=-1": "limit", "post=/&limit=ten": "limit", "post=/&limit=": "limit",
		"post=/&limit=1e3": "limit", "post=/&limit=99999999999999999999": "limit", "post=/&sort=random": "sort", "post=/&sort=OLDEST": "sort",
		"post=/&v=new": "v", "post=/&v=-1": "v", "post=/&cursor=" + strings.Repeat("c", 513): "cursor", "post=/&cursor=abc&focus=17": "cursor",
		"post=%zz": "query", "post=/a;b": "query", "post=" + strings.Repeat("x", 513): "post", "post=a%00b": "post", "post=http://": "post",
	} {
		r := ask(t, "GET", url+blog+"/comments?"+query, "").want(t, 400, "invalid").wantHeader(t, "Access-Control-Allow-Origin", "*", "Cache-Control", "no-store")
		var p problem
		if err := json.Unmarshal([]byte(r.text), &p); err != nil || p.Field != field {
			t.Errorf("%q: field %q, want %q", query, p.Field, field)
		}
	}
	if len(w.reads) != 0 {
		t.Errorf("bad queries were read: %v", w.reads)
	}
}

func TestAQueryBecomesOneView_URL_01_URL_04_URL_08(t *testing.T) {
	t.Parallel()
	usual := postil.View{Kind: postil.ThreadView, Site: "blog", Post: "/p/1", Sort: postil.Oldest, Limit: 50}
	with := func(change func(*postil.View)) postil.View { v := usual; change(&v); return v }
	for query, want := range map[string]postil.View{
		"post=/p/1":                      usual,
		"post=/p/1&sort=oldest&limit=50": usual,
		"post=/p/1&sort=&cursor=&focus=": usual,
		"post=%2Fp%2F1%2F&utm_source=x":  usual,
		"post=https%3A%2F%2Fblog.example%2Fp%2F1%3Ffbclid%3Dabc%26utm_source%3Dx": usual,
		"post=http://WWW.blog.example:80//p//1/":                                  usual,
		"post=/p/1&sort=newest&limit=200&cursor=abc":                              with(func(v *postil.View) { v.Sort, v.Limit, v.Cursor = postil.Newest, 200, "abc" }),
		"post=/p/1&focus=17&sort=top&limit=1":                                     with(func(v *postil.View) { v.Sort, v.Limit, v.Focus = postil.Top, 1, 17 }),
		"post=":                                                                   with(func(v *postil.View) { v.Post = "/" }),
		"post=%20%20":                                                             with(func(v *postil.View) { v.Post = "/" }),
		"post=/?p=12":                                                             with(func(v *postil.View) { v.Post = "/?p=12" }),
		"post=%23/a":                                                              with(func(v *postil.View) { v.Post = "#/a" }),
	} {
		w := newWorld()
		ask(t, "GET", w.open(t)+blog+"/comments?"+query, "").want(t, 200, "")
		if diff := cmp.Diff(want, w.reads[0].view); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestAForeignHostReadsAsEmpty_URL_04(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	r := ask(t, "GET", url+blog+"/comments?post=https://evil.example/posts/hello", "").want(t, 200, "")
	if !strings.Contains(r.text, `"count":0,"roots":0,"next_cursor":null,"prev_cursor":null,"comments":[]`) {
		t.Errorf("not an empty thread: %s", r.text)
	}
	r = ask(t, "GET", url+blog+"/counts?post=https://evil.example/posts/hello", "").want(t, 200, "")
	if r.text != `{"counts":{"https://evil.example/posts/hello":0}}` || len(w.reads) != 0 {
		t.Errorf("%s after %d reads", r.text, len(w.reads))
	}
}

func TestCountsAnswerByTheNamesThatWereAsked_URL_05(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for query, want := range map[string]string{
		"post=/posts/hello&post=/quiet":                      `{"counts":{"/posts/hello":3,"/quiet":0}}`,
		"post=/quiet&post=/posts/hello&post=/quiet":          `{"counts":{"/posts/hello":3,"/quiet":0}}`,
		"post=/posts/hello/%3Futm_source%3Dx":                `{"counts":{"/posts/hello/?utm_source=x":3}}`,
		"post=https://blog.example/posts/hello":              `{"counts":{"https://blog.example/posts/hello":3}}`,
		"post=/%C3%BCber":                                    `{"counts":{"/über":2}}`,
		"post=/%25C3%25BCber&post=/%25c3%25bcber":            `{"counts":{"/%C3%BCber":2,"/%c3%bcber":2}}`,
		"post=/u%CC%88ber":                                   "{\"counts\":{\"/u\u0308ber\":2}}",
		"post=":                                              `{"counts":{"":1}}`,
		"post=/posts/hello&post=" + strings.Repeat("x", 600): `{"counts":{"/posts/hello":3,"` + strings.Repeat("x", 600) + `":0}}`,
		"post=<script>":                                      `{"counts":{"<script>":0}}`,
	} {
		r := ask(t, "GET", url+blog+"/counts?"+query, "").want(t, 200, "")
		if r.text != want {
			t.Errorf("%s:\n%s\nwant\n%s", query, r.text, want)
		}
		ask(t, "GET", url+blog+"/counts?"+query, "", "If-None-Match", r.Header.Get("Etag")).want(t, 304, "")
	}
	for _, r := range w.reads {
		if keys := strings.Split(r.view.Posts, "\n"); !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
			t.Errorf("the view is not in its one form: %q", r.view.Posts)
		}
	}
	ask(t, "GET", url+blog+"/counts?"+strings.Repeat("post=/a&", 100), "").want(t, 200, "")
	ask(t, "GET", url+blog+"/counts?"+strings.Repeat("post=/a&", 101), "").want(t, 400, "invalid")
	ask(t, "GET", url+blog+"/counts", "").want(t, 400, "invalid")
}

func TestRecentChecksItsLimit(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for limit, status := range map[string]int{"1": 200, "50": 200, "0": 400, "51": 400, "x": 400} {
		ask(t, "GET", url+blog+"/recent?limit="+limit, "").want(t, status, "")
	}
	ask(t, "GET", url+blog+"/recent", "").want(t, 200, "")
	if got := w.reads[len(w.reads)-1].view; got != (postil.View{Kind: postil.RecentView, Site: "blog", Limit: 10}) {
		t.Errorf("view %+v", got)
	}
}

func TestAnOverloadedReadSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.readErr = postil.Busy("overloaded", "Too many threads at once. Try again in a moment.", 1500*time.Millisecond, nil)
	ask(t, "GET", w.open(t)+helloPath, "").want(t, 503, "overloaded").wantHeader(t, "Retry-After", "2", "Access-Control-Allow-Origin", "*",
		"Access-Control-Expose-Headers", exposedHeaders, "Etag", "", "Cache-Control", "no-store")
}

func TestReadingNeverAsksTheLimiter_RL_05(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.refusal = &postil.Error{Kind: postil.Throttled, Sentence: "Too much."}
	url := w.open(t)
	for range 40 {
		for _, path := range []string{helloPath, blog + "/counts?post=/", blog + "/recent", "/widget.js"} {
			ask(t, "GET", url+path, "").want(t, 200, "")
		}
	}
	if len(w.took) != 0 {
		t.Errorf("reading took %v", w.took)
	}
}

// Whatever a comment holds, only these fields get out.
func TestPublicAnswersHoldAnExactListOfFields_SEC_07_XSS_05(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	author := "author.avatar author.badge author.name author.website "
	for path, want := range map[string]string{
		helloPath: "comments count next_cursor post prev_cursor roots site version post.closed post.key post.title post.url " +
			"comments.author comments.can_reply comments.created_at comments.deleted comments.depth comments.edited_at comments.html comments.id " +
			"comments.parent_id comments.reactions comments.reactions.👍 comments.replies comments.score " + prefixed("comments.", author),
		blog + "/recent": "comments comments.author comments.created_at comments.edited_at comments.html comments.id comments.parent_id comments.post " +
			"comments.post.key comments.post.title comments.post.url " + prefixed("comments.", author),
	} {
		r := ask(t, "GET", url+path, "").want(t, 200, "")
		var v any
		if err := json.Unmarshal([]byte(r.text), &v); err != nil {
			t.Fatal(err)
		}
		got, fields := map[string]bool{}, strings.Fields(want)
		collect("", v, got)
		for field := range got {
			if !slices.Contains(fields, field) {
				t.Errorf("%s has the field %s", path, field)
			}
		}
		if len(got) != len(fields) {
			t.Errorf("%s has %d fields, want %d: %v", path, len(got), len(fields), got)
		}
		if strings.Contains(r.text, "private.example") || strings.Contains(r.text, "Secret Name") || strings.Contains(r.text, "gone.example") {
			t.Errorf("%s tells private things: %s", path, r.text)
		}
	}
}

func prefixed(prefix, names string) string {
	var out []string
	for _, name := range strings.Fields(names) {
		out = append(out, prefix+name)
	}
	return strings.Join(out, " ")
}

func collect(at string, v any, into map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			collect(at, e, into)
		}
	case map[string]any:
		for name, e := range v {
			into[strings.TrimPrefix(at+"."+name, ".")] = true
			collect(at+"."+name, e, into)
		}
	}
}

func TestTheThreadSaysWhatCanBeAnswered_THR_07(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		depth            int
		closed, lockdown bool
		want             bool
	}{
		{0, false, false, true}, {7, false, false, true}, {8, false, false, false}, {0, true, false, false}, {0, false, true, false},
	} {
		body := EncodeThread(postil.ThreadPage{Post: postil.Post{Closed: c.closed}, Lockdown: c.lockdown, Comments: []postil.Listed{{ID: 1, Depth: c.depth}}})
		if got := strings.Contains(string(body), `"can_reply":true`); got != c.want {
			t.Errorf("%+v: can_reply %v", c, got)
		}
	}
}

func TestATombstoneAndAnErasedAuthorTellNothing_THR_04_THR_10(t *testing.T) {
	t.Parallel()
	ann := postil.Author{Name: "Ann", Email: "a@b.example", Website: "https://ann.example/", Badge: "author"}
	body := string(EncodeThread(postil.ThreadPage{Comments: []postil.Listed{
		{ID: 1, Tombstone: true, Author: ann, HTML: "<p>gone</p>", Created: noon, Score: 3, Replies: 1}, {ID: 2, Parent: 1, Depth: 1, UserGone: true, Author: ann, HTML: "<p>x</p>", Created: noon},
	}}))
	if !strings.Contains(body, `[{"id":"1","parent_id":null,"depth":0,"deleted":true},{"id":"2","parent_id":"1","depth":1,"author":{"name":"deleted user","website":null,"avatar":null,"badge":null}`) {
		t.Errorf("got %s", body)
	}
	if recent := string(EncodeRecent([]postil.Listed{{ID: 1, Tombstone: true, Author: ann}})); recent != `{"comments":[]}` {
		t.Errorf("recent lists a tombstone: %s", recent)
	}
}

func TestTextStaysTextInJSON_XSS_04(t *testing.T) {
	t.Parallel()
	name := "Ann\"</a><iframe srcdoc=\"&#60;b&#62;x\">\u2028"
	body := EncodeThread(postil.ThreadPage{Comments: []postil.Listed{{ID: 1, Author: postil.Author{Name: name}, HTML: "<p>x</p>", Created: noon}}})
	var out struct{ Comments []commentJSON }
	if err := json.Unmarshal(body, &out); err != nil || out.Comments[0].Author.Name != name {
		t.Errorf("%v: %s", err, body)
	}
}

func TestTimesAreUTCWithMilliseconds(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("", 3*3600)
	for in, want := range map[time.Time]string{
		time.Date(2026, 12, 1, 1, 2, 3, 0, east): "2026-11-30T22:02:03.000Z", noon: "2026-11-30T18:17:00.123Z",
	} {
		if got := stamp(in); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestBundlesAreShortLivedAndOpenToEveryPage_UPG_02_UPG_04(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for _, name := range []string{"/widget.js", "/widget.v1.js", "/widget.v1.zh-hant.js", "/count.js", "/comments/widget.js", "/comments/widget.v1.js"} {
		r := ask(t, "GET", url+name, "").want(t, 200, "").wantHeader(t, "Content-Type", "text/javascript; charset=utf-8", "Access-Control-Allow-Origin", "*",
			"Cache-Control", "public, max-age=3600, stale-while-revalidate=86400", "X-Content-Type-Options", "nosniff",
			"Cross-Origin-Resource-Policy", "cross-origin", "X-Request-Id", "")
		if !strings.Contains(r.text, strings.TrimPrefix(name, "/comments")[1:]) {
			t.Errorf("%s: %s", name, r.text)
		}
		for _, coding := range []string{"br", "gzip"} {
			packed := ask(t, "GET", url+name, "", "Accept-Encoding", coding).wantHeader(t, "Content-Encoding", coding)
			if packed.text != r.text {
				t.Errorf("%s as %s differs", name, coding)
			}
			ask(t, "GET", url+name, "", "Accept-Encoding", coding, "If-None-Match", packed.Header.Get("Etag")).want(t, 304, "")
		}
		ask(t, "HEAD", url+name, "").want(t, 200, "")
	}
	for _, name := range []string{"/widget.v9.js", "/widget.v1.js.map", "/widget.v1.css", "/widget.v.js", "/widget.v1..js", "/evil.js"} {
		ask(t, "GET", url+name, "").want(t, 404, "not-found")
	}
}

// benchPage is a page whose bodies are ready, as the cache's are.
type benchPage struct{ plain, gzip, br postil.Encoded }

func (benchPage) Version() int64 { return 42 }
func (p *benchPage) Encoded(coding string) postil.Encoded {
	switch coding {
	case "br":
		return p.br
	case "gzip":
		return p.gzip
	}
	return p.plain
}

// nullWriter is a ResponseWriter that costs nothing.
type nullWriter struct{ h http.Header }

func (w *nullWriter) Header() http.Header         { return w.h }
func (w *nullWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w *nullWriter) WriteHeader(int)             {}

// BenchmarkHotRead measures what this package adds to a cache hit.
func BenchmarkHotRead(b *testing.B) {
	for _, c := range []struct{ name, header, value string }{
		{"200 br", "Accept-Encoding", "gzip, deflate, br, zstd"}, {"200 odd coding", "Accept-Encoding", "br;q=0.9, gzip;q=0.8"}, {"304", "If-None-Match", `"tag"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			body := postil.Encoded{Body: make([]byte, 20_492), ETag: []string{`"tag"`}, Length: []string{"20492"}}
			page := &benchPage{body, body, body}
			w := newWorld()
			w.deps.Read = func(context.Context, postil.View, int64) (Page, error) { return page, nil }
			h := w.server(b).Handler()
			req := httptest.NewRequest("GET", helloPath, nil)
			req.Header.Set(c.header, c.value)
			out := &nullWriter{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(out.h)
				h.ServeHTTP(out, req)
			}
			if got := fmt.Sprint(out.h["Etag"]); got != `["tag"]` {
				b.Fatal(got)
			}
		})
	}
}
