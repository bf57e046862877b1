package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

// How long one call may take.
const (
	callTime   = 15 * time.Second
	answerTime = 5 * time.Second // a person looks at a spinning wheel
	pollTime   = 50 * time.Second
	pollSlack  = 10 * time.Second
)

// maxAnswer bounds what is read of one answer.
const maxAnswer = 8 << 20

// client makes calls of the Bot API. Unlike the library's own constructor it
// calls nobody when it is made: the service starts while Telegram is away.
type client struct {
	token    Secret
	endpoint string
	http     *http.Client
}

func newClient(lg *slog.Logger, cfg Config, hc *http.Client) *client {
	if hc == nil {
		hc = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	own := *hc
	// A redirect would carry the token to another server.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &client{token: cfg.Token, endpoint: strings.ReplaceAll(cfg.API, "%", "%%") + "/bot%s/%s", http: &own}
	tameLibrary(lg, c.hide)
	return c
}

// hide removes the token from s.
func (c *client) hide(s string) string {
	token := c.token.Reveal()
	s = strings.ReplaceAll(s, token, "(token)")
	if _, secret, ok := strings.Cut(token, ":"); ok && secret != "" {
		s = strings.ReplaceAll(s, secret, "(token)")
	}
	return s
}

// bound ties the requests of one call to a context, which the library has no
// parameter for.
type bound struct {
	ctx  context.Context
	http *http.Client
}

func (b bound) Do(r *http.Request) (*http.Response, error) {
	resp, err := b.http.Do(r.WithContext(b.ctx))
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}

// call makes one call; a failure is a *fault.
func (c *client) call(ctx context.Context, limit time.Duration, method string, params tgbotapi.Params) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	bot := tgbotapi.BotAPI{Token: c.token.Reveal(), Client: bound{ctx, c.http}}
	bot.SetAPIEndpoint(c.endpoint)
	resp, err := bot.MakeRequest(method, params)
	if err != nil {
		return nil, classify(err, c.hide)
	}
	return resp.Result, nil
}

// letter is a message on its way out.
type letter struct {
	chat, thread int64
	text         string
	plain        bool   // the text is no HTML
	short        string // plain text to send when text is refused
	keys         [][]button
	answers      int64 // the message that is answered, 0: none
}

func (l letter) params() tgbotapi.Params {
	p := tgbotapi.Params{"chat_id": id(l.chat), "text": l.text, "link_preview_options": `{"is_disabled":true}`}
	if !l.plain {
		p["parse_mode"] = "HTML"
	}
	p.AddNonZero64("message_thread_id", l.thread)
	if l.answers != 0 {
		p["reply_parameters"] = fmt.Sprintf(`{"message_id":%d,"allow_sending_without_reply":true}`, l.answers)
	}
	if len(l.keys) > 0 {
		_ = p.AddInterface("reply_markup", map[string]any{"inline_keyboard": l.keys})
	}
	return p
}

func id(n int64) string { return strconv.FormatInt(n, 10) }

// send returns the id of the new message.
func (c *client) send(ctx context.Context, l letter) (message int64, err error) {
	raw, err := c.call(ctx, callTime, "sendMessage", l.params())
	if err != nil {
		return 0, err
	}
	var sent struct {
		ID int64 `json:"message_id"`
	}
	if err := json.Unmarshal(raw, &sent); err != nil || sent.ID == 0 {
		return 0, &fault{class: later, text: "Telegram sent an answer that cannot be read"}
	}
	return sent.ID, nil
}

// edit replaces a message. An edit without keys takes the old ones away.
func (c *client) edit(ctx context.Context, message int64, l letter) error {
	p := l.params()
	delete(p, "message_thread_id")
	p["message_id"] = id(message)
	_, err := c.call(ctx, callTime, "editMessageText", p)
	if classOf(err) == notModified {
		return nil
	}
	return err
}

// editKeys replaces the buttons of a message and leaves its text alone.
func (c *client) editKeys(ctx context.Context, chat, message int64, keys [][]button) error {
	_, err := c.swapKeys(ctx, chat, message, keys)
	return err
}

// swapKeys is editKeys that returns the text of the message.
func (c *client) swapKeys(ctx context.Context, chat, message int64, keys [][]button) (text string, err error) {
	p := tgbotapi.Params{"chat_id": id(chat), "message_id": id(message)}
	if keys == nil {
		keys = [][]button{}
	}
	_ = p.AddInterface("reply_markup", map[string]any{"inline_keyboard": keys})
	raw, err := c.call(ctx, callTime, "editMessageReplyMarkup", p)
	if err != nil {
		return "", err
	}
	var m struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &m)
	return m.Text, nil
}

// answer ends the waiting of whoever pressed a button; alert shows the text in
// a window that must be closed.
func (c *client) answer(ctx context.Context, query, text string, alert bool) error {
	p := tgbotapi.Params{"callback_query_id": query}
	p.AddNonEmpty("text", clip(text, 190))
	p.AddBool("show_alert", alert)
	_, err := c.call(ctx, answerTime, "answerCallbackQuery", p)
	return err
}

// updates returns the news from the given update on, as soon as there is some
// and at the latest after wait.
func (c *client) updates(ctx context.Context, offset int, wait time.Duration) ([]tgbotapi.Update, error) {
	p := tgbotapi.Params{"timeout": strconv.Itoa(int(wait.Seconds())), "allowed_updates": wantedUpdates}
	p.AddNonZero("offset", offset)
	raw, err := c.call(ctx, pollTime+pollSlack, "getUpdates", p)
	if err != nil {
		return nil, err
	}
	var list []tgbotapi.Update
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, &fault{class: later, text: "Telegram sent updates that cannot be read"}
	}
	return list, nil
}

// me returns the bot's own user name.
func (c *client) me(ctx context.Context) (string, error) {
	raw, err := c.call(ctx, callTime, "getMe", nil)
	if err != nil {
		return "", err
	}
	var user tgbotapi.User
	if err := json.Unmarshal(raw, &user); err != nil {
		return "", &fault{class: later, text: "Telegram sent an answer that cannot be read"}
	}
	return user.UserName, nil
}

// The library logs through one variable of the whole process. It is set once,
// and what it points to may change.
var (
	tamed       sync.Once
	libraryLogs atomic.Pointer[libraryLog]
)

type libraryLog struct {
	lg   *slog.Logger
	hide func(string) string
}

func tameLibrary(lg *slog.Logger, hide func(string) string) {
	libraryLogs.Store(&libraryLog{lg, hide})
	tamed.Do(func() { _ = tgbotapi.SetLogger(libraryLogger{}) })
}

type libraryLogger struct{}

func (libraryLogger) Println(v ...any) { libraryLogger{}.Printf("%s", fmt.Sprintln(v...)) }

func (libraryLogger) Printf(format string, v ...any) {
	l := libraryLogs.Load()
	l.lg.Debug("telegram library", "said", l.hide(strings.TrimSpace(fmt.Sprintf(format, v...))))
}
