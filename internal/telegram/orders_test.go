package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/telegram"
)

// book keeps who was banned, trusted and locked.
type book struct {
	mu    sync.Mutex
	lines []string
	fails error
}

func (b *book) note(format string, args ...any) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails == nil {
		b.lines = append(b.lines, fmt.Sprintf(format, args...))
	}
	return b.fails
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.lines, "; ")
}

func (b *book) Ban(_ context.Context, c postil.Comment, by postil.By) error {
	return b.note("ban %s by %s", c.Origin.Device, by.Name)
}

func (b *book) Trust(_ context.Context, c postil.Comment, by postil.By) error {
	return b.note("trust %s by %s", c.Origin.Device, by.Name)
}

func (b *book) Lockdown(_ context.Context, site postil.SiteID, on bool, by postil.By) error {
	return b.note("lockdown %s %t by %s", site, on, by.Name)
}

func (b *book) CanSlow() bool { return true }

func (b *book) Slow(_ context.Context, site postil.SiteID, on bool, by postil.By) error {
	return b.note("slow %s %t by %s", site, on, by.Name)
}

func withBook(t *testing.T) (*room, *book) {
	t.Helper()
	r, b := open(t, 1), &book{}
	r.authors, r.switches = b, b
	r.make()
	return r, b
}

func TestMoreLeadsToBanAndTrust(t *testing.T) {
	t.Parallel()
	r, b := withBook(t)
	r.run()
	r.write(words{text: "hello", device: "dev"})
	card := r.card(group, 1)
	r.recorded()
	wantLabels(t, card, "✅ Approve", "🚫 Reject", "🗑 Spam", "⋯ More")
	for _, step := range []struct{ press, says, noted string }{
		{"Ban author", "banned", "ban dev by Anna"},
		{"Trust author", "trusted", "ban dev by Anna; trust dev by Anna"},
	} {
		r.press(find(r.fake.Messages(group), card.ID), "More", anna)
		r.await("the other side", func(st *fakebot.State) bool { return len(find(st.Messages(group), card.ID).Labels()) == 3 })
		wantLabels(t, find(r.fake.Messages(group), card.ID), "⛔ Ban author", "⭐ Trust author", "‹ Back")
		wantIn(t, r.press(find(r.fake.Messages(group), card.ID), step.press, anna).Text, step.says)
		if b.String() != step.noted {
			t.Errorf("noted %q", b)
		}
		r.press(find(r.fake.Messages(group), card.ID), "Back", anna)
		r.await("the first side", func(st *fakebot.State) bool { return len(find(st.Messages(group), card.ID).Labels()) == 4 })
	}
	r.press(find(r.fake.Messages(group), card.ID), "Approve", anna)
	wantLabels(t, r.edited(group, card.ID, "Approved by Anna"), "↩️ Undo", "🚫 Reject")

	r.write(words{text: "from nowhere"}) // no device: nobody to recognise
	wantLabels(t, r.card(group, 2), "✅ Approve", "🚫 Reject", "🗑 Spam")
	r.noRefusal()
}

func TestABanThatFailsSaysSo(t *testing.T) {
	t.Parallel()
	r, b := withBook(t)
	b.fails = errors.New("disk full")
	r.run()
	r.write(words{text: "hello", device: "dev"})
	card := r.card(group, 1)
	a := r.answer(r.fake.PressData(group, card.ID, strings.Replace(card.Buttons[0][0].Data, ":a:", ":b:", 1), anna))
	wantIn(t, a.Text, "on our side")
}

func TestBanAndTrustAsAnswersToACard(t *testing.T) {
	t.Parallel()
	r, b := withBook(t)
	r.run()
	r.write(words{text: "hello", device: "dev"})
	card := r.card(group, 1)
	r.recorded()
	wantIn(t, r.said(group, r.fake.Say(group, "/ban", anna, 0)).Text, "as an answer to the card")
	wantIn(t, r.said(group, r.fake.Say(group, "/ban", anna, card.ID)).Text, "banned")
	wantIn(t, r.said(group, r.fake.Say(group, "/trust", bert, card.ID)).Text, "trusted")
	if want := "ban dev by Anna; trust dev by Bert"; b.String() != want {
		t.Errorf("noted %q", b)
	}
}

