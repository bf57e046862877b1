package fakebot_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/postil/postil/internal/apptest/fakebot"
)

func TestAScriptedFaultHitsItsMethodChatAndCount(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.AddChat(5, "private")
	d.Fail("sendMessage", group, 2, fakebot.TooManyRequests(7))
	if _, err := d.bot.Send(tgbotapi.NewMessage(5, "elsewhere")); err != nil {
		t.Errorf("another chat must not be hit: %v", err)
	}
	for range 2 {
		_, err := d.send("x", "")
		if e := refused(t, err, 429, "Too Many Requests: retry after 7"); e.RetryAfter != 7 {
			t.Errorf("got RetryAfter %d", e.RetryAfter)
		}
	}
	if id := d.mustSend(t, "x"); id != 1 {
		t.Errorf("refused sends must leave no trace, got id %d", id)
	}
	d.Fail("", 0, -1, fakebot.Fault{Status: 500})
	for range 3 {
		_, err := d.bot.GetMe()
		refused(t, err, 500, "Internal Server Error")
	}
	d.Heal()
	if _, err := d.bot.GetMe(); err != nil {
		t.Error(err)
	}
}

func TestScriptedRefusalsLookLikeTelegrams(t *testing.T) {
	t.Parallel()
	d := open(t)
	for want, f := range map[string]fakebot.Fault{
		"Bad Request: group chat was upgraded to a supergroup chat": fakebot.Upgraded(-1009),
		"Forbidden: bot was blocked by the user":                    fakebot.BlockedByUser(),
		"Bad Request: message can't be edited":                      fakebot.TooOldToEdit(),
	} {
		d.Fail("sendMessage", group, 1, f)
		_, err := d.send("x", "")
		var e *tgbotapi.Error
		if !errors.As(err, &e) || e.Message != want || e.MigrateToChatID != f.MigrateTo {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	d.Fail("sendMessage", group, 1, fakebot.BadGateway())
	_, err := d.send("x", "")
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		t.Errorf("a proxy's page is no JSON, got %v", err)
	}
}

func TestACutConnectionLeavesTheEffectOrNot(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Fail("sendMessage", group, 1, fakebot.Fault{Drop: true})
	if _, err := d.send("dropped", ""); err == nil {
		t.Error("want a transport error")
	}
	if n := len(d.Messages(group)); n != 1 {
		t.Errorf("Drop: %d messages, want 1", n)
	}
	d.Fail("sendMessage", group, 1, fakebot.Fault{Refuse: true})
	if _, err := d.send("refused", ""); err == nil {
		t.Error("want a transport error")
	}
	if n := len(d.Messages(group)); n != 1 {
		t.Errorf("Refuse: %d messages, want still 1", n)
	}
	if c := d.Calls("sendMessage"); len(c) != 2 || c[0].Status != 200 || c[1].Status != 0 {
		t.Errorf("got %+v", c)
	}
}

func TestASlowAnswerComesAfterTheEffect(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Fail("sendMessage", group, 1, fakebot.Fault{Hang: time.Minute})
	failed := make(chan error, 1)
	go func() {
		_, err := d.send("slow", "")
		failed <- err
	}()
	await(t, d, func(st *fakebot.State) bool { return len(st.Messages(group)) == 1 })
	select {
	case err := <-failed:
		t.Fatalf("answered at once: %v", err)
	default:
	}
	d.stop()
	if err := <-failed; err == nil {
		t.Error("the server closed before it answered")
	}
}

func TestAChatTakesOnlySoManyMessagesPerWindow(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.stopClock()
	d.SetLimit(group, 20, time.Minute)
	for range 20 {
		d.mustSend(t, "x")
		d.advance(c, time.Second)
	}
	_, err := d.send("x", "")
	if e := refused(t, err, 429, "Too Many Requests: retry after 40"); e.RetryAfter != 40 {
		t.Errorf("got %d", e.RetryAfter)
	}
	d.advance(c, 40*time.Second)
	d.mustSend(t, "x")
	_, err = d.send("x", "")
	refused(t, err, 429, "Too Many Requests: retry after 1")
	d.SetLimit(group, 0, 0)
	d.mustSend(t, "x")
}

func TestABlockedBotAndALostChatAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Block(group)
	_, err := d.send("x", "")
	refused(t, err, 403, "Forbidden: bot was blocked by the user")
	d.Forbid(group, "Forbidden: the group chat was deleted")
	_, err = d.send("x", "")
	refused(t, err, 403, "Forbidden: the group chat was deleted")
	d.Forbid(group, "")
	d.mustSend(t, "x")
	d.RemoveChat(group)
	_, err = d.send("x", "")
	refused(t, err, 400, "Bad Request: chat not found")
}

