package telegram_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
)

func TestTG_08_ADecisionIsAppliedThoughItsAnswerComesTooLate(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.recorded()
	r.halt()
	if _, err := r.fake.Press(group, card.ID, "Approve", anna); err != nil {
		t.Fatal(err)
	}
	r.clock.pass(time.Minute) // the backlog after a restart
	r.make()
	r.run()
	r.edited(group, card.ID, "Approved by Anna")
	r.wantStatus(c.ID, postil.Approved)
	if n := len(r.fake.Answers()); n != 0 {
		t.Errorf("%d answers were accepted", n)
	}
	for l := range strings.Lines(r.logs.String()) {
		if strings.Contains(l, "too old") && !strings.Contains(l, "level=DEBUG") {
			t.Errorf("logged above debug: %s", l)
		}
	}
}

func TestASecondPressSaysWhoWasFirst(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.press(card, "Approve", anna)
	r.edited(group, card.ID, "Approved by Anna")
	stale := card.Buttons[0]
	for i, want := range []string{"Already approved by Anna at ", "Already approved by Anna at ", "Already approved by Anna at "} {
		a := r.answer(r.fake.PressData(group, card.ID, stale[i].Data, bert))
		wantIn(t, a.Text, want)
	}
	r.wantStatus(c.ID, postil.Approved)
	if h, err := r.store.History(context.Background(), c.ID); err != nil || len(h) != 1 {
		t.Errorf("%d decisions, %v", len(h), err)
	}
}

func TestTwoModeratorsAtTheSameMomentHaveOneWinner(t *testing.T) {
	t.Parallel()
	r := open(t, 30).run()
	var wait sync.WaitGroup
	for i := range 10 {
		c := r.write(words{text: fmt.Sprint("comment ", i)})
		card := r.card(group, i+1)
		for label, by := range map[string]fakebot.User{"Approve": anna, "Spam": bert} {
			wait.Go(func() { _, _ = r.fake.Press(group, card.ID, label, by) })
		}
		wait.Wait()
		r.await("both are answered", func(st *fakebot.State) bool { return len(st.Answers()) == 2*(i+1) })
		h, err := r.store.History(context.Background(), c.ID)
		if err != nil || len(h) != 1 {
			t.Fatalf("%d decisions, %v", len(h), err)
		}
		told := r.fake.Answers()[2*i:]
		if n := strings.Count(told[0].Text+told[1].Text, "Already"); n != 1 {
			t.Errorf("%q and %q", told[0].Text, told[1].Text)
		}
	}
}

func TestAPressOnAnOldTextIsRefusedAndTheCardRenewed(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "nice text"})
	card := r.card(group, 1)
	r.recorded()
	r.change(c.ID, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, Text: &postil.TextChange{Text: "buy pills", HTML: "x"}}, nil
	})
	if a := r.press(card, "Approve", anna); !a.ShowAlert || !strings.Contains(a.Text, "changed the text") {
		t.Errorf("answered %+v", a)
	}
	r.wantStatus(c.ID, postil.Pending)
	card = r.edited(group, card.ID, "buy pills")
	r.press(card, "Spam", anna)
	r.wantStatus(c.ID, postil.Spam)
}

func TestUndoIsRefusedWhenSomebodyDecidedLater(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.press(card, "Approve", anna)
	card = r.edited(group, card.ID, "Approved by Anna")
	r.decide(c.ID, postil.Reject)
	r.edited(group, card.ID, "Rejected by Carla")
	a := r.answer(r.fake.PressData(group, card.ID, card.Buttons[0][0].Data, anna))
	wantIn(t, a.Text, "later decision", "Carla")
	r.wantStatus(c.ID, postil.Rejected)
}

func TestTG_17_ThirtyTapsInTenSecondsAllCount(t *testing.T) {
	t.Parallel()
	r := open(t, 10)
	r.fake.AddChat(anna.ID, "private")
	r.cfg.Chats[0].Chat = anna.ID
	r.taps.left = 30
	r.make()
	r.run()
	var comments []postil.Comment
	for i := range 31 {
		comments = append(comments, r.write(words{text: fmt.Sprint("comment ", i)}))
	}
	r.card(anna.ID, 31)
	r.recorded()
	cards := byBot(r.fake.Messages(anna.ID))
	for i := range 30 {
		if a := r.press(cards[i], "Approve", anna); a.Text != "✅ Approved" {
			t.Fatalf("tap %d: %q", i, a.Text)
		}
	}
	a := r.press(cards[30], "Approve", anna)
	wantIn(t, a.Text, "too fast", "Nothing was changed", "5s")
	for i, c := range comments[:30] {
		r.edited(anna.ID, cards[i].ID, "Approved by Anna")
		r.wantStatus(c.ID, postil.Approved)
	}
	r.wantStatus(comments[30].ID, postil.Pending)
}

