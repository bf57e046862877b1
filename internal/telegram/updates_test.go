package telegram_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/telegram"
)

func (r *room) wantNoSecret(more ...string) {
	r.t.Helper()
	st, err := r.bot.Status(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, text := range append(more, r.logs.String(), st.Problem) {
		for _, part := range []string{botToken, "AAH-very-secret", "hook-secret"} {
			if strings.Contains(text, part) {
				r.t.Errorf("%q is in:\n%s", part, text)
			}
		}
	}
}

func TestTG_19_TheTokenIsInNoLogAndNoStatus(t *testing.T) {
	t.Parallel()
	for name, break_ := range map[string]func(*room){
		"nobody listens": func(r *room) { r.cfg.API = "http://127.0.0.1:1" },
		"no such host":   func(r *room) { r.cfg.API = "http://telegram.invalid" },
		"cut connections": func(r *room) {
			r.fake.Fail("", 0, -1, fakebot.Fault{Refuse: true})
		},
		"a page that repeats the address": func(r *room) {
			r.fake.Fail("", 0, -1, fakebot.Fault{Status: 400, Description: "Bad Request: /bot" + botToken + "/x"})
		},
		"a redirect": func(r *room) {
			s := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/elsewhere", http.StatusFound))
			r.t.Cleanup(s.Close)
			r.cfg.API = s.URL
		},
		"another token": func(r *room) { r.cfg.Token = secret(botToken + "AAH-very-secret") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, 20)
			break_(r)
			r.make()
			r.run()
			r.write(words{text: "hello"})
			r.until("trouble is reported", func() bool {
				st, err := r.bot.Status(context.Background())
				return err == nil && st.Problem != "" && st.Undelivered == 1
			})
			r.wantNoSecret()
			cards, err := r.store.CardsOf(context.Background(), 1)
			if err != nil || cards[0].Problem == "" {
				t.Errorf("%+v, %v", cards, err)
			}
			r.wantNoSecret(cards[0].Problem)
		})
	}
}

func TestTG_19_AConfigurationThatIsPrintedShowsNoToken(t *testing.T) {
	t.Parallel()
	if _, err := telegram.New(nil, telegram.Config{Token: secret(botToken), API: "::" + botToken}, telegram.Deps{}); err == nil || strings.Contains(err.Error(), botToken) {
		t.Errorf("%v", err)
	}
}

// hooked is a desk in webhook mode with its receiver listening.
func hooked(t *testing.T) (*room, *httptest.Server) {
	t.Helper()
	r := open(t, 1)
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { handler.ServeHTTP(w, req) }))
	t.Cleanup(server.Close)
	r.cfg.Mode, r.cfg.WebhookURL, r.cfg.WebhookSecret = telegram.Webhook, server.URL, secret("hook-secret")
	r.make()
	handler = r.bot.WebhookHandler()
	r.run()
	r.await("the webhook is set", func(st *fakebot.State) bool { return st.WebhookURL() == server.URL })
	return r, server
}

func TestUpdatesArriveByWebhook(t *testing.T) {
	t.Parallel()
	r, _ := hooked(t)
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.press(card, "Approve", anna)
	r.edited(group, card.ID, "Approved by Anna")
	r.wantStatus(c.ID, postil.Approved)
	if n := len(r.fake.Calls("getUpdates")); n != 0 {
		t.Errorf("%d polls", n)
	}
	r.halt()
	r.fake.Close()
}

