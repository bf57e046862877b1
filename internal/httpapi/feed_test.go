package httpapi

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// atom is a feed as another program reads it.
type atom struct {
	XMLName xml.Name
	ID      string `xml:"id"`
	Title   struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	} `xml:"title"`
	Updated string `xml:"updated"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Entries []struct {
		ID        string `xml:"id"`
		Title     string `xml:"title"`
		Published string `xml:"published"`
		Updated   string `xml:"updated"`
		Name      string `xml:"author>name"`
		URI       string `xml:"author>uri"`
		Link      struct {
			Href string `xml:"href,attr"`
		} `xml:"link"`
		Content struct {
			Type string `xml:"type,attr"`
			Text string `xml:",chardata"`
		} `xml:"content"`
	} `xml:"entry"`
}

// readAtom reads a feed to its end with a strict parser and checks what
// Atom 1.0 requires.
func readAtom(t rapid.TB, text string) (f atom) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&f); err != nil {
		t.Fatalf("not well formed: %v\n%q", err, text)
	}
	if _, err := dec.Token(); err != io.EOF && err != nil {
		t.Fatalf("after the feed: %v", err)
	}
	if f.XMLName.Space != "http://www.w3.org/2005/Atom" || f.XMLName.Local != "feed" || f.ID == "" || len(f.Links) == 0 || f.Links[0].Rel != "self" {
		t.Fatalf("no Atom feed: %+v", f)
	}
	seen := map[string]bool{}
	times := []string{f.Updated}
	for _, e := range f.Entries {
		if seen[e.ID] || !strings.HasPrefix(e.ID, "urn:uuid:") || e.Name == "" || e.Title == "" || e.Link.Href == "" || e.Content.Type != "html" {
			t.Fatalf("entry is incomplete or twice: %+v", e)
		}
		if _, err := url.Parse(e.Link.Href); err != nil {
			t.Fatal(err)
		}
		seen[e.ID] = true
		times = append(times, e.Published, e.Updated)
	}
	for _, at := range times {
		if _, err := time.Parse(time.RFC3339, at); err != nil || !strings.HasSuffix(at, "Z") {
			t.Fatalf("time %q: %v", at, err)
		}
	}
	return f
}

var feedSite = postil.Site{ID: "blog", Name: "Notes", Origins: []string{"https://blog.example"}, Created: noon.Add(-time.Hour)}

func feedOf(t rapid.TB, base string, list ...postil.Listed) atom {
	t.Helper()
	w := newWorld()
	w.cfg.PublicURL = base
	return readAtom(t, string(w.pages().Feed(feedSite, "", list)))
}

// hostileText is what comes in from a hostile world: any code points, broken
// UTF-8, markup and entities.
func hostileText() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"\x01", "\x00", "\uFFFF", "\uFFFE", "\x0b", "\x1b[31m", "\x7f", "\u0085", "\u2028", "\ufeff", "\xff\xfe", "\xed\xa0\x80", "]]>", "<![CDATA[",
			"&amp;", "&#1;", "&", "<beta>", "</title>", "<!--", "<?xml", `"`, "'", "\r\n", "\r", "R&D", "😀", "\U0010FFFF", "\u202e"}),
		rapid.String(), rapid.StringOf(rapid.RuneFrom(nil, unicode.Cc, unicode.Co, unicode.Cf)))
	return rapid.Map(rapid.SliceOfN(piece, 0, 8), func(parts []string) string { return strings.Join(parts, "") })
}

func TestRSS_01_AFeedIsWellFormedWhateverStandsInIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := hostileText()
		l := postil.Listed{ID: 7, Created: noon, Post: postil.PostID(text.Draw(t, "post")), PostTitle: text.Draw(t, "title"), PostURL: text.Draw(t, "url"),
			Author: postil.Author{Name: "A" + text.Draw(t, "name"), Website: text.Draw(t, "website")}, HTML: "<p>" + text.Draw(t, "html")}
		f := feedOf(t, "https://talk.example", l)
		if len(f.Entries) != 1 {
			t.Fatal("the entry is missing")
		}
		readAtom(t, string(newWorld().pages().Feed(feedSite, l.Post, nil)))
	})
	for _, r := range []rune{1, 0xFFFF} {
		f := feedOf(t, "https://talk.example", postil.Listed{ID: 1, Created: noon, Post: "/p", Author: postil.Author{Name: "An" + string(r) + "n"}, HTML: "<p>a" + string(r) + "b</p>"})
		if e := f.Entries[0]; e.Name != "Ann" || e.Content.Text != "<p>ab</p>" || e.Title != "Ann on /p: ab" {
			t.Errorf("RSS-01 %U: %+v", r, e)
		}
	}
}