func TestTG_20_StrangersChangeNothingAndAreToldInFullOnce(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	mask := fakebot.AnonymousAdmin(group)
	r.cfg.Moderators = append(r.cfg.Moderators, mask.ID)
	r.make()
	r.run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	for range 200 {
		if _, err := r.fake.Press(group, card.ID, "Approve", eve); err != nil {
			t.Fatal(err)
		}
	}
	a := r.press(card, "Approve", mask) // an anonymous administrator, though on the list
	wantIn(t, a.Text, "Only the moderators")
	notices, short := 0, 0
	for _, a := range r.fake.Answers() {
		switch {
		case a.By.ID != eve.ID:
		case strings.Contains(a.Text, "Only the moderators"):
			notices++
		default:
			short++
			wantIn(t, a.Text, "Nothing was changed")
		}
	}
	if notices != 1 || short < 30 || short > 60 {
		t.Errorf("%d notices and %d short answers", notices, short)
	}
	r.wantStatus(c.ID, postil.Pending)
	r.fake.Say(group, "I answer this", eve, card.ID)
	r.fake.Say(group, "so do I", mask, card.ID)
	r.fake.Say(group, "/queue", eve, 0)
	r.await("everything is read", func(st *fakebot.State) bool { return st.Pending() == 0 && st.Polling() })
	r.wantStatus(c.ID, postil.Pending)
	if n := len(byBot(r.fake.Messages(group))); n != 1 {
		t.Errorf("%d messages of the bot", n)
	}
	r.taps.mu.Lock()
	defer r.taps.mu.Unlock()
	if r.taps.left != 1000 {
		t.Error("strangers used up the moderators' allowance")
	}
}

func TestTG_20_AButtonOnAForwardedMessageDoesNothing(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	forwarded := func(id string, message any) {
		r.fake.Push("callback_query", map[string]any{"id": id, "from": anna, "chat_instance": "1", "data": card.Buttons[0][0].Data, "message": message, "inline_message_id": "x"})
	}
	forwarded("1", map[string]any{"message_id": 5, "date": 9, "forward_date": 5, "forward_from": r.fake.Self(), "chat": map[string]any{"id": anna.ID, "type": "private"}})
	forwarded("2", nil)
	r.await("both are read", func(st *fakebot.State) bool { return len(st.Calls("answerCallbackQuery")) == 2 })
	for _, call := range r.fake.Calls("answerCallbackQuery") {
		wantIn(t, call.Params["text"], "copy of a card")
	}
	r.wantStatus(c.ID, postil.Pending)
}

func TestARoleIsCheckedAtEachPress(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	ctx := context.Background()
	if _, err := r.store.AddSite(ctx, postil.Site{ID: "other", Name: "Other", Policy: postil.HoldAll}, rest); err != nil {
		t.Fatal(err)
	}
	m, err := r.store.AddModerator(ctx, postil.Moderator{Name: "Dora", Role: postil.ModeratorRole, Site: "other"}, "h", r.clock.now().Add(time.Hour), rest)
	if err != nil {
		t.Fatal(err)
	}
	dora := fakebot.User{ID: 9, FirstName: "D"}
	if _, err := r.store.LinkModerator(ctx, "h", dora.ID); err != nil {
		t.Fatal(err)
	}
	r.run()
	foreign := r.write(words{text: "on the blog"})
	a := r.press(r.card(group, 1), "Approve", dora)
	wantIn(t, a.Text, "site that you do not moderate")
	r.wantStatus(foreign.ID, postil.Pending)
	own := r.write(words{text: "on the other site", site: "other"})
	card := r.card(group, 2)
	r.press(card, "Reject", dora)
	wantIn(t, r.edited(group, card.ID, "Rejected by Dora").Text, "Other · Hello")
	r.wantStatus(own.ID, postil.Rejected)
	if err := r.store.RevokeModerator(ctx, m.ID, rest); err != nil {
		t.Fatal(err)
	}
	r.recorded()
	wantIn(t, r.press(find(r.fake.Messages(group), card.ID), "Restore", dora).Text, "Only the moderators")
	r.wantStatus(own.ID, postil.Rejected)
}

func TestForgedButtonsAreRefusedKindly(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	r.card(group, 1)
	for data, want := range map[string]string{
		"approve":              "older release",
		"1:a:1:0:x:0":          "older release",
		"1:x:1:0:p:0":          "older release",
		"1:a:zzz:1:p:0":        "no longer exists",
		"1:u:1:0:p:1":          "at this address", // a decision that never was
		"1:a:-1:0:p:0":         "older release",
		"1:a:1:0:p:0:1":        "older release",
		"1:a:zzzzzzzzzzzzzz:0": "older release",
	} {
		if a := r.answer(r.fake.PressData(group, 99, data, anna)); !strings.Contains(a.Text, want) {
			t.Errorf("%s: %q", data, a.Text)
		}
	}
	r.wantStatus(c.ID, postil.Pending)
}
