package store

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// told stores a comment with everything a search may look at.
func told(t testing.TB, s *Store, n postil.NewComment) postil.CommentID {
	t.Helper()
	n.Site, n.Nonce = "blog", "n"
	if n.Post.ID == "" {
		n.Post.ID = "/p"
	}
	if n.HTML == "" {
		n.HTML = "<p>" + n.Text + "</p>"
	}
	out, err := s.AddComment(ctx, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Comment.ID
}

// found lists what a filter finds, over all pages.
func found(t testing.TB, s *Store, f postil.CommentFilter) (ids []postil.CommentID) {
	t.Helper()
	if f.Limit == 0 {
		f.Limit = 200
	}
	for {
		page, err := s.ListComments(ctx, f)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		for _, c := range page.Comments {
			ids = append(ids, c.ID)
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return ids
		}
	}
}

func TestSRCHWordsOfTextNameAndPostAreFoundInAnyScript(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	ids := map[string]postil.CommentID{}
	for _, text := range []string{"今天天气很好", "全文検索のテスト", "댓글 검색 기능", "Die Straße in München", "a multi-agent grammar::fa with a:b", "it's 38.101 degrees",
		"50% off", "50 off", "foo_bar", "fooXbar", "nice 👍", "AND NOT x"} {
		ids[text] = told(t, s, postil.NewComment{Text: text, Author: postil.Author{Name: "Ann"}, Post: postil.PostRef{ID: "/p"}})
	}
	ids["Ægir"] = told(t, s, postil.NewComment{Text: "hi", Author: postil.Author{Name: "Ægir O’Neil"}, Post: postil.PostRef{ID: "/q"}})
	ids["post"] = told(t, s, postil.NewComment{Text: "hello", Author: postil.Author{Name: "Bob"}, Post: postil.PostRef{ID: "/posts/kv-store", Title: "Zwölf Boxkämpfer"}})
	to(t, s, ids["post"], postil.Approved) // until then the page has no title
	for query, want := range map[string][]string{
		"天气": {"今天天气很好"}, "検索": {"全文検索のテスト"}, "검색": {"댓글 검색 기능"}, "STRASSE": {"Die Straße in München"}, "munchen die": {"Die Straße in München"},
		"multi-agent": {"a multi-agent grammar::fa with a:b"}, "grammar::fa": {"a multi-agent grammar::fa with a:b"}, "a:b": {"a multi-agent grammar::fa with a:b"},
		"38.101": {"it's 38.101 degrees"}, "it’s": {"it's 38.101 degrees"}, "50%": {"50% off"}, "foo_bar": {"foo_bar"}, "👍": {"nice 👍"}, "AND": {"AND NOT x"}, "NOT x": {"AND NOT x"},
		"*": nil, "%": {"50% off"}, `"half`: nil, strings.Repeat("_", 200): nil, "o'neil": {"Ægir"}, "ægir": {"Ægir"}, "boxkampfer": {"post"}, "kv-store": {"post"}, "bob zwolf": {"post"},
		"words:off": nil, "marks": nil, "rowid": nil, "a) OR (b": nil, "NEAR(a b)": nil, "^x": nil, "{a b}:c": nil,
	} {
		var expect []postil.CommentID
		for _, text := range want {
			expect = append(expect, ids[text])
		}
		if got := found(t, s, postil.CommentFilter{Query: query}); !slices.Equal(got, expect) {
			t.Errorf("%q finds %v, not %v", query, got, expect)
		}
	}
	all := len(found(t, s, postil.CommentFilter{}))
	for _, query := range []string{"", " ", "\x00", "\u200b"} {
		if got := found(t, s, postil.CommentFilter{Query: query}); len(got) != all {
			t.Errorf("%q narrows the list to %d of %d", query, len(got), all)
		}
	}
}

func TestSRCHAnyTypedTextIsSafe(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	told(t, s, postil.NewComment{Text: "something to look at"})
	for _, query := range []string{"'", `"`, `""`, `"""`, "\x00a\x00", "a\x00b", "\xff\xfe", "(((", ")", "-", "a -b", "+", "a OR", "OR", "NEAR", "NEAR/2", "*", "a*", "a:", ":", "^", "{", "}", "[", "\\", ";", "--",
		"/*", "?", "?1", "@x", "$1", "😀👨‍👩‍👧", "\u202e", strings.Repeat("a ", 5000), strings.Repeat("x", 10000), strings.Repeat("东", 10000), strings.Repeat(`"`, 10000), strings.Repeat("%", 10000),
		"'; DROP TABLE comments; --", "comment_search", strings.Repeat("(", 5000), strings.Repeat("NOT ", 2500)} {
		if _, err := s.ListComments(ctx, postil.CommentFilter{Query: query, Limit: 10}); err != nil {
			t.Errorf("%.40q: %v", query, err)
		}
	}
}

func TestTheSearchIndexFollowsEveryChangeInItsTransaction(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	id := told(t, s, postil.NewComment{Text: "harbour", Author: postil.Author{Name: "Ann", Email: "Ann@Mail.example", Website: "https://ann.example/x"},
		HTML: `<p><a href="https://shop.evil.example/a">x</a></p>`, Origin: postil.Origin{Device: "dev", Actor: "act", Network: "net"}})
	has := func(what string, want bool, f postil.CommentFilter) {
		t.Helper()
		if got := slices.Contains(found(t, s, f), id); got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	change := func(ch postil.Change) {
		t.Helper()
		if _, err := s.Change(ctx, id, func(postil.Comment, postil.Decision) (*postil.Change, error) { return &ch, nil }); err != nil {
			t.Fatal(err)
		}
	}
	has("device", true, postil.CommentFilter{Author: "dev"})
	has("actor", true, postil.CommentFilter{Author: "act"})
	has("mail in another case", true, postil.CommentFilter{Author: "aNN@mail.EXAMPLE"})
	has("network", true, postil.CommentFilter{Network: "net"})
	has("host", true, postil.CommentFilter{Host: "shop.evil.example"})
	has("domain above", true, postil.CommentFilter{Host: "evil.example"})
	has("website", true, postil.CommentFilter{Host: "ann.example"})
	has("top level", false, postil.CommentFilter{Host: "example"})
	has("pending", true, postil.CommentFilter{Query: "harbour", Statuses: []postil.Status{postil.Pending}})
	has("not approved", false, postil.CommentFilter{Query: "harbour", Statuses: []postil.Status{postil.Approved, postil.Spam}})
	has("no task", false, postil.CommentFilter{Query: "harbour", NeedsYou: true})
	change(postil.Change{To: postil.Pending, Review: postil.OpenReview})
	has("a task", true, postil.CommentFilter{Query: "harbour", NeedsYou: true})
	change(postil.Change{Verb: postil.Approve, To: postil.Approved, By: somebody, Review: postil.CloseReview})
	has("task closed", false, postil.CommentFilter{Query: "harbour", NeedsYou: true})
	has("approved", true, postil.CommentFilter{Query: "harbour", Statuses: []postil.Status{postil.Approved}})
	change(postil.Change{To: postil.Approved, Text: &postil.TextChange{Text: "lighthouse", HTML: "<p>lighthouse</p>"}})
	has("old text", false, postil.CommentFilter{Query: "harbour"})
	has("new text", true, postil.CommentFilter{Query: "lighthouse"})
	has("old link", false, postil.CommentFilter{Host: "evil.example"})
	change(postil.Change{To: postil.Approved, NewDraft: &postil.TextChange{Text: "windmill"}})
	has("waiting edit", true, postil.CommentFilter{Query: "windmill"})
	change(postil.Change{To: postil.Approved, Draft: postil.DropDraft, Name: "Zoe"})
	has("dropped edit", false, postil.CommentFilter{Query: "windmill"})
	has("new name", true, postil.CommentFilter{Query: "zoe"})
	title := "Grüße aus Köln"
	if _, err := s.SetPost(ctx, "blog", "/p", postil.PostChange{Title: &title}, somebody); err != nil {
		t.Fatal(err)
	}
	has("title and text", true, postil.CommentFilter{Query: "GRUSSE lighthouse"})
	title = "Other"
	if _, err := s.SetPost(ctx, "blog", "/p", postil.PostChange{Title: &title}, somebody); err != nil {
		t.Fatal(err)
	}
	has("old title", false, postil.CommentFilter{Query: "grüße"})
	meddle(t, s, "INSERT INTO users (user_id, name, created_at) VALUES ('u9', 'Zoe', 0)")
	meddle(t, s, "UPDATE comments SET user_id = 'u9' WHERE comment_id = ?", int64(id))
	has("account", true, postil.CommentFilter{Author: "u9"})
	if _, err := s.Erase(ctx, postil.Identity{Author: "u9"}, false, somebody); err != nil {
		t.Fatal(err)
	}
	for _, f := range []postil.CommentFilter{{Author: "u9"}, {Author: "dev"}, {Author: "ann@mail.example"}, {Query: "zoe"}, {Network: "net"}, {Host: "ann.example"}} {
		has(fmt.Sprintf("erased, but found by %+v", f), false, f)
	}
	has("the text stays", true, postil.CommentFilter{Query: "lighthouse"})
	if err := s.RemoveSite(ctx, "blog", somebody); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"SELECT count(*) FROM comment_search", "SELECT count(*) FROM post_search", "SELECT count(*) FROM search_posts", "SELECT count(*) FROM search_due"} {
		if got := sqlOf(t, s.readers, query)[0][0]; got != "0" {
			t.Errorf("after the site was erased, %s: %s", query, got)
		}
	}
}

func TestASearchIsPagedNewestFirstAndATaskListOldestFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func(context.Context) time.Time { return now }})
	var byTime []postil.CommentID
	for i := range 30 { // later ids are older, as after an import
		now = now.Add(-time.Hour)
		byTime = append(byTime, told(t, s, postil.NewComment{Text: fmt.Sprint("word number ", i, " 100%"), Post: postil.PostRef{ID: postil.PostID(fmt.Sprint("/", i%3))}}))
	}
	for _, query := range []string{"word", "100%"} {
		if got := found(t, s, postil.CommentFilter{Query: query, Limit: 7}); !slices.Equal(got, byTime) {
			t.Errorf("%q: %v, not %v", query, got, byTime)
		}
	}
	from, to := now.Add(5*time.Hour), now.Add(10*time.Hour)
	if got := found(t, s, postil.CommentFilter{Query: "word", From: from, To: to, Limit: 3}); !slices.Equal(got, byTime[20:25]) {
		t.Errorf("of a time: %v, not %v", got, byTime[20:25])
	}
	if got := found(t, s, postil.CommentFilter{Query: "word", Post: "/1", Sites: []postil.SiteID{"blog"}}); len(got) != 10 {
		t.Errorf("of a post: %v", got)
	}
	for _, id := range byTime {
		if _, err := s.Change(ctx, id, func(postil.Comment, postil.Decision) (*postil.Change, error) {
			return &postil.Change{To: postil.Pending, Review: postil.OpenReview}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(byTime)
	if got := found(t, s, postil.CommentFilter{Query: "word", NeedsYou: true, Limit: 7}); !slices.Equal(got, byTime) {
		t.Errorf("tasks: %v, not %v", got, byTime)
	}
}

func TestCommentsFromBeforeTheIndexAreFilledInBesideEverythingElse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	s := openAt(t, path, Options{})
	for i := range 5 {
		to(t, s, told(t, s, postil.NewComment{Text: fmt.Sprint("old words ", i), Post: postil.PostRef{ID: "/p", Title: "Title"}}), postil.Approved)
	}
	until(t, "they are indexed", func() bool { n, err := s.Unindexed(ctx); return err != nil || n == 0 })
	meddle(t, s, "INSERT INTO comment_search (comment_search) VALUES ('delete-all')")
	if n := len(found(t, s, postil.CommentFilter{Query: "old"})); n != 0 {
		t.Fatalf("%d are found by an empty index", n)
	}
	if err := s.RebuildSearch(ctx); err != nil {
		t.Fatal(err)
	}
	told(t, s, postil.NewComment{Text: "new words"})
	if len(found(t, s, postil.CommentFilter{Query: "new"})) != 1 {
		t.Error("a new comment waits for the old ones")
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		left, err := s.Unindexed(ctx)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%d comments are not indexed yet, %v", left, err)
		}
		if left == 0 {
			break
		}
	}
	if n := len(found(t, s, postil.CommentFilter{Query: "words title"})); n != 6 {
		t.Errorf("%d of 6 are found", n)
	}
}