func TestRSS_02_EverythingIsEscapedOnce(t *testing.T) {
	t.Parallel()
	f := feedOf(t, "https://talk.example", postil.Listed{ID: 1, Created: noon, Post: "/p", PostTitle: "R&D <beta>", PostURL: "https://blog.example/p?a=1&b=2",
		Author: postil.Author{Name: `Ann"</a><iframe srcdoc="&#60;b&#62;x">`, Website: "https://ann.example/?a=1&b=2"}, HTML: "<p>a &amp; b &lt;c&gt;</p>"})
	e := f.Entries[0]
	want := []string{`Ann"</a><iframe srcdoc="&#60;b&#62;x"> on R&D <beta>: a & b <c>`, "https://blog.example/p?a=1&b=2#postil-1", "https://ann.example/?a=1&b=2", "<p>a &amp; b &lt;c&gt;</p>", `Ann"</a><iframe srcdoc="&#60;b&#62;x">`}
	if diff := cmp.Diff(want, []string{e.Title, e.Link.Href, e.URI, e.Content.Text, e.Name}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRSS_04_AnEntryLeadsToTheCommentOnItsPost(t *testing.T) {
	t.Parallel()
	at := func(key postil.PostID, url string) postil.Listed {
		return postil.Listed{ID: 17, Created: noon, Post: key, PostURL: url, Author: postil.Author{Name: "Ann"}, HTML: "<p>x</p>"}
	}
	for name, c := range map[string]struct {
		comment postil.Listed
		link    string
	}{
		"as was said":               {at("/p", "https://blog.example/p/"), "https://blog.example/p/#postil-17"},
		"its own fragment":          {at("/p", "https://blog.example/p#top"), "https://blog.example/p#postil-17"},
		"an empty fragment":         {at("/p", "https://blog.example/p#"), "https://blog.example/p#postil-17"},
		"a query":                   {at("/p", "https://blog.example/p?a=1&b=%20x#y#z"), "https://blog.example/p?a=1&b=%20x#postil-17"},
		"nobody said: the key":      {at("/über uns?q=a", ""), "https://blog.example/%C3%BCber%20uns?q=a#postil-17"},
		"nobody said: an id":        {at("#/a b", ""), "https://talk.example/comments/thread/blog?post=%23%2Fa+b&focus=17#postil-17"},
		"URL-11 said: not web":      {at("/p", "javascript:alert(1)"), "https://talk.example/comments/thread/blog?post=%2Fp&focus=17#postil-17"},
		"said: only a path":         {at("/p", "/p"), "https://talk.example/comments/thread/blog?post=%2Fp&focus=17#postil-17"},
		"an address of another age": {at("/p", "http://old.blog.example/p"), "http://old.blog.example/p#postil-17"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := feedOf(t, "https://talk.example/comments/", c.comment).Entries[0].Link.Href; got != c.link {
				t.Errorf("got %s, want %s", got, c.link)
			}
		})
	}
}

func TestRSS_04_IdsOutliveEditsAndMoves(t *testing.T) {
	t.Parallel()
	l := postil.Listed{ID: 17, Created: noon, Post: "/p", PostURL: "https://blog.example/p", Author: postil.Author{Name: "Ann"}, HTML: "<p>x</p>"}
	before := feedOf(t, "https://talk.example/comments", l)
	l.HTML, l.Edited, l.PostURL, l.Author.Name, l.Post = "<p>other</p>", noon.Add(time.Hour), "https://new.example/p", "Bo", "/merged"
	after := feedOf(t, "http://localhost:8080", l)
	if before.ID != after.ID || before.Entries[0].ID != after.Entries[0].ID {
		t.Errorf("%s, %s became %s, %s", before.ID, before.Entries[0].ID, after.ID, after.Entries[0].ID)
	}
	if strings.Contains(before.ID+before.Entries[0].ID, "example") {
		t.Error("an id names a domain")
	}
	if after.Entries[0].Updated != "2026-11-30T19:17:00.123Z" || after.Updated != after.Entries[0].Updated || after.Entries[0].Published != "2026-11-30T18:17:00.123Z" {
		t.Errorf("times of an edited comment: %+v", after)
	}
	other := feedSite
	other.Created = other.Created.Add(time.Millisecond)
	if feedID(other, "comment", "17") == before.Entries[0].ID {
		t.Error("two installations share an id")
	}
}

func TestRSS_05_TheTitleOfAReplyNeedsNoParent(t *testing.T) {
	t.Parallel()
	long := markup.Render(strings.Repeat("lorem *ipsum* ", 40))
	f := feedOf(t, "https://talk.example",
		postil.Listed{ID: 3, Parent: 2, Depth: 1, Created: noon, Post: "/p", PostTitle: "Hello", Author: postil.Author{Name: "Ann"}, HTML: long},
		postil.Listed{ID: 2, Tombstone: true},
		postil.Listed{ID: 1, Created: noon, Post: "/p", Author: postil.Author{Name: "Secret"}, UserGone: true, HTML: "<p></p>"})
	if len(f.Entries) != 2 || f.Entries[1].Title != "deleted user on /p" {
		t.Fatalf("%+v", f.Entries)
	}
	title := f.Entries[0].Title
	excerpt, ok := strings.CutPrefix(title, "Ann on Hello: lorem ipsum lorem")
	if !ok || len([]rune(title)) > 80 || !strings.HasSuffix(excerpt, "…") || strings.Contains(title, "<") {
		t.Errorf("title %q", title)
	}
}

func TestTIME_04_TimesAreUTCWhereverTheServerStands(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC).In(berlin) // 02:30 in summer
	second := first.Add(time.Hour)                                     // 02:30 again, in winter
	f := feedOf(t, "https://talk.example",
		postil.Listed{ID: 2, Created: second, Post: "/p", Author: postil.Author{Name: "A"}, HTML: "x"},
		postil.Listed{ID: 1, Created: first, Post: "/p", Author: postil.Author{Name: "A"}, HTML: "x"})
	if f.Entries[0].Published != "2026-10-25T01:30:00.000Z" || f.Entries[1].Published != "2026-10-25T00:30:00.000Z" || f.Updated != f.Entries[0].Updated {
		t.Errorf("%+v", f)
	}
}

