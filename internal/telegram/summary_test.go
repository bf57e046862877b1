package telegram_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
)

// spammed stores a comment that the checks stop as spam, with some doubt.
func (r *room) spammed(text string, doubt float64) postil.Comment {
	r.t.Helper()
	out, err := r.store.AddComment(context.Background(), postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/spam", Title: "<Cheap> & cheerful"},
		Author: postil.Author{Name: "S. <b>Ender"}, Text: text, HTML: "<p>x</p>", Nonce: "n"}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.change(out.Comment.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return &postil.Change{Verb: postil.MarkSpam, To: postil.Spam, By: postil.By{Channel: postil.ByCheck, Actor: "check"}, Review: postil.CloseReview,
			Checks: &postil.Conclusion{Verdict: postil.VerdictSpam, Doubt: doubt}}, nil
	})
}

func TestAWeeklySummaryTellsHowItWentAndTakesBackAStopWithOnePress(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.write(words{text: "A question."})
	r.card(group, 1)
	r.recorded()
	sure, doubted := r.spammed("buy <now>", 0), r.spammed("is this really spam?", 0.4)
	r.clock.pass(3 * time.Hour)
	r.event(postil.Event{Kind: postil.NoticeRaised, Notice: postil.WeeklySummary, Site: "blog", At: r.clock.now()})
	m := r.card(group, 2)
	wantIn(t, m.Text, "Ann's blog: the last week", "3 comments received · 0 published · 2 stopped as spam", "1 waits, the oldest for 3 h", "/p – 1 comment",
		"1. S. <b>Ender · <Cheap> & cheerful\nis this really spam?", "2. S. <b>Ender")
	wantLabels(t, m, "♻️ 1", "♻️ 2")
	for _, row := range m.Buttons {
		for _, k := range row {
			if len(k.Data) > 64 {
				t.Errorf("%q is too long", k.Data)
			}
		}
	}
	if a := r.press(m, "♻️ 1", eve); strings.Contains(a.Text, "Approved") {
		t.Errorf("a stranger: %+v", a)
	}
	r.wantStatus(doubted.ID, postil.Spam)
	if a := r.press(m, "♻️ 1", anna); a.Text != "✅ Approved" {
		t.Errorf("answered %+v", a)
	}
	r.wantStatus(doubted.ID, postil.Approved)
	r.await("its button is gone", func(st *fakebot.State) bool { return len(find(st.Messages(group), m.ID).Labels()) == 1 })
	after := find(r.fake.Messages(group), m.ID)
	wantLabels(t, after, "♻️ 2")
	if after.Text != m.Text {
		t.Errorf("the summary became %q", after.Text)
	}
	d, err := r.store.Detail(context.Background(), doubted.ID)
	if err != nil {
		t.Fatal(err)
	}
	if last := d.History[len(d.History)-1]; last.By.Channel != postil.ByTelegram || last.By.Name != "Anna" || last.Verb != postil.Approve { // what teaches
		t.Errorf("decided %+v", last)
	}
	r.decide(sure.ID, postil.Delete)
	if a := r.press(after, "♻️ 2", anna); !strings.Contains(a.Text, "Deleted") && !strings.Contains(a.Text, "deleted") {
		t.Errorf("too late: %+v", a)
	}
	r.wantStatus(sure.ID, postil.Deleted)
	r.noRefusal()
}

func TestADailySummaryHasNoButtonsAndNobodyIsBotheredWithNothing(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.cfg.Language = "de"
	r.make()
	r.run()
	r.event(postil.Event{Kind: postil.NoticeRaised, Notice: postil.DailySummary, Site: "blog", At: r.clock.now()})
	r.event(postil.Event{Kind: postil.NoticeRaised, Notice: postil.DailySummary, Site: "gone", At: r.clock.now()})
	if m := byBot(r.fake.Messages(group)); len(m) != 0 {
		t.Errorf("bothered with %+v", m)
	}
	r.spammed("buy now", 0.4)
	r.clock.pass(time.Hour)
	r.event(postil.Event{Kind: postil.NoticeRaised, Notice: postil.DailySummary, Site: "blog", At: r.clock.now()})
	m := r.card(group, 1)
	wantIn(t, m.Text, "der letzte Tag", "1 Kommentar eingegangen · 0 veröffentlicht · 1 als Spam gestoppt")
	wantLabels(t, m)
	r.noRefusal()
}