func TestTG_19_AWebhookCallWithoutTheSecretIsRefused(t *testing.T) {
	t.Parallel()
	r, server := hooked(t)
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	update := `{"update_id":5,"callback_query":{"id":"1","from":{"id":7,"first_name":"Anna"},"message":{"message_id":1,"date":1,"chat":{"id":-1001,"type":"supergroup"}},"data":"` + card.Buttons[0][0].Data + `"}}`
	send := func(method, secret, body string) int {
		req, err := http.NewRequest(method, server.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if secret != "" {
			req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		}
		resp, err := r.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	for _, wrong := range []string{"", "hook-secre", "hook-secret2", "HOOK-SECRET"} {
		if got := send(http.MethodPost, wrong, update); got != http.StatusForbidden {
			t.Errorf("%q: %d", wrong, got)
		}
	}
	if got := send(http.MethodGet, "hook-secret", ""); got != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", got)
	}
	if got := send(http.MethodPost, "hook-secret", "{"); got != http.StatusBadRequest {
		t.Errorf("no JSON: %d", got)
	}
	if got := send(http.MethodPost, "hook-secret", `{"x":"`+strings.Repeat("x", 2<<20)+`"}`); got != http.StatusBadRequest {
		t.Errorf("too much: %d", got)
	}
	r.wantStatus(c.ID, postil.Pending)
	for range 2 { // delivered twice, handled once
		if got := send(http.MethodPost, "hook-secret", update); got != http.StatusOK {
			t.Errorf("with the secret: %d", got)
		}
	}
	r.wantStatus(c.ID, postil.Approved)
	if n := len(r.fake.Calls("answerCallbackQuery")); n != 1 {
		t.Errorf("%d answers", n)
	}
	r.wantNoSecret()
	r.halt()
	r.fake.Close()
}

func TestInPollModeTheHandlerTakesNothing(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	w := httptest.NewRecorder()
	r.bot.WebhookHandler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}")))
	if w.Code != http.StatusForbidden {
		t.Errorf("%d", w.Code)
	}
}

func TestAnOldWebhookIsRemovedBeforePolling(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	bot := r.cfg
	bot.Mode, bot.WebhookURL, bot.WebhookSecret = telegram.Webhook, "http://127.0.0.1:1/", secret("hook-secret")
	plain := r.cfg
	r.cfg = bot
	r.make()
	r.run()
	r.await("the webhook is set", func(st *fakebot.State) bool { return st.WebhookURL() != "" })
	r.halt()
	r.cfg = plain
	r.make()
	r.run()
	r.await("polling", func(st *fakebot.State) bool { return st.Polling() && st.WebhookURL() == "" })
}

func TestAServerThatAnswersAtOnceDoesNotMakeTheLoopSpin(t *testing.T) {
	t.Parallel()
	polls := make(chan time.Time, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/getUpdates") {
			polls <- time.Now()
			_, _ = w.Write([]byte(`{"ok":true,"result":[]}`))
			return
		}
		_, _ = w.Write([]byte(`{"ok":true,"result":{"id":1,"is_bot":true,"username":"x","message_id":1}}`))
	}))
	defer server.Close()
	r := open(t, 1)
	r.cfg.API = server.URL
	r.make()
	r.run()
	first := <-polls
	<-polls
	if d := (<-polls).Sub(first); d < 300*time.Millisecond {
		t.Errorf("three polls in %s", d)
	}
	r.halt()
}

func TestStoppingDoesNotWaitForTheLongPoll(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.await("polling", func(st *fakebot.State) bool { return st.Polling() })
	began := time.Now()
	r.halt()
	if d := time.Since(began); d > time.Second {
		t.Errorf("it took %s", d)
	}
}

func TestUpdatesThatWereHandledDoNotComeAgainAfterARestart(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "a question"})
	card := r.card(group, 1)
	r.recorded()
	r.said(group, r.fake.Say(group, "an answer", anna, card.ID))
	r.until("the offset is kept", func() bool {
		s, err := r.store.Meta(context.Background(), "telegram.offset")
		return err == nil && s != ""
	})
	r.halt()
	r.make()
	r.run()
	r.said(anna.ID, r.fake.Say(anna.ID, "/help", anna, 0))
	if got := r.comment(c.ID).Replies; got != 1 {
		t.Errorf("%d replies", got)
	}
}

// A quiet chat would leave a bot that had one bad answer in trouble for as long
// as Telegram holds the next question.
func TestTG_10_AfterTroubleTheNextQuestionIsNotHeld(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	r.fake.Fail("getUpdates", 0, 1, fakebot.BadGateway())
	r.run()
	r.await("a question after the trouble", func(s *fakebot.State) bool { return len(s.Calls("getUpdates")) >= 2 })
	if calls := r.fake.Calls("getUpdates"); calls[0].Params["timeout"] != "50" || calls[1].Params["timeout"] != "0" {
		t.Errorf("asked with %v and %v", calls[0].Params, calls[1].Params)
	}
	r.until("all is well", func() bool { s, err := r.bot.Status(t.Context()); return err == nil && s.Problem == "" })
}