func TestLockdownAndSlowConcernTheSitesOfTheChat(t *testing.T) {
	t.Parallel()
	r, b := withBook(t)
	if _, err := r.store.AddSite(context.Background(), postil.Site{ID: "other", Policy: postil.HoldAll}, rest); err != nil {
		t.Fatal(err)
	}
	r.fake.AddChat(-5, "group")
	r.cfg.Chats = []telegram.ChatRule{{Chat: group}, {Chat: -5, Site: "other"}}
	r.make()
	r.run()
	wantIn(t, r.said(group, r.fake.Say(group, "/lockdown", anna, 0)).Text, "/lockdown on")
	wantIn(t, r.said(group, r.fake.Say(group, "/lockdown on", anna, 0)).Text, "blog, other")
	wantIn(t, r.said(-5, r.fake.Say(-5, "/lockdown off", anna, 0)).Text, "Open again: other")
	wantIn(t, r.said(-5, r.fake.Say(-5, "/slow on blog", anna, 0)).Text, "do not moderate")
	wantIn(t, r.said(group, r.fake.Say(group, "/slow ON blog", anna, 0)).Text, "Slow mode is on for blog")
	want := "lockdown blog true by Anna; lockdown other true by Anna; lockdown other false by Anna; slow blog true by Anna"
	if b.String() != want {
		t.Errorf("noted %q", b)
	}
	r.fake.Say(group, "/lockdown on", eve, 0)
	r.read()
	if b.String() != want {
		t.Errorf("a stranger: %q", b)
	}
}

func TestCommandsHaveALimitByTheMinuteAndExpensiveOnesByTheDay(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.orders.left = 3
	r.run()
	for range 3 {
		wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/queue", anna, 0)).Text, "Nothing waits")
	}
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/queue", anna, 0)).Text, "too fast", "5s")
	r.orders.mu.Lock()
	r.orders.left = 1000
	r.orders.mu.Unlock()
	ctx := context.Background()
	for range 200 {
		if ok, err := r.store.TakeQuota(ctx, "stats", "telegram:7", 200); err != nil || !ok {
			t.Fatalf("%t, %v", ok, err)
		}
	}
	r.halt()
	r.make() // it is remembered
	r.run()
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/stats", anna, 0)).Text, "used 200 times today")
	wantIn(t, r.said(bert.ID, r.fake.Say(bert.ID, "/stats", bert, 0)).Text, "blog: 0 wait · 0 approved")
	r.clock.pass(24 * time.Hour)
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/stats", anna, 0)).Text, "blog: 0 wait")
}

func TestTheMenuIsOfferedInEveryLanguage(t *testing.T) {
	t.Parallel()
	r, _ := withBook(t)
	r.run()
	r.await("the menu", func(st *fakebot.State) bool { return len(st.Calls("setMyCommands")) >= 7 && st.Polling() })
	seen := map[string]bool{}
	for _, c := range r.fake.Calls("setMyCommands") {
		if c.Status != 200 {
			t.Errorf("refused: %s", c.Description)
		}
		seen[c.Params["language_code"]] = true
		for _, name := range []string{"queue", "next", "stats", "ban", "trust", "lockdown", "slow", "mute", "help"} {
			if !strings.Contains(c.Params["commands"], `"`+name+`"`) {
				t.Errorf("%s is missing in %s", name, c.Params["commands"])
			}
		}
	}
	for _, code := range []string{"", "de", "en", "es", "fr", "ru", "zh"} {
		if !seen[code] {
			t.Errorf("no menu for %q", code)
		}
	}
}

func TestSearchFindsWhatWasWrittenAndShowsItsCards(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.cfg.Search = true
	r.make()
	r.run()
	c := r.write(words{text: "cheap watches here"})
	r.write(words{text: "something else"})
	r.decide(c.ID, postil.MarkSpam)
	r.card(group, 1)
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/search", anna, 0)).Text, "/search cheap watches")
	var found fakebot.Message
	r.until("it is found", func() bool { // the index may come a moment later
		found = r.said(anna.ID, r.fake.Say(anna.ID, "/search watches", anna, 0))
		return strings.Contains(found.Text, "1 comment was found")
	})
	wantIn(t, found.Text, "cheap watches here", "· spam")
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/search \"*<( nowhere", anna, 0)).Text, "Nothing was found")
	r.noRefusal()
}
