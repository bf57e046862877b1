package telegram_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/telegram"
)

func TestTG_07_NotModifiedIsASuccessAndKeepsTheButtons(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.recorded()
	r.fake.Fail("editMessageText", group, 1, fakebot.Fault{Status: 400, Description: "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"})
	r.change(c.ID, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, Text: &postil.TextChange{Text: "hello again", HTML: "x"}}, nil
	})
	r.event(postil.Event{Kind: postil.CommentUpdated, Site: "blog", Comment: c.ID})
	r.await("the edit", func(st *fakebot.State) bool { return len(st.Calls("editMessageText")) == 1 })
	r.recorded()
	card = find(r.fake.Messages(group), card.ID)
	wantLabels(t, card, "✅ Approve", "🚫 Reject", "🗑 Spam")
	if n := len(byBot(r.fake.Messages(group))); n != 1 {
		t.Errorf("%d messages", n)
	}
	if st, err := r.bot.Status(context.Background()); err != nil || st.Undelivered != 0 || st.Problem != "" {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestTG_07_ARefusedTextIsSentInShortWithItsButtons(t *testing.T) {
	t.Parallel()
	for method, words400 := range map[string]string{
		"sendMessage":     "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 3",
		"editMessageText": "Bad Request: MESSAGE_TOO_LONG",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			r := open(t, 1).run()
			r.fake.Fail(method, group, 1, fakebot.Fault{Status: 400, Description: words400})
			c := r.write(words{text: "hello <b>"})
			card := r.card(group, 1)
			wantLabels(t, card, "✅ Approve", "🚫 Reject", "🗑 Spam")
			wantIn(t, card.Text, "hello <b>")
			r.press(card, "Approve", anna)
			card = r.edited(group, card.ID, "Approved by Anna")
			wantLabels(t, card, "↩️ Undo", "🚫 Reject")
			r.wantStatus(c.ID, postil.Approved)
		})
	}
}

func TestTG_10_AChatOutOfReachIsLeftAloneAndItsCommentsWait(t *testing.T) {
	t.Parallel()
	for _, refusal := range []fakebot.Fault{
		fakebot.BlockedByUser(),
		{Status: 403, Description: "Forbidden: the group chat was deleted"},
		{Status: 400, Description: "Bad Request: chat not found"},
	} {
		t.Run(refusal.Description, func(t *testing.T) {
			t.Parallel()
			r := open(t, 100)
			r.fake.AddChat(anna.ID, "private")
			r.cfg.Chats = []telegram.ChatRule{{Chat: group}, {Chat: anna.ID}}
			r.make()
			r.run()
			r.fake.Fail("sendMessage", group, -1, refusal)
			var comments []postil.Comment
			for i := range 3 {
				comments = append(comments, r.write(words{text: fmt.Sprint("comment ", i)}))
			}
			r.card(anna.ID, 3) // the other chat is not held up
			r.until("the trouble is known", func() bool {
				chats, err := r.store.Chats(context.Background())
				return err == nil && len(chats) == 1 && chats[0].Failures >= 2 && !chats[0].RetryAt.IsZero()
			})
			st, err := r.bot.Status(context.Background())
			if err != nil || st.Undelivered == 0 || !strings.Contains(st.Problem, refusal.Description) {
				t.Errorf("%+v, %v", st, err)
			}
			if n := len(r.fake.Calls("sendMessage")); n > 12 {
				t.Errorf("%d attempts in two pauses", n)
			}
			for _, c := range comments {
				r.wantStatus(c.ID, postil.Pending)
			}
			r.fake.Heal()
			r.fake.Push("my_chat_member", map[string]any{"chat": map[string]any{"id": group, "type": "supergroup"}, "from": anna, "date": 1,
				"old_chat_member": map[string]any{"user": r.fake.Self(), "status": "kicked"}, "new_chat_member": map[string]any{"user": r.fake.Self(), "status": "member"}})
			for i := range comments {
				wantIn(t, r.card(group, i+1).Text, fmt.Sprint("comment ", i))
			}
			r.recorded()
			r.until("the trouble is over", func() bool {
				st, err := r.bot.Status(context.Background())
				return err == nil && st.Undelivered == 0 && st.Problem == ""
			})
		})
	}
}