const feedPath = blog + "/feed.atom"

func TestAFeedIsAReadLikeOthers(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for path, view := range map[string]postil.View{
		feedPath:                                  {Kind: postil.FeedView, Site: "blog"},
		feedPath + "?post=/posts/hello/%23x":      {Kind: postil.FeedView, Site: "blog", Post: "/posts/hello"},
		feedPath + "?post=":                       {Kind: postil.FeedView, Site: "blog", Post: "/"},
		feedPath + "?post=https://blog.example/ü": {Kind: postil.FeedView, Site: "blog", Post: "/ü"},
	} {
		w.reads = nil
		r := ask(t, "GET", url+"/comments"+path, "", "Accept-Encoding", "br").want(t, 200, "")
		r.wantHeader(t, "Content-Type", "application/atom+xml; charset=utf-8", "Access-Control-Allow-Origin", "*", "Vary", "Accept-Encoding", "Content-Encoding", "br",
			"Cache-Control", shared[0], "X-Request-Id", "")
		f := readAtom(t, r.text)
		if len(w.reads) != 1 || w.reads[0].view != view {
			t.Errorf("%s reads %+v", path, w.reads)
		}
		self := "https://talk.example/comments" + feedPath
		if view.Post != "" {
			self += "?post=" + strings.ReplaceAll(strings.ReplaceAll(string(view.Post), "/", "%2F"), "ü", "%C3%BC")
		}
		if f.Links[0].Href != self {
			t.Errorf("EMB-13: self is %s, want %s", f.Links[0].Href, self)
		}
	}
	if f := readAtom(t, ask(t, "GET", url+feedPath+"?post=https://other.example/p", "").want(t, 200, "").text); len(f.Entries) != 0 {
		t.Errorf("another site's post has %+v", f)
	}
	ask(t, "GET", url+"/api/v1/sites/nobody/feed.atom", "").want(t, 404, "not-found")
	ask(t, "GET", url+feedPath+"?post=%zz", "").want(t, 400, "invalid")
}

