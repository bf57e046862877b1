package fakebot_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/postil/postil/internal/apptest/fakebot"
)

type polled struct {
	updates []tgbotapi.Update
	err     error
}

func (d *desk) pollAside(timeout int) chan polled {
	done := make(chan polled, 1)
	go func() {
		updates, err := d.poll(0, timeout)
		done <- polled{updates, err}
	}()
	return done
}

func TestALongPollWaitsForAPress(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.mustSend(t, "<b>New</b> comment", "Approve", "a:1")
	done := d.pollAside(30)
	await(t, d, (*fakebot.State).Polling)
	query := d.mustPress(t, id, "Appr")
	got := <-done
	if got.err != nil || len(got.updates) != 1 || got.updates[0].CallbackQuery == nil {
		t.Fatalf("got %+v, want one callback query", got)
	}
	q := got.updates[0].CallbackQuery
	if q.ID != query || q.Data != "a:1" || q.From.ID != anna.ID || q.ChatInstance == "" {
		t.Errorf("got %+v", q)
	}
	if q.Message.Text != "New comment" || len(q.Message.Entities) != 1 || q.Message.Entities[0].Type != "bold" {
		t.Errorf("the message must come as plain text and entities, got %+v", q.Message)
	}
	if q.Message.Chat.ID != group || int64(q.Message.MessageID) != id || q.Message.ReplyMarkup == nil {
		t.Errorf("got %+v", q.Message)
	}
}

func TestALongPollEndsEmptyAfterItsTimeout(t *testing.T) {
	t.Parallel()
	d := open(t)
	begin := time.Now()
	updates, err := d.poll(0, 1)
	if err != nil || len(updates) != 0 || time.Since(begin) < time.Second {
		t.Errorf("got %v, %v after %v; want nothing after a second", updates, err, time.Since(begin))
	}
}

func TestOffsetConfirmsAndLimitBounds(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, text := range []string{"one", "two", "three"} {
		d.Say(group, text, anna, 0)
	}
	first, err := d.bot.GetUpdates(tgbotapi.UpdateConfig{Limit: 2})
	if err != nil || len(first) != 2 {
		t.Fatalf("got %v, %v", first, err)
	}
	again, _ := d.poll(0, 0)
	if len(again) != 3 || again[0].UpdateID != first[0].UpdateID {
		t.Errorf("unconfirmed updates must come again, got %v", again)
	}
	rest, _ := d.poll(first[1].UpdateID+1, 0)
	if len(rest) != 1 || rest[0].Message.Text != "three" || d.Pending() != 1 {
		t.Errorf("got %v, %d pending", rest, d.Pending())
	}
	d.Say(group, "four", anna, 0)
	last, _ := d.poll(-1, 0)
	if len(last) != 1 || last[0].Message.Text != "four" || d.Pending() != 1 {
		t.Errorf("a negative offset keeps the newest, got %v", last)
	}
}

func TestAllowedUpdatesAreRememberedForWhatComesLater(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.mustSend(t, "x", "Go", "g")
	if _, err := d.call("getUpdates", "allowed_updates", `["callback_query"]`); err != nil {
		t.Fatal(err)
	}
	d.Say(group, "unheard", anna, 0)
	d.mustPress(t, id, "Go")
	updates, _ := d.poll(0, 0)
	if len(updates) != 1 || updates[0].CallbackQuery == nil {
		t.Errorf("got %+v, want only the press", updates)
	}
	if d.Push("chat_member", map[string]any{}) != 0 || d.Push("callback_query", map[string]any{"id": "1"}) == 0 {
		t.Error("Push must follow allowed_updates")
	}
}

func TestASecondPollEndsTheFirst(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := d.pollAside(30)
	await(t, d, (*fakebot.State).Polling)
	second := d.pollAside(30)
	refused(t, (<-first).err, 409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
	d.Say(group, "hello", anna, 0)
	if got := <-second; got.err != nil || len(got.updates) != 1 {
		t.Errorf("got %+v, want the message", got)
	}
}

func TestAPollThatWasCancelledDisturbsNobody(t *testing.T) {
	t.Parallel()
	d := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/bot"+token+"/getUpdates?timeout=30", nil)
	done := make(chan error, 1)
	go func() {
		resp, err := d.http.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		done <- err
	}()
	await(t, d, (*fakebot.State).Polling)
	cancel()
	if <-done == nil {
		t.Error("the cancelled poll got an answer")
	}
	await(t, d, func(st *fakebot.State) bool { return !st.Polling() })
}

func TestClosingEndsAWaitingPoll(t *testing.T) {
	t.Parallel()
	d := open(t)
	done := d.pollAside(50)
	await(t, d, (*fakebot.State).Polling)
	d.stop()
	if got := <-done; got.err == nil {
		t.Error("a poll that was cut off must fail")
	}
}

func TestAWebhookGetsUpdatesWithItsSecretUntilItTakesThem(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.SetWebhookRetry(time.Millisecond)
	texts := make(chan string, 10)
	refusals := 2
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var u tgbotapi.Update
		_ = json.NewDecoder(r.Body).Decode(&u)
		texts <- r.Header.Get("X-Telegram-Bot-Api-Secret-Token") + ":" + u.Message.Text
		if refusals > 0 {
			refusals--
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer app.Close()
	waiting := d.pollAside(30)
	await(t, d, (*fakebot.State).Polling)
	if _, err := d.call("setWebhook", "url", app.URL, "secret_token", "s3cret"); err != nil {
		t.Fatal(err)
	}
	refused(t, (<-waiting).err, 409, "Conflict: terminated by setWebhook request")
	_, err := d.poll(0, 0)
	refused(t, err, 409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	d.Say(group, "hello", anna, 0)
	for range 3 {
		if got := <-texts; got != "s3cret:hello" {
			t.Errorf("delivered %q", got)
		}
	}
	await(t, d, func(st *fakebot.State) bool { return st.Pending() == 0 })
	info, err := d.bot.GetWebhookInfo()
	if err != nil || info.URL != app.URL || info.LastErrorMessage != "Wrong response from the webhook: 502 Bad Gateway" {
		t.Errorf("got %+v, %v", info, err)
	}
	if _, err := d.bot.Request(tgbotapi.DeleteWebhookConfig{}); err != nil {
		t.Fatal(err)
	}
	d.Say(group, "polled", anna, 0)
	if updates, err := d.poll(0, 0); err != nil || len(updates) != 1 {
		t.Errorf("after deleteWebhook polling must work, got %v, %v", updates, err)
	}
}

func TestAWebhookNeedsAnAddressAndAProperSecret(t *testing.T) {
	t.Parallel()
	d := open(t)
	_, err := d.call("setWebhook", "url", "ftp://example.org/x")
	refused(t, err, 400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook")
	_, err = d.call("setWebhook", "url", "https://example.org/x", "secret_token", "no spaces")
	refused(t, err, 400, "Bad Request: secret token contains unallowed characters")
}