func TestTG_11_ABurstIsShownOnceEachInOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		limit, comments int
		most            int // refusals that Telegram has to send
	}{
		{"TG-11 a group that takes 20 a minute", 20, 120, 2},
		{"TG-11 a group that takes less than we think", 2, 10, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := open(t, 60)
			r.fake.SetLimit(group, tt.limit, time.Minute)
			r.run()
			for i := range tt.comments {
				r.write(words{text: fmt.Sprintf("comment %03d.", i)})
			}
			r.card(group, tt.comments)
			r.recorded()
			own := byBot(r.fake.Messages(group))
			if len(own) != tt.comments {
				t.Fatalf("%d messages", len(own))
			}
			for i, m := range own {
				if !strings.Contains(m.Text, fmt.Sprintf("comment %03d.", i)) {
					t.Fatalf("message %d is\n%s", i, m.Text)
				}
				wantLabels(t, m, "✅ Approve", "🚫 Reject", "🗑 Spam")
			}
			refused := 0
			for _, c := range r.fake.Calls("sendMessage") {
				if c.Status == 429 {
					refused++
				}
			}
			if refused > tt.most || tt.limit < 20 && refused == 0 {
				t.Errorf("Telegram had to refuse %d times", refused)
			}
		})
	}
}

func TestTG_11_RetryAfterIsObeyedAndEditsGoFirst(t *testing.T) {
	t.Parallel()
	r := open(t, 2).run()
	first := r.write(words{text: "first"})
	card := r.card(group, 1)
	r.recorded()
	r.fake.Fail("sendMessage", group, 1, fakebot.TooManyRequests(7))
	r.write(words{text: "second"})
	r.write(words{text: "third"})
	r.await("the refusal", func(st *fakebot.State) bool { return len(st.Calls("sendMessage")) == 2 })
	r.decide(first.ID, postil.Approve)
	r.card(group, 3)
	calls := r.fake.Calls("sendMessage", "editMessageText")
	if d := calls[2].At.Sub(calls[1].At); d < 7*time.Second {
		t.Errorf("tried again after %s", d)
	}
	if calls[2].Method != "editMessageText" || calls[2].MessageID != card.ID {
		t.Errorf("first came %s", calls[2].Method)
	}
	wantIn(t, r.card(group, 2).Text, "second")
	wantIn(t, r.card(group, 3).Text, "third")
}

func TestTG_13_AnOldMessageThatCannotBeEditedIsFollowedByANote(t *testing.T) {
	t.Parallel()
	for _, why := range []string{"Bad Request: message can't be edited", "Bad Request: message to edit not found"} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			r := open(t, 1)
			r.fake.SetEditWindow(48 * time.Hour)
			r.run()
			c := r.write(words{text: "hello"})
			card := r.card(group, 1)
			r.recorded()
			if strings.Contains(why, "not found") {
				r.fake.Fail("editMessageText", group, -1, fakebot.Fault{Status: 400, Description: why})
			}
			r.clock.pass(50 * time.Hour)
			r.decide(c.ID, postil.Approve)
			note := r.card(group, 2)
			wantIn(t, note.Text, "✅ Approved by Carla", "Ann on Hello")
			r.recorded()
			r.event(postil.Event{Kind: postil.CommentDecided, Site: "blog", Comment: c.ID})
			r.recorded()
			old := find(r.fake.Messages(group), card.ID)
			wantIn(t, r.press(old, "Reject", anna).Text, "Already approved by Carla")
			r.wantStatus(c.ID, postil.Approved)
			r.recorded()
			if n := len(byBot(r.fake.Messages(group))); n != 2 {
				t.Errorf("%d messages", n)
			}
			if cards, err := r.store.CardsOf(context.Background(), c.ID); err != nil || !cards[0].Final {
				t.Errorf("%+v, %v", cards, err)
			}
			if n := len(r.fake.Calls("editMessageText")); n > 2 {
				t.Errorf("%d attempts to edit", n)
			}
		})
	}
}

