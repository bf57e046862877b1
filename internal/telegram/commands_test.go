package telegram_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
)

// said waits for the bot's answer to a message.
func (r *room) said(chat, to int64) (m fakebot.Message) {
	r.t.Helper()
	r.await("an answer", func(st *fakebot.State) bool {
		for _, m = range byBot(st.Messages(chat)) {
			if m.ReplyTo == to {
				return true
			}
		}
		return false
	})
	return m
}

// read waits until the bot has handled every update.
func (r *room) read() {
	r.t.Helper()
	r.await("everything is read", func(st *fakebot.State) bool { return st.Pending() == 0 && st.Polling() })
}

func TestACodeLinksAnAccountOnceAndInPrivateOnly(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	ctx := context.Background()
	if _, err := r.store.AddModerator(ctx, postil.Moderator{Name: "Dora", Role: postil.ModeratorRole}, "hash of XK-42", r.clock.now().Add(time.Hour), rest); err != nil {
		t.Fatal(err)
	}
	r.run()
	dora := fakebot.User{ID: 9, FirstName: "D"}
	wantIn(t, r.said(group, r.fake.Say(group, "/start XK-42", dora, 0)).Text, "private chat")
	wantIn(t, r.said(dora.ID, r.fake.Say(dora.ID, "/start wrong", dora, 0)).Text, "unknown")
	wantIn(t, r.said(dora.ID, r.fake.Say(dora.ID, "/start XK-42", dora, 0)).Text, "Welcome, Dora")
	wantIn(t, r.said(eve.ID, r.fake.Say(eve.ID, "/start XK-42", eve, 0)).Text, "used already")
	wantIn(t, r.said(dora.ID, r.fake.Say(dora.ID, "/start", dora, 0)).Text, "/queue")
	c := r.write(words{text: "hello"})
	card := r.card(group, 2)
	r.press(card, "Approve", dora)
	r.edited(group, card.ID, "Approved by Dora")
	r.wantStatus(c.ID, postil.Approved)
}

func TestWithoutAChatCardsGoToWhoeverLinked(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	ctx := context.Background()
	r.cfg.Chats, r.cfg.Moderators = nil, nil
	r.make()
	if s, err := r.bot.Status(ctx); err != nil || !strings.Contains(s.Problem, "moderator link") {
		t.Errorf("with nobody to ask the status is %+v, %v", s, err)
	}
	if _, err := r.store.AddModerator(ctx, postil.Moderator{Name: "Dora", Role: postil.ModeratorRole}, "hash of XK-42", r.clock.now().Add(time.Hour), rest); err != nil {
		t.Fatal(err)
	}
	r.run()
	dora := fakebot.User{ID: 9, FirstName: "D"}
	wantIn(t, r.said(dora.ID, r.fake.Say(dora.ID, "/start XK-42", dora, 0)).Text, "Welcome, Dora")
	c := r.write(words{text: "hello"})
	card := r.card(dora.ID, 2)
	r.press(card, "Approve", dora)
	r.wantStatus(c.ID, postil.Approved)
	if s, err := r.bot.Status(ctx); err != nil || s.Problem != "" {
		t.Errorf("with somebody to ask the status is %+v, %v", s, err)
	}
}

func TestAStrangerIsToldHowToLink(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	wantIn(t, r.said(eve.ID, r.fake.Say(eve.ID, "/start", eve, 0)).Text, "/start CODE")
	for range 20 {
		r.fake.Say(eve.ID, "/queue", eve, 0)
	}
	r.read()
	if n := len(byBot(r.fake.Messages(eve.ID))); n != 1 {
		t.Errorf("%d answers", n)
	}
}

func TestQueueListsTheOldestAndShowsTheirCards(t *testing.T) {
	t.Parallel()
	r := open(t, 60).run()
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/queue", anna, 0)).Text, "Nothing waits")
	var all []postil.Comment
	for i := range 12 {
		all = append(all, r.write(words{text: fmt.Sprintf("comment %02d <b>", i), name: strings.Repeat("🦓", 64), title: strings.Repeat("🦒", 200)}))
	}
	r.card(group, 12)
	r.clock.pass(3 * time.Hour)
	list := r.said(anna.ID, r.fake.Say(anna.ID, "/queue", anna, 0))
	wantIn(t, list.Text, "12 comments wait, the oldest for 3 h", "comment 00", "10. ")
	wantLabels(t, list, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
	wantIn(t, r.press(list, "3", anna).Text, "card comes")
	card := r.card(anna.ID, 3)
	wantIn(t, card.Text, "comment 02")
	r.recorded()
	r.press(card, "Approve", anna)
	r.edited(anna.ID, card.ID, "Approved by Anna")
	r.wantStatus(all[2].ID, postil.Approved)
	inGroup := byBot(r.fake.Messages(group))[2]
	r.edited(group, inGroup.ID, "Approved by Anna")
}

func TestNextSendsTheOldestCardAgainAndLeavesNoSecondOneBehind(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "the oldest"})
	first := r.card(group, 1)
	r.write(words{text: "another"})
	r.card(group, 2)
	r.recorded()
	r.said(group, r.fake.Say(group, "/next@fake_bot", anna, 0))
	r.await("the card comes again", func(st *fakebot.State) bool { return len(byBot(st.Messages(group))) == 4 })
	old := r.edited(group, first.ID, "further down")
	wantLabels(t, old)
	r.recorded()
	var again fakebot.Message
	for _, m := range byBot(r.fake.Messages(group))[2:] {
		if len(m.Buttons) > 0 {
			again = m
		}
	}
	wantIn(t, again.Text, "the oldest")
	r.press(again, "Approve", bert)
	r.edited(group, again.ID, "Approved by Bert")
	r.wantStatus(c.ID, postil.Approved)
}

