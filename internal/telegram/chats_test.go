package telegram_test

import (
	"context"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/telegram"
)

func TestAPressThatComesAgainAfterSomebodyTookItBackDecidesNothing(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.recorded()
	press := map[string]any{"id": "9", "from": anna, "chat_instance": "1", "data": card.Buttons[0][0].Data,
		"message": map[string]any{"message_id": card.ID, "date": 9, "chat": map[string]any{"id": group, "type": "supergroup"}}}
	r.fake.Push("callback_query", press)
	r.edited(group, card.ID, "Approved by Anna")
	h, err := r.store.History(context.Background(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.door.Undo(context.Background(), h[0].ID, rest, ""); err != nil {
		t.Fatal(err)
	}
	r.halt()
	r.make() // the process died before it noted that the press was done
	r.run()
	r.fake.Push("callback_query", press)
	r.read()
	r.wantStatus(c.ID, postil.Pending)
	if h, _ := r.store.History(context.Background(), c.ID); len(h) != 2 {
		t.Errorf("%d decisions", len(h))
	}
}

func TestTopicsOfAForumEachGetTheirSite(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	if _, err := r.store.AddSite(context.Background(), postil.Site{ID: "other", Name: "Other", Policy: postil.HoldAll}, rest); err != nil {
		t.Fatal(err)
	}
	r.fake.AddChat(-5, "forum")
	r.cfg.Chats = []telegram.ChatRule{{Chat: -5, Site: "other", Thread: 12}, {Chat: -5, Site: "blog", Thread: 34}}
	r.make()
	r.run()
	r.write(words{text: "on the other site", site: "other"})
	r.write(words{text: "on the blog"})
	r.card(-5, 2)
	for _, m := range byBot(r.fake.Messages(-5)) {
		want := int64(34)
		if m.Text[:5] == "Other" {
			want = 12
		}
		if m.ThreadID != want {
			t.Errorf("topic %d: %s", m.ThreadID, m.Text)
		}
	}
}

func TestCardsKeepTheirMessagesWhenAGroupMoves(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "first"})
	card := r.card(group, 1)
	r.recorded()
	r.fake.Upgrade(group, -1002)
	r.read()
	fresh := r.write(words{text: "second"})
	second := r.card(-1002, 1)
	r.recorded()
	cards, err := r.store.CardsOf(context.Background(), c.ID)
	if err != nil || cards[0].Chat != -1002 || cards[0].Message != card.ID || cards[0].StoodIn != group {
		t.Fatalf("%+v, %v", cards, err)
	}
	r.decide(c.ID, postil.Approve)
	wantIn(t, r.card(-1002, 2).Text, "Approved by Carla", "Ann on Hello") // a note: nobody reaches the old message
	r.recorded()
	if got := find(r.fake.Messages(-1002), second.ID); got.Edits != 0 {
		t.Errorf("the card of comment %d was changed: %s", fresh.ID, got.Text)
	}
}

func TestTG_10_WhatAChatCannotBeToldIsToldToTheNext(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.fake.AddChat(-9, "supergroup")
	r.cfg.Fallback = []telegram.ChatRule{{Chat: -9}}
	r.make()
	r.fake.Forbid(group, "Forbidden: bot was kicked from the supergroup chat")
	r.run()
	c := r.write(words{text: "hello"})
	card := r.card(-9, 1)
	wantIn(t, card.Text, "hello")
	r.press(card, "Approve", anna)
	r.edited(-9, card.ID, "Approved by Anna")
	r.wantStatus(c.ID, postil.Approved)
}

func TestWithoutAFallbackTheModeratorsAreToldInPrivate(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.fake.AddChat(anna.ID, "private")
	r.run()
	r.said(anna.ID, r.fake.Say(anna.ID, "/help", anna, 0)) // she is known to the bot, Bert is not
	r.fake.Forbid(group, "Forbidden: bot was kicked from the supergroup chat")
	r.write(words{text: "hello"})
	wantIn(t, r.card(anna.ID, 2).Text, "hello")
}

func TestAReminderSaysHowMuchWaitsAndHowLong(t *testing.T) {
	t.Parallel()
	r := open(t, 60).run()
	for _, text := range []string{"one", "two", "three"} {
		r.write(words{text: text})
	}
	r.card(group, 3)
	r.clock.pass(9 * time.Hour)
	r.event(postil.Event{Kind: postil.NoticeRaised, Notice: postil.Reminder, Site: "blog"})
	wantIn(t, r.card(group, 4).Text, "3 comments wait on Ann's blog, the oldest for 9 h.")
}

func TestAnEscalationAsksTheNextChatOnce(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.fake.AddChat(-9, "supergroup")
	r.cfg.Fallback = []telegram.ChatRule{{Chat: -9}}
	r.make()
	r.run()
	c := r.write(words{text: "hello"})
	r.card(group, 1)
	r.recorded()
	for range 2 {
		r.event(postil.Event{Kind: postil.NoticeRaised, Notice: postil.Escalation, Site: "blog", Comment: c.ID})
	}
	card := r.card(-9, 1)
	r.recorded()
	r.press(card, "Reject", bert)
	r.edited(group, 1, "Rejected by Bert")
	r.event(postil.Event{Kind: postil.NoticeRaised, Notice: postil.Escalation, Site: "blog", Comment: c.ID})
	r.recorded()
	if n := len(byBot(r.fake.Messages(-9))); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestEachModeratorReadsTheirOwnLanguage(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	dieter := fakebot.User{ID: anna.ID, FirstName: "Anna", LanguageCode: "de-AT"}
	r.cfg.Chats = nil
	r.cfg.Moderators = []int64{anna.ID}
	r.make()
	r.run()
	r.said(dieter.ID, r.fake.Say(dieter.ID, "/queue", dieter, 0))
	r.halt()
	r.make() // it is remembered
	r.run()
	r.write(words{text: "hello"})
	card := r.card(dieter.ID, 2)
	wantIn(t, card.Text, "unbekanntes Gerät")
	a := r.press(card, "Freigeben", dieter)
	wantIn(t, a.Text, "✅ Freigegeben")
	wantIn(t, r.edited(dieter.ID, card.ID, "Freigegeben").Text, "von Anna")
}