func TestAGroupThatBecameASupergroupIsFollowed(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.write(words{text: "first"})
	r.card(group, 1)
	r.recorded()
	r.halt()
	r.fake.Upgrade(group, -1002)
	c := r.write(words{text: "second"})
	r.make()
	r.run()
	card := r.card(-1002, 1)
	wantIn(t, card.Text, "second")
	r.recorded()
	r.press(card, "Approve", anna)
	r.edited(-1002, card.ID, "Approved by Anna")
	r.wantStatus(c.ID, postil.Approved)
	r.write(words{text: "third"})
	wantIn(t, r.card(-1002, 2).Text, "third")
}

func TestAnOutageLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fakebot.Fault{"a proxy's page": fakebot.BadGateway(), "500": {Status: 500}, "no connection": {Refuse: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, 20)
			r.fake.Fail("", 0, 8, f)
			r.run()
			for i := range 3 {
				r.write(words{text: fmt.Sprint("comment ", i)})
			}
			r.card(group, 3)
			r.recorded()
			for i, m := range byBot(r.fake.Messages(group)) {
				wantIn(t, m.Text, fmt.Sprint("comment ", i))
			}
			r.until("all is well again", func() bool {
				st, err := r.bot.Status(context.Background())
				return err == nil && st.Problem == "" && st.Undelivered == 0
			})
		})
	}
}