func TestABrokenSearchIndexStopsNoComment(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	id := told(t, s, postil.NewComment{Text: "first"})
	meddle(t, s, "DROP TABLE comment_search")
	second := told(t, s, postil.NewComment{Text: "second"})
	to(t, s, id, postil.Approved)
	for _, want := range []postil.CommentID{id, second} {
		if c, err := s.Comment(ctx, want); err != nil || want == id && c.Status != postil.Approved {
			t.Errorf("comment %d: %+v, %v", want, c.Status, err)
		}
	}
	if left, err := s.Unindexed(ctx); err != nil || left != 2 {
		t.Errorf("%d comments wait for the index, %v", left, err)
	}
}

func TestTheRowOfACommentKeepsTheOrderOfTheList(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	for _, created := range []int64{0, 1, 999, 1000, 1_800_000_000_000, -1, -1000, -62135596800000, math.MaxInt64, math.MinInt64, 253402300799999} {
		want := sqlOf(t, s.readers, "SELECT max(-4294967296, min(4294967295, ? / 1000)) * 2147483648 + (? & 2147483647)", created, int64(77))[0][0]
		if got := fmt.Sprint(searchRow(created, 77)); got != want {
			t.Errorf("%d: %s here, %s in the migration", created, got, want)
		}
	}
	if searchRow(1000, 9) >= searchRow(2000, 1) || searchRow(1000, 1) >= searchRow(1000, 2) || searchRow(-5000, 1) >= searchRow(-4000, 1) {
		t.Error("the order is not that of time and id")
	}
}