func TestWhatWaitsIsNotShownInAStrangeChat(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.write(words{text: "private until approved"})
	r.card(group, 1)
	r.fake.AddChat(-77, "group")
	for _, command := range []string{"/queue", "/next"} {
		wantIn(t, r.said(-77, r.fake.Say(-77, command, anna, 0)).Text, "POSTIL_TELEGRAM_CHATS")
	}
	r.read()
	if n := len(byBot(r.fake.Messages(-77))); n != 2 {
		t.Errorf("%d messages", n)
	}
}

func TestCommandsOfOthersAndUnknownOnes(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.fake.Say(group, "/queue@other_bot", anna, 0)
	r.fake.Say(group, "/dance", anna, 0)
	r.fake.Say(group, "just talking", anna, 0)
	wantIn(t, r.said(group, r.fake.Say(group, "/HELP@Fake_Bot", anna, 0)).Text, "Reply to a card")
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/dance", anna, 0)).Text, "/queue, /next, /stats")
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "hello?", anna, 0)).Text, "/queue, /next, /stats")
	if n := len(byBot(r.fake.Messages(group))); n != 1 {
		t.Errorf("%d answers in the group", n)
	}
}

func TestAReplyToACardIsPostedAndApprovesTheComment(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "a question"})
	card := r.card(group, 1)
	r.recorded()
	wantIn(t, r.said(group, r.fake.Say(group, "an answer <b>", anna, card.ID)).Text, "public, and the comment with it")
	r.wantStatus(c.ID, postil.Approved)
	r.edited(group, card.ID, "Approved by Anna")
	page, err := r.store.ThreadPage(context.Background(), postil.ThreadQuery{Site: "blog", Post: "/p", Limit: 10, Sort: postil.Oldest})
	if err != nil || len(page.Comments) != 2 || page.Comments[1].Parent != c.ID || page.Comments[1].HTML != "an answer <b>" {
		t.Errorf("%+v, %v", page.Comments, err)
	}
	r.decide(c.ID, postil.Reject)
	r.edited(group, card.ID, "Rejected")
	r.fake.Push("message", map[string]any{"message_id": 900, "date": 1, "from": anna, "chat": map[string]any{"id": group, "type": "supergroup"},
		"photo": []any{}, "reply_to_message": map[string]any{"message_id": card.ID, "date": 1, "chat": map[string]any{"id": group, "type": "supergroup"}}})
	r.await("an answer to the picture", func(st *fakebot.State) bool {
		for _, m := range byBot(st.Messages(group)) {
			if strings.Contains(m.Text, "Only text") {
				return true
			}
		}
		return false
	})
	wantIn(t, r.said(group, r.fake.Say(group, "\u2800", anna, card.ID)).Text, "not posted", "Write a comment first")
}

func TestAModeratorGetsALinkToTheAdminPageAndNobodyElseSeesIt(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	ctx := context.Background()
	m, err := r.store.AddModerator(ctx, postil.Moderator{Name: "Dora", Role: postil.ModeratorRole}, "hash of XK-42", r.clock.now().Add(time.Hour), rest)
	if err != nil {
		t.Fatal(err)
	}
	r.run()
	dora := fakebot.User{ID: 9, FirstName: "D"}
	r.said(dora.ID, r.fake.Say(dora.ID, "/start XK-42", dora, 0))
	wantIn(t, r.said(dora.ID, r.fake.Say(dora.ID, "/admin", dora, 0)).Text,
		fmt.Sprintf("https://c.example/admin/signin/%d-moderator:%d", m.ID, m.ID), "UTC")
	wantIn(t, r.said(group, r.fake.Say(group, "/admin", dora, 0)).Text, "private chat")
	wantIn(t, r.said(anna.ID, r.fake.Say(anna.ID, "/admin", anna, 0)).Text, "postil moderator link")
}