func TestACrashBetweenSendAndRecordDoublesAtMostOneCardAndBothWork(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.recorded()
	r.halt()
	// What a crash leaves behind: the message is there, the record is not.
	cards, err := r.store.CardsOf(context.Background(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	lost := cards[0]
	lost.Message, lost.Shows = 0, ""
	if err := r.store.CardDone(context.Background(), lost, r.clock.now()); err != nil {
		t.Fatal(err)
	}
	r.make()
	r.run()
	r.event(postil.Event{Kind: postil.ReviewRequested, Site: "blog", Comment: c.ID})
	r.event(postil.Event{Kind: postil.ReviewRequested, Site: "blog", Comment: c.ID})
	second := r.card(group, 2)
	r.recorded()
	r.press(card, "Approve", anna)
	for _, m := range []fakebot.Message{card, second} {
		wantLabels(t, r.edited(group, m.ID, "Approved by Anna"), "↩️ Undo", "🚫 Reject")
	}
	if n := len(byBot(r.fake.Messages(group))); n != 2 {
		t.Errorf("%d messages", n)
	}
}

// forgetful is a store that cannot take down what was sent for a while.
type forgetful struct {
	*store.Store
	mu   sync.Mutex
	left int
}

func (f *forgetful) CardDone(ctx context.Context, c postil.Card, began time.Time) error {
	f.mu.Lock()
	f.left--
	fails := f.left >= 0
	f.mu.Unlock()
	if fails {
		return postil.Busy("overloaded", "Too many people are writing.", time.Second, nil)
	}
	return f.Store.CardDone(ctx, c, began)
}

func TestACardThatCannotBeRecordedIsNotSentTwice(t *testing.T) {
	t.Parallel()
	r := open(t, 20)
	deps := r.deps()
	deps.Store = &forgetful{Store: r.store, left: 3}
	bot, err := telegram.New(slog.New(slog.DiscardHandler), r.cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	r.bot = bot
	r.run()
	r.write(words{text: "hello"})
	r.card(group, 1)
	r.recorded()
	if n := len(r.fake.Calls("sendMessage")); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// slow is a store whose second list of due cards arrives when all of them have
// been sent.
type slow struct {
	*store.Store
	reads atomic.Int32
}

func (s *slow) DueCards(ctx context.Context, limit int) ([]postil.Card, error) {
	cards, err := s.Store.DueCards(ctx, limit)
	if len(cards) > 0 && s.reads.Add(1) == 2 {
		for ctx.Err() == nil {
			if now, err := s.Store.DueCards(ctx, limit); err != nil || len(now) == 0 {
				break
			}
			<-time.After(time.Millisecond)
		}
		<-time.After(50 * time.Millisecond) // the lane has ended by then, which nobody outside can see
	}
	return cards, err
}

func TestTG_11_AListThatIsOutOfDateDoublesNoCard(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	deps := r.deps()
	deps.Store = &slow{Store: r.store}
	bot, err := telegram.New(slog.New(slog.DiscardHandler), r.cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	r.bot = bot
	r.fake.Fail("sendMessage", group, 1, fakebot.Fault{Hang: 200 * time.Millisecond})
	r.run()
	r.write(words{text: "hello"})
	r.await("it is on its way", func(st *fakebot.State) bool { return len(st.Calls("sendMessage")) == 1 })
	r.bot.Wake() // looks while the answer is still awaited
	r.recorded()
	r.write(words{text: "second"})
	r.card(group, 2)
	r.recorded()
	if n := len(byBot(r.fake.Messages(group))); n != 2 {
		t.Errorf("%d messages", n)
	}
}

func TestTG_10_ARestartRemembersWhichChatsToLeaveAlone(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.fake.Block(group)
	r.run()
	r.write(words{text: "hello"})
	r.until("the trouble is known", func() bool {
		chats, err := r.store.Chats(context.Background())
		return err == nil && len(chats) == 1
	})
	r.halt()
	r.make()
	r.run()
	r.read()
	if n := len(r.fake.Calls("sendMessage")); n != 1 {
		t.Errorf("%d attempts", n)
	}
	r.fake.Forbid(group, "")
	r.clock.pass(2 * time.Minute)
	r.bot.Wake()
	r.card(group, 1)
}

func TestTheCardsOfASiteGoToItsChatsAndElseToTheModerators(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	if _, err := r.store.AddSite(context.Background(), postil.Site{ID: "other", Name: "Other", Policy: postil.HoldAll}, rest); err != nil {
		t.Fatal(err)
	}
	for _, u := range []fakebot.User{anna, bert} {
		r.fake.AddChat(u.ID, "private")
	}
	r.fake.AddChat(-5, "forum")
	r.cfg.Chats = []telegram.ChatRule{{Chat: -5, Site: "other", Thread: 12}}
	r.make()
	r.run()
	r.write(words{text: "on the other site", site: "other"})
	if m := r.card(-5, 1); m.ThreadID != 12 {
		t.Errorf("topic %d", m.ThreadID)
	}
	r.write(words{text: "on the blog"})
	card := r.card(anna.ID, 1)
	r.card(bert.ID, 1)
	r.recorded()
	r.press(card, "Reject", anna)
	r.edited(bert.ID, 1, "Rejected by Anna")
	list := r.said(-5, r.fake.Say(-5, "/queue", anna, 0))
	wantIn(t, list.Text, "1 comment waits", "on the other site")
}

func TestACommentForWhichThereIsNoChatCountsAsAnnouncedInTheLists(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.cfg.Chats, r.cfg.Moderators = nil, nil
	r.make()
	for range 2 {
		c := r.write(words{text: "hello"})
		if v, err := r.store.Review(context.Background(), c.ID); err != nil || v.Announced.IsZero() {
			t.Errorf("%+v, %v", v, err)
		}
	}
	if n := strings.Count(r.logs.String(), "no Telegram chat"); n != 1 {
		t.Errorf("warned %d times", n)
	}
}

func TestACardThatTelegramRefusesForNoKnownReasonStopsNoOther(t *testing.T) {
	t.Parallel()
	r := open(t, 60)
	r.fake.Fail("sendMessage", group, 1, fakebot.Fault{Status: 400, Description: "Bad Request: BUTTON_DATA_INVALID"})
	r.run()
	r.write(words{text: "first"})
	r.write(words{text: "second"})
	wantIn(t, r.card(group, 1).Text, "second")
	wantIn(t, r.card(group, 2).Text, "first") // after a pause of its own
	r.recorded()
}

func TestStoppingWaitsForTheCardThatIsOnItsWay(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.fake.Fail("sendMessage", group, 1, fakebot.Fault{Hang: 300 * time.Millisecond})
	r.run()
	r.write(words{text: "hello"})
	r.card(group, 1)
	r.halt()
	r.make()
	r.run()
	r.write(words{text: "second"})
	wantIn(t, r.card(group, 2).Text, "second")
}
