package fakebot_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/postil/postil/internal/apptest/fakebot"
	"go.uber.org/goleak"
)

const (
	token = "123456:secret"
	group = int64(-1001)
)

var anna = fakebot.User{ID: 7, FirstName: "Anna", Username: "anna"}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a fake that listens, with a group, and the real client library connected to it.
type desk struct {
	*fakebot.Server
	bot  *tgbotapi.BotAPI
	http *http.Client
	base string
	stop func()
}

func open(t *testing.T) *desk {
	t.Helper()
	d := &desk{Server: fakebot.New(token), http: &http.Client{Transport: &http.Transport{}}}
	d.AddChat(group, "supergroup")
	d.base, d.stop = d.Listen()
	t.Cleanup(func() {
		d.http.CloseIdleConnections()
		d.stop()
	})
	bot, err := tgbotapi.NewBotAPIWithClient(token, d.base+"/bot%s/%s", d.http)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	d.bot = bot
	return d
}

// send sends text in a parse mode with one row of buttons, label and data in turn.
func (d *desk) send(text, mode string, buttons ...string) (tgbotapi.Message, error) {
	m := tgbotapi.NewMessage(group, text)
	m.ParseMode = mode
	if len(buttons) > 0 {
		m.ReplyMarkup = keyboard(buttons...)
	}
	return d.bot.Send(m)
}

func (d *desk) mustSend(t *testing.T, text string, buttons ...string) int64 {
	t.Helper()
	m, err := d.send(text, "HTML", buttons...)
	if err != nil {
		t.Fatalf("send %q: %v", text, err)
	}
	return int64(m.MessageID)
}

func (d *desk) mustPress(t *testing.T, message int64, label string) string {
	t.Helper()
	id, err := d.Press(group, message, label, anna)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func keyboard(buttons ...string) tgbotapi.InlineKeyboardMarkup {
	var row []tgbotapi.InlineKeyboardButton
	for i := 0; i+1 < len(buttons); i += 2 {
		row = append(row, tgbotapi.NewInlineKeyboardButtonData(buttons[i], buttons[i+1]))
	}
	return tgbotapi.NewInlineKeyboardMarkup(row)
}

func (d *desk) poll(offset, timeout int) ([]tgbotapi.Update, error) {
	return d.bot.GetUpdates(tgbotapi.UpdateConfig{Offset: offset, Timeout: timeout})
}

// call makes a raw call with form parameters, name and value in turn.
func (d *desk) call(method string, pairs ...string) (json.RawMessage, error) {
	params := tgbotapi.Params{}
	for i := 0; i+1 < len(pairs); i += 2 {
		params[pairs[i]] = pairs[i+1]
	}
	resp, err := d.bot.MakeRequest(method, params)
	if err != nil {
		return nil, err
	}
	return resp.Result, nil
}

// refused checks that err is Telegram's refusal with this code and text.
func refused(t *testing.T, err error, code int, text string) *tgbotapi.Error {
	t.Helper()
	var refusal *tgbotapi.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v, want a refusal %d %q", err, code, text)
	}
	if refusal.Code != code || refusal.Message != text {
		t.Fatalf("got %d %q, want %d %q", refusal.Code, refusal.Message, code, text)
	}
	return refusal
}

func await(t *testing.T, d *desk, ok func(*fakebot.State) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := d.WaitFor(ctx, ok); err != nil {
		t.Fatal(err)
	}
}

// clock is a hand-moved clock; tests move it only between calls.
type clock struct{ t time.Time }

func (d *desk) stopClock() *clock {
	c := &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	d.SetClock(func() time.Time { return c.t })
	return c
}

func (d *desk) advance(c *clock, by time.Duration) {
	now := c.t.Add(by)
	d.SetClock(func() time.Time { return now })
	c.t = now
}
