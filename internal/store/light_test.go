package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

// light calls everything about views and questions, for the test that explains
// every statement.
func (e exerciser) light() {
	s, now := e.s, e.s.Now(ctx)
	e.done(s.AddViews(ctx, "node", 1, []postil.HourViews{{Site: "big", Post: "/1", Hour: now, N: 3}}))
	e.ok(s.Trend(ctx, postil.TrendQuery{Site: "big", Post: "/1", By: postil.ByHour, From: now.Add(-time.Hour), To: now}))
	e.ok(s.TopPosts(ctx, postil.TrendQuery{Site: "big", By: postil.ByDay, From: now.Add(-48 * time.Hour), To: now}, 20))
	_, _, err := s.Views(ctx, "big", "/1", "node")
	e.done(err)
	e.done(s.AddQuestion(ctx, postil.Question{ID: "2026-11-30-a", Site: "blog", Text: "Why?", Asked: now}, "why?"))
	e.ok(s.Question(ctx, "2026-11-30-a"))
	e.ok(s.TagQuestion(ctx, "2026-11-30-a", []string{"a"}, somebody))
	for _, site := range []postil.SiteID{"", "blog"} {
		for _, f := range []postil.QuestionFilter{{}, {Query: "why"}, {Tag: "a"}, {From: now.Add(-time.Hour), To: now.Add(time.Hour)}} {
			f.Site, f.Limit = site, 1
			e.ok(s.Questions(ctx, f))
			f.Cursor = "MSBh" // "1 a"
			e.ok(s.Questions(ctx, f))
		}
	}
	e.done(s.RemoveQuestion(ctx, "2026-11-30-a", somebody))
}

var eve = time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)

func viewsOf(t testing.TB, s *Store, post postil.PostID) int64 {
	t.Helper()
	n, _, err := s.Views(ctx, "blog", post, "any")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func addViews(t testing.TB, s *Store, writer string, batch int64, sums ...postil.HourViews) {
	t.Helper()
	if err := s.AddViews(ctx, writer, batch, sums); err != nil {
		t.Fatal(err)
	}
}

func TestABatchOfViewsIsAddedOnceHoweverOftenItIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	sum := postil.HourViews{Site: "blog", Post: "/p", Hour: eve, N: 5}
	for _, batch := range []int64{1, 1, 2, 2, 1} {
		addViews(t, s, "one", batch, sum)
	}
	addViews(t, s, "two", 1, sum) // another node adds its own
	if n := viewsOf(t, s, "/p"); n != 15 {
		t.Errorf("%d reads, not 15", n)
	}
	if _, batch, err := s.Views(ctx, "blog", "/p", "one"); err != nil || batch != 2 {
		t.Errorf("the last batch of one is %d, %v", batch, err)
	}
}

func TestViewsCountForTheirHourTheirDayAndTheSite(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addViews(t, s, "one", 1,
		postil.HourViews{Site: "blog", Post: "/p", Hour: eve, N: 2},
		postil.HourViews{Site: "blog", Post: "/p", Hour: eve.Add(time.Second), N: 3}, // the next day
		postil.HourViews{Site: "blog", Post: "/q", Hour: eve, N: 1},
		postil.HourViews{Site: "gone", Post: "/p", Hour: eve, N: 9})
	at := func(s string) time.Time { v, _ := time.Parse(time.RFC3339, s); return v }
	for _, c := range []struct {
		post postil.PostID
		by   postil.Span
		want []postil.TrendPoint
	}{
		{"/p", postil.ByHour, []postil.TrendPoint{{At: at("2026-11-30T23:00:00Z"), N: 2}, {At: at("2026-12-01T00:00:00Z"), N: 3}}},
		{"/p", postil.ByDay, []postil.TrendPoint{{At: at("2026-11-30T00:00:00Z"), N: 2}, {At: at("2026-12-01T00:00:00Z"), N: 3}}},
		{"", postil.ByDay, []postil.TrendPoint{{At: at("2026-11-30T00:00:00Z"), N: 3}, {At: at("2026-12-01T00:00:00Z"), N: 3}}},
	} {
		got, err := s.Trend(ctx, postil.TrendQuery{Site: "blog", Post: c.post, By: c.by, From: eve.Add(-72 * time.Hour), To: eve.Add(72 * time.Hour)})
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q by %s: %v (-want +got)\n%s", c.post, c.by, err, diff)
		}
	}
	top, err := s.TopPosts(ctx, postil.TrendQuery{Site: "blog", By: postil.ByDay, From: eve.Add(-72 * time.Hour), To: eve.Add(72 * time.Hour)}, 20)
	if diff := cmp.Diff([]postil.PostViews{{Post: "/p", N: 5}, {Post: "/q", N: 1}}, top); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// sweepAt sweeps as if it were that time.