func TestAnUpgradedGroupNamesItsNewID(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.AddChat(-5, "group")
	d.Upgrade(-5, -1005)
	_, err := d.bot.Send(tgbotapi.NewMessage(-5, "x"))
	if e := refused(t, err, 400, "Bad Request: group chat was upgraded to a supergroup chat"); e.MigrateToChatID != -1005 {
		t.Errorf("got %d", e.MigrateToChatID)
	}
	if _, err := d.bot.Send(tgbotapi.NewMessage(-1005, "x")); err != nil {
		t.Error(err)
	}
	updates, _ := d.poll(0, 0)
	if len(updates) != 2 || updates[0].Message.MigrateToChatID != -1005 || updates[1].Message.MigrateFromChatID != -5 {
		t.Errorf("got %+v", updates)
	}
}

func TestACallbackIsAnsweredInTimeOrNeverAgain(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.stopClock()
	id := d.mustSend(t, "x", "Approve", "a", "Approve all", "b")
	first, second := d.mustPress(t, id, "Approve"), d.mustPress(t, id, "all")
	if _, err := d.bot.Request(tgbotapi.NewCallbackWithAlert(first, "Done")); err != nil {
		t.Fatal(err)
	}
	d.Fail("answerCallbackQuery", group, 1, fakebot.TooManyRequests(3))
	_, err := d.bot.Request(tgbotapi.NewCallback(second, "in the chat of the press"))
	refused(t, err, 429, "Too Many Requests: retry after 3")
	d.advance(c, 16*time.Second)
	old := "Bad Request: query is too old and response timeout expired or query ID is invalid"
	for _, query := range []string{second, "made-up", ""} {
		_, err := d.bot.Request(tgbotapi.NewCallback(query, "late"))
		refused(t, err, 400, old)
	}
	d.SetCallbackTTL(time.Hour)
	_, err = d.bot.Request(tgbotapi.NewCallback(second, strings.Repeat("x", 201)))
	refused(t, err, 400, "Bad Request: MESSAGE_TOO_LONG")
	answers := d.Answers()
	if len(answers) != 1 || answers[0].ID != first || answers[0].Text != "Done" || !answers[0].ShowAlert || answers[0].By != anna {
		t.Errorf("got %+v", answers)
	}
}

func TestForgedAndOutdatedPressesArrive(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.PressData(group, 77, "spam:1", anna)
	updates, _ := d.poll(0, 0)
	q := updates[0].CallbackQuery
	if q == nil || q.Data != "spam:1" || q.Message.MessageID != 77 || q.Message.Date != 0 {
		t.Errorf("got %+v", q)
	}
}

func TestPeopleWriteCommandsRepliesAndWearMasks(t *testing.T) {
	t.Parallel()
	d := open(t)
	card := d.mustSend(t, "<b>card</b>")
	d.Say(group, "Thank you", anna, card)
	d.Say(group, "/queue@fake_bot now", fakebot.AnonymousAdmin(group), 0)
	updates, err := d.poll(0, 0)
	if err != nil || len(updates) != 2 {
		t.Fatalf("got %v, %v", updates, err)
	}
	reply, masked := updates[0].Message, updates[1].Message
	if reply.ReplyToMessage == nil || int64(reply.ReplyToMessage.MessageID) != card || reply.ReplyToMessage.Text != "card" {
		t.Errorf("got %+v", reply.ReplyToMessage)
	}
	if masked.Command() != "queue" || masked.CommandArguments() != "now" {
		t.Errorf("got command %q %q", masked.Command(), masked.CommandArguments())
	}
	if masked.From.UserName != "GroupAnonymousBot" || masked.SenderChat == nil || masked.SenderChat.ID != group {
		t.Errorf("got %+v, %+v", masked.From, masked.SenderChat)
	}
}

func TestWaitingTellsWhatHappenedInstead(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Fail("sendMessage", group, 1, fakebot.BlockedByUser())
	_, _ = d.send("x", "")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := d.WaitFor(ctx, func(st *fakebot.State) bool { return len(st.Messages(group)) > 0 })
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "bot was blocked") {
		t.Errorf("got %v", err)
	}
}
