package qlog_test

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/qlog"
	"github.com/postil/postil/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ctx = context.Background()
	ann = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Ann"}
)

// open returns a log over a real store with the site "blog"; the time is fixed.
func open(t *testing.T, now time.Time) *qlog.Log {
	t.Helper()
	clock := func(context.Context) time.Time { return now }
	s, err := store.Open(ctx, slog.New(slog.DiscardHandler), storetest.Path(t), store.Options{Now: clock})
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
	if _, err := s.AddSite(ctx, postil.Site{ID: "blog", Name: "Blog", Policy: postil.HoldAll}, ann); err != nil {
		t.Fatal(err)
	}
	return qlog.New(s, clock)
}

func TestAQuestionIsKeptWithItsDayAndFoundAgain(t *testing.T) {
	t.Parallel()
	// 23:30 in UTC, the next day in the zone of the clock.
	now := time.Date(2026, 12, 1, 8, 30, 0, 0, time.FixedZone("JST", 9*3600))
	l := open(t, now)
	asked, err := l.Ask(ctx, "blog", "actor", "Wie lang ist die STRASSE nach Überlingen?")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^2026-11-30-[a-z2-7]{16}$`).MatchString(asked.ID) {
		t.Errorf("the id is %s", asked.ID)
	}
	kept, err := l.Question(ctx, asked.ID)
	if err != nil || kept.Text != asked.Text || kept.Actor != "actor" || !kept.Asked.Equal(now) {
		t.Errorf("kept is %+v, %v", kept, err)
	}
	for query, found := range map[string]bool{"straße": true, "uberlingen": true, "ÜBERLINGEN?": true, "%": false, "Konstanz": false} {
		p, err := l.Questions(ctx, postil.QuestionFilter{Query: query, Limit: 10})
		if err != nil || (len(p.Questions) == 1) != found {
			t.Errorf("%q finds %v, %v", query, p.Questions, err)
		}
	}
}

func TestWhatIsNotOnDiskIsAnError(t *testing.T) {
	t.Parallel()
	l := open(t, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	if _, err := l.Ask(ctx, "gone", "actor", "Anybody there?"); postil.KindOf(err) != postil.NotFound {
		t.Errorf("a site that is gone: %v", err)
	}
	late, stop := context.WithCancel(ctx)
	stop()
	if _, err := l.Ask(late, "blog", "actor", "Too late?"); err == nil {
		if p, _ := l.Questions(ctx, postil.QuestionFilter{}); len(p.Questions) != 1 {
			t.Error("a question was acknowledged and is not there")
		}
	}
}

func TestQuestionsHave1To1000Characters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{" \t\r\n Why?\u00a0\u3000\ufeff", "Why?"},
		{"two\r\nlines", "two\nlines"},
		{"a\x00b\x1b[31m", "ab[31m"},
		{"\xff?", "\ufffd?"},
		{strings.Repeat("😀", 1000), strings.Repeat("😀", 1000)},
		{" " + strings.Repeat("e\u0301", 500) + " ", strings.Repeat("e\u0301", 500)},
		{"😀", "😀"},
		{"", ""}, {" \t\n\u00a0\u3000\u2028 ", ""}, {"\u200b\u200d\ufeff", ""},
		{strings.Repeat("😀", 1001), ""}, {strings.Repeat("a", 1001), ""},
	} {
		got, err := postil.CleanQuestion(c.in)
		if got != c.want || (postil.KindOf(err) == postil.Invalid) != (c.want == "") {
			t.Errorf("%.40q becomes %.40q, %v", c.in, got, err)
		}
	}
}

func TestTagsAreTidy(t *testing.T) {
	t.Parallel()
	got, err := postil.CleanTags([]string{" Price ", "price", "Éte\u0301", "two  words"})
	if err != nil || !slices.Equal(got, []string{"price", "two words", "été"}) {
		t.Errorf("%q, %v", got, err)
	}
	many := make([]string, 21)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	for name, tags := range map[string][]string{"blank": {" "}, "too long": {strings.Repeat("ü", 41)}, "too many": many} {
		if _, err := postil.CleanTags(tags); postil.KindOf(err) != postil.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if none, err := postil.CleanTags(nil); err != nil || none == nil || len(none) != 0 {
		t.Errorf("no tags: %v, %v", none, err)
	}
}
