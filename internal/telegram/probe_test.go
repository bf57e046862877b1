package telegram_test

import (
	"context"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
)

// crash leaves a card behind as a process does that dies between the sending
// and the record: the message is there, and the store knows that it was on its
// way.
func (r *room) crash(id postil.CommentID, after int64) {
	r.t.Helper()
	ctx := context.Background()
	cards, err := r.store.CardsOf(ctx, id)
	if err != nil {
		r.t.Fatal(err)
	}
	lost := cards[0]
	shows := lost.Shows
	lost.Message, lost.Shows = 0, ""
	if err := r.store.CardDone(ctx, lost, r.clock.now()); err != nil {
		r.t.Fatal(err)
	}
	if err := r.store.CardSending(ctx, lost.ID, after, shows); err != nil {
		r.t.Fatal(err)
	}
	if err := r.store.WantCard(ctx, id, []int64{lost.Chat}); err != nil {
		r.t.Fatal(err)
	}
}

func TestMOD_01_ACardThatWentOutBeforeACrashIsFoundAndNotSentAgain(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.write(words{text: "before"})
	before := r.card(group, 1)
	r.fake.Say(group, "somebody talks", eve, 0)
	c := r.write(words{text: "hello"})
	card := r.card(group, 2)
	r.recorded()
	r.halt()
	r.crash(c.ID, before.ID)
	r.make()
	r.run()
	r.recorded()
	if n := len(byBot(r.fake.Messages(group))); n != 2 {
		t.Fatalf("%d messages", n)
	}
	cards, err := r.store.CardsOf(context.Background(), c.ID)
	if err != nil || cards[0].Message != card.ID || cards[0].Sending {
		t.Errorf("%+v, %v", cards, err)
	}
	r.press(card, "Approve", anna)
	r.edited(group, card.ID, "Approved by Anna")
	wantLabels(t, find(r.fake.Messages(group), before.ID), "✅ Approve", "🚫 Reject", "🗑 Spam")
}

func TestMOD_01_ACardIsFoundThoughItsTextChangedSince(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "the first text"})
	card := r.card(group, 1)
	r.recorded()
	r.halt()
	r.change(c.ID, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, Text: &postil.TextChange{Text: "the second text", HTML: "x"}}, nil
	})
	r.crash(c.ID, card.ID-1)
	r.make()
	r.run()
	r.edited(group, card.ID, "the second text")
	r.recorded()
	r.press(find(r.fake.Messages(group), card.ID), "Approve", anna)
	r.wantStatus(c.ID, postil.Approved)
	if n := len(byBot(r.fake.Messages(group))); n != 1 {
		t.Errorf("%d messages", n)
	}
}

// Two cards of one chat are lost at once, and looking for the one takes the
// buttons of the other, whose words would be others today: a third comment of
// their author has been approved.
func TestMOD_01_TwoCardsOfOneChatAreFoundThoughEachIsTakenForTheOther(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r := open(t, 1).run()
	known := r.write(words{text: "known", device: "ann's"})
	first := r.write(words{text: "one", device: "ann's"})
	second := r.write(words{text: "two", device: "ann's"})
	r.card(group, 3)
	r.recorded()
	r.halt()
	r.decide(known.ID, postil.Approve)
	r.crash(first.ID, 1)
	r.crash(second.ID, 1)
	cards, err := r.store.CardsOf(ctx, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.store.CardFailed(ctx, cards[0], "no answer", r.clock.now().Add(time.Minute)); err != nil { // the second goes before it
		t.Fatal(err)
	}
	r.make()
	r.run()
	r.until("the second card is found", func() bool { found, err := r.store.CardsOf(ctx, second.ID); return err == nil && found[0].Message == 3 })
	r.clock.pass(time.Hour)
	r.recorded()
	if n := len(byBot(r.fake.Messages(group))); n != 3 {
		t.Fatalf("%d messages", n)
	}
	for _, c := range []postil.Comment{first, second} {
		cards, err := r.store.CardsOf(ctx, c.ID)
		if err != nil || len(cards) != 1 {
			t.Fatalf("%+v, %v", cards, err)
		}
		r.press(find(r.fake.Messages(group), cards[0].Message), "Approve", anna)
		r.wantStatus(c.ID, postil.Approved)
	}
}

func TestMOD_01_ACardThatSomebodyPressesIsTakenForItsOwn(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.recorded()
	r.halt()
	r.crash(c.ID, card.ID+50) // nobody would look where it is
	if _, err := r.fake.Press(group, card.ID, "Approve", anna); err != nil {
		t.Fatal(err)
	}
	r.fake.Fail("sendMessage", group, 1, fakebot.TooManyRequests(1)) // the press comes first
	r.make()
	r.run()
	r.edited(group, card.ID, "Approved by Anna")
	h, err := r.store.History(context.Background(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.door.Undo(context.Background(), h[0].ID, rest, ""); err != nil {
		t.Fatal(err)
	}
	r.event(postil.Event{Kind: postil.ReviewRequested, Site: "blog", Comment: c.ID})
	r.edited(group, card.ID, "Waits again by Carla")
	r.recorded()
	if n := len(byBot(r.fake.Messages(group))); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestMOD_01_ACardThatNeverWentOutIsSentThoughItWasOnItsWay(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.write(words{text: "first"})
	first := r.card(group, 1)
	list := r.said(group, r.fake.Say(group, "/queue", anna, 0)) // a message of the bot's that is no card
	r.recorded()
	r.halt()
	c := r.write(words{text: "second"})
	cards, err := r.store.CardsOf(context.Background(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.store.CardSending(context.Background(), cards[0].ID, first.ID-1, ""); err != nil {
		t.Fatal(err)
	}
	r.make()
	r.run()
	wantIn(t, r.card(group, 3).Text, "second")
	r.recorded()
	if got := find(r.fake.Messages(group), list.ID).Text; got != list.Text {
		t.Errorf("another message was changed: %s", got)
	}
	wantLabels(t, find(r.fake.Messages(group), first.ID), "✅ Approve", "🚫 Reject", "🗑 Spam")
	wantLabels(t, find(r.fake.Messages(group), list.ID))
}

func TestAnAnswerThatNeverComesDoublesNoCard(t *testing.T) {
	t.Parallel()
	r := open(t, 20)
	r.fake.Fail("sendMessage", group, 1, fakebot.Fault{Drop: true})
	r.run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.recorded()
	r.press(card, "Approve", anna)
	r.edited(group, card.ID, "Approved by Anna")
	r.wantStatus(c.ID, postil.Approved)
	if n := len(byBot(r.fake.Messages(group))); n != 1 {
		t.Errorf("%d messages", n)
	}
}