func TestAFeedAnswers304ByTagAndByTime(t *testing.T) {
	t.Parallel()
	w := newWorld()
	server := w.server(t)
	clock := time.Date(2026, 11, 30, 20, 0, 0, 5e8, time.UTC)
	server.feeds.now = func() time.Time { return clock }
	url := serve(t, server)
	first := ask(t, "GET", url+feedPath, "").want(t, 200, "").wantHeader(t, "Last-Modified", "Mon, 30 Nov 2026 20:00:00 GMT")
	tag, since := first.Header.Get("Etag"), first.Header.Get("Last-Modified")
	for _, method := range []string{"GET", "HEAD"} {
		for name, c := range map[string]struct {
			headers []string
			status  int
		}{
			"same tag":                  {[]string{"If-None-Match", tag}, 304},
			"same time":                 {[]string{"If-Modified-Since", since}, 304},
			"later time":                {[]string{"If-Modified-Since", "Mon, 30 Nov 2026 21:00:00 GMT"}, 304},
			"earlier time":              {[]string{"If-Modified-Since", "Mon, 30 Nov 2026 19:59:59 GMT"}, 200},
			"no time":                   {[]string{"If-Modified-Since", "yesterday"}, 200},
			"the tag counts":            {[]string{"If-None-Match", `"other"`, "If-Modified-Since", since}, 200},
			"compressed by time":        {[]string{"Accept-Encoding", "gzip", "If-Modified-Since", since}, 304},
			"no condition, HEAD or GET": {nil, 200},
		} {
			r := ask(t, method, url+feedPath, "", c.headers...)
			if r.StatusCode != c.status || r.Header.Get("Last-Modified") != since || (method == "HEAD" || c.status == 304) != (r.text == "") {
				t.Errorf("%s %s: %d %q %q", method, name, r.StatusCode, r.Header.Get("Last-Modified"), r.text)
			}
		}
	}
	// A removal leaves no newer time in the feed, and may happen in the same second.
	w.mu.Lock()
	w.recent = nil
	w.mu.Unlock()
	ask(t, "GET", url+feedPath, "", "If-Modified-Since", since).want(t, 200, "").wantHeader(t, "Last-Modified", "Mon, 30 Nov 2026 20:00:01 GMT")
}

func TestWhatIsKnownOfFeedsIsBounded(t *testing.T) {
	t.Parallel()
	var s sightings
	for i := range 3 * maxSightings {
		s.since(postil.View{Post: postil.PostID(fmt.Sprint(i))}, "tag")
	}
	if len(s.seen) > maxSightings {
		t.Errorf("%d are remembered", len(s.seen))
	}
}

func TestAFeedHoldsFiftyAtMost(t *testing.T) {
	t.Parallel()
	var list []postil.Listed
	for i := range 60 {
		list = append(list, postil.Listed{ID: postil.CommentID(100 - i), Created: noon, Post: "/p", Author: postil.Author{Name: "A"}, HTML: "x"})
	}
	if f := feedOf(t, "https://talk.example", list...); len(f.Entries) != FeedSize {
		t.Errorf("%d entries", len(f.Entries))
	}
}

func TestFeedsAnswerAsTheirGoldenFilesSay(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.recent = append(w.recent, postil.Listed{ID: 17, Author: w.thread.Comments[0].Author, HTML: w.thread.Comments[0].HTML, Created: noon, Edited: noon.Add(time.Minute),
		Post: "/posts/hello", PostTitle: "Hello", PostURL: "https://blog.example/posts/hello#top"})
	url := w.open(t)
	for file, path := range map[string]string{"feed.atom": feedPath, "feed_post.atom": feedPath + "?post=/posts/hello"} {
		goldenText(t, file, ask(t, "GET", url+path, "").want(t, http.StatusOK, "").text)
	}
}