func sweepAt(t testing.TB, s *Store, now time.Time) {
	t.Helper()
	s.opt.Now = func(context.Context) time.Time { return now }
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestOldHoursGoAndTheirDaysStay(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addViews(t, s, "one", 1, postil.HourViews{Site: "blog", Post: "/p", Hour: eve.Add(-31 * 24 * time.Hour), N: 2}, postil.HourViews{Site: "blog", Post: "/p", Hour: eve, N: 3})
	sweepAt(t, s, eve)
	for by, want := range map[postil.Span]int{postil.ByHour: 1, postil.ByDay: 2} {
		points, err := s.Trend(ctx, postil.TrendQuery{Site: "blog", Post: "/p", By: by, From: eve.Add(-90 * 24 * time.Hour), To: eve})
		if err != nil || len(points) != want {
			t.Errorf("by %s: %v, %v", by, points, err)
		}
	}
	if n := viewsOf(t, s, "/p"); n != 5 {
		t.Errorf("%d reads in all, not 5", n)
	}
}

func TestInventedPathsDoNotFillTheDisk(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addViews(t, s, "one", 1, postil.HourViews{Site: "blog", Post: "/real", Hour: eve, N: 1})
	meddle(t, s, `WITH RECURSIVE n (value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n WHERE value < ?)
		INSERT INTO views (site_id, post_id, span, at, n) SELECT 'blog', '/x' || value, 'total', 0, 1 FROM n`, maxCounted)
	addViews(t, s, "one", 2, postil.HourViews{Site: "blog", Post: "/new", Hour: eve, N: 1}, postil.HourViews{Site: "blog", Post: "/real", Hour: eve, N: 1})
	for post, want := range map[postil.PostID]int64{"/new": 0, "/real": 2, "": 3} {
		if n := viewsOf(t, s, post); n != want {
			t.Errorf("%q: %d reads, not %d", post, n, want)
		}
	}
}

func ask(t testing.TB, s *Store, site postil.SiteID, day int, text string) {
	t.Helper()
	asked := eve.Add(time.Duration(day) * 24 * time.Hour)
	id := fmt.Sprintf("%s-%s", asked.Format(time.DateOnly), strings.ReplaceAll(text, " ", ""))
	if err := s.AddQuestion(ctx, postil.Question{ID: id, Site: site, Text: text, Actor: "actor", Asked: asked}, strings.ToLower(text)); err != nil {
		t.Fatal(err)
	}
}

func texts(t testing.TB, s *Store, f postil.QuestionFilter) (out []string) {
	t.Helper()
	if f.Limit == 0 {
		f.Limit = 2
	}
	for {
		p, err := s.Questions(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range p.Questions {
			out = append(out, q.Text)
		}
		if f.Cursor = p.Next; p.Next == "" {
			return out
		}
	}
}

func TestQuestionsAreListedNewestFirstAndNarrowed(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	if _, err := s.AddSite(ctx, postil.Site{ID: "other", Policy: postil.HoldAll}, somebody); err != nil {
		t.Fatal(err)
	}
	ask(t, s, "blog", 0, "One")
	ask(t, s, "blog", 1, "Two")
	ask(t, s, "blog", 1, "Three 100%_")
	ask(t, s, "other", 2, "Four")
	if _, err := s.TagQuestion(ctx, "2026-12-01-Two", []string{"price"}, somebody); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		f    postil.QuestionFilter
		want []string
	}{
		{"all", postil.QuestionFilter{}, []string{"Four", "Two", "Three 100%_", "One"}},
		{"site", postil.QuestionFilter{Site: "blog"}, []string{"Two", "Three 100%_", "One"}},
		{"text", postil.QuestionFilter{Query: "t"}, []string{"Two", "Three 100%_"}},
		{"signs of patterns are plain text", postil.QuestionFilter{Query: "%_"}, []string{"Three 100%_"}},
		{"tag", postil.QuestionFilter{Tag: "price"}, []string{"Two"}},
		{"a part of a tag is none", postil.QuestionFilter{Tag: "pri"}, nil},
		{"from is included", postil.QuestionFilter{From: eve.Add(24 * time.Hour)}, []string{"Four", "Two", "Three 100%_"}},
		{"to is not", postil.QuestionFilter{To: eve.Add(24 * time.Hour)}, []string{"One"}},
	} {
		if got := texts(t, s, c.f); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
	for _, cursor := range []string{"%", "MSA", "eCB4", "MQ"} {
		if _, err := s.Questions(ctx, postil.QuestionFilter{Cursor: cursor}); postil.KindOf(err) != postil.Invalid {
			t.Errorf("cursor %q: %v", cursor, err)
		}
	}
}

func TestAQuestionGoesWithItsTimeItsSiteOrByHand(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	ask(t, s, "blog", 0, "Old")
	ask(t, s, "blog", 1, "Mid")
	ask(t, s, "blog", 2, "New")
	sweepAt(t, s, eve.Add(30*24*time.Hour+time.Second))
	if err := s.RemoveQuestion(ctx, "2026-12-01-Mid", somebody); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, s, postil.QuestionFilter{}); !slices.Equal(got, []string{"New"}) {
		t.Errorf("%q", got)
	}
	_, tagged := s.TagQuestion(ctx, "2026-12-01-Mid", nil, somebody)
	_, read := s.Question(ctx, "2026-12-01-Mid")
	for _, err := range []error{tagged, read, s.RemoveQuestion(ctx, "2026-12-01-Mid", somebody), s.AddQuestion(ctx, postil.Question{ID: "x", Site: "gone"}, "")} {
		if postil.KindOf(err) != postil.NotFound {
			t.Errorf("what is not there: %v", err)
		}
	}
	if err := s.RemoveSite(ctx, "blog", somebody); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, s, postil.QuestionFilter{}); got != nil {
		t.Errorf("%q outlive their site", got)
	}
}
