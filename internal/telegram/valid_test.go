package telegram

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// letters of every kind of trouble: markup, widths, directions, heaps of marks,
// what is no text at all.
var anyText = rapid.Custom(func(t *rapid.T) string {
	bit := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"<b>", "</a>", "&amp;", "&#0;", "<tg-spoiler>", "🐘", "👨‍👩‍👧", "a\u0301\u0323", "\u202e", "\u2066", "\x00", "\xff\xfe", "\ufeff",
		"\u2028", "\r\n", "\t", "{name}", "{by}", "@everyone", "*_`[", "\U0010ffff", "\ufffe", strings.Repeat("x", 300), strings.Repeat("🐘", 900), strings.Repeat("a\u0323", 500)}))
	return strings.Join(rapid.SliceOfN(bit, 0, 12).Draw(t, "bits"), "")
})

func someComment(t *rapid.T) postil.Comment {
	c := postil.Comment{ID: postil.CommentID(rapid.Int64Range(1, 1<<62).Draw(t, "id")), Site: "blog", Post: postil.PostID(anyText.Draw(t, "post")),
		Author: postil.Author{Name: anyText.Draw(t, "name"), Website: anyText.Draw(t, "website")}, Text: anyText.Draw(t, "text"),
		Status: rapid.SampledFrom(postil.Statuses()).Draw(t, "status"), Revision: rapid.Int().Filter(func(n int) bool { return n >= 0 }).Draw(t, "revision"),
		Verdict: rapid.SampledFrom([]postil.Verdict{"", postil.VerdictHold, postil.VerdictSpam, postil.VerdictApprove}).Draw(t, "verdict")}
	if rapid.Bool().Draw(t, "recognised") {
		c.Origin.Device = "d"
	}
	if rapid.Bool().Draw(t, "edited") {
		c.Draft = &postil.Draft{Text: anyText.Draw(t, "draft")}
	}
	for range rapid.IntRange(0, 3).Draw(t, "findings") {
		c.Findings = append(c.Findings, postil.Finding{Check: "x", Weight: rapid.Float64Range(-3, 3).Draw(t, "weight"), Reason: anyText.Draw(t, "reason")})
	}
	return c
}

func someDetail(t *rapid.T) postil.Detail {
	d := postil.Detail{Comment: someComment(t), Post: postil.Post{Title: anyText.Draw(t, "title"), URL: rapid.OneOf(anyText, rapid.Just("https://blog.example/\"<&?x=1")).Draw(t, "url")},
		Record: postil.AuthorRecord{Approved: rapid.IntRange(0, 1<<40).Draw(t, "approved"), FirstSeen: time.UnixMilli(rapid.Int64Range(0, 1<<41).Draw(t, "seen"))}}
	if rapid.Bool().Draw(t, "reply") {
		parent := someComment(t)
		d.Parent = &parent
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "decisions") {
		d.History = append(d.History, postil.Decision{ID: postil.DecisionID(1<<62 + i), Verb: rapid.SampledFrom([]postil.Verb{postil.Approve, postil.UndoneVerb}).Draw(t, "verb"),
			By: postil.By{Channel: rapid.SampledFrom([]postil.Channel{postil.ByTelegram, postil.ByCheck, postil.ByAuthor}).Draw(t, "channel"), Name: anyText.Draw(t, "by")}})
	}
	return d
}

// valid sends a message through a Bot API that reads markup strictly.
func valid(t *rapid.T, fake *fakebot.Server, text string, keys [][]button, plain bool) {
	if fault := fake.Judge(letter{chat: 1, text: text, keys: keys, plain: plain}.params()); fault != "" {
		t.Fatalf("refused: %s\n%q", fault, text)
	}
}

func TestTG_02_EveryMessageIsValidWhateverIsInIt(t *testing.T) {
	t.Parallel()
	fake := fakebot.New("1:x")
	fake.AddChat(1, "private")
	languages := words.Languages()
	nowhere := func(postil.CommentID) string { return "" }
	rapid.Check(t, func(t *rapid.T) {
		say := words.In(rapid.SampledFrom(languages).Draw(t, "language"))
		d := someDetail(t)
		v := see(d, postil.Site{ID: "blog", Name: anyText.Draw(t, "site")}, nowhere, say, true)
		valid(t, fake, v.HTML, v.Keys, false)
		valid(t, fake, v.Plain, v.Keys, true)
		valid(t, fake, v.Note, nil, false)
		valid(t, fake, v.HTML, authorKeys(d, say), false)
		var items []postil.BoardItem
		for i := range rapid.IntRange(1, 12).Draw(t, "items") {
			items = append(items, postil.BoardItem{Comment: someComment(t), Card: 1<<62 + int64(i), Open: rapid.Bool().Draw(t, "open"), Apart: rapid.Bool().Draw(t, "apart")})
		}
		sum := summary{site: postil.Site{ID: "blog", Name: anyText.Draw(t, "site")}, to: time.Now(), received: 1 << 40, waiting: rapid.IntRange(0, 1<<40).Draw(t, "waiting"),
			busy: []postil.BusyPost{{Post: d.Post, N: 1 << 40}, {Post: postil.Post{ID: d.Comment.Post}}, {Post: d.Post}}, doubt: []postil.Detail{d, someDetail(t), d, d, d}}
		l := sum.letter(say, time.Now())
		valid(t, fake, l.text, l.keys, false)
		valid(t, fake, l.short, l.keys, true)
		b := digestOf(postil.Board{ID: 1 << 62, Batch: anyText.Draw(t, "batch")}, items, say)
		valid(t, fake, b.HTML, b.Keys, false)
	})
}

// FuzzBoardData: what is accepted is exactly what this release writes.
func FuzzBoardData(f *testing.F) {
	f.Add("b:S:1:2:3:abcdefgh")
	f.Add("b:U:zz:1:0:x")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parseBoardPress(s); err == nil && (p.data() != s || len(s) > 64 || p.board < 1) {
			t.Errorf("%q reads as %+v", s, p)
		}
	})
}
