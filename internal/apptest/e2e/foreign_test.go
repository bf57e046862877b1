//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/ports"
)

// foreignBot is a Bot API that others wrote: the npm package telegram-test-api.
// It answers getUpdates at once, ignores offsets, and does not know every
// method. polls counts the calls of getUpdates.
type foreignBot struct {
	url   string
	polls atomic.Int64
}

// theirMessage is a message of the bot as that package keeps it.
type theirMessage struct {
	MessageID int64 `json:"messageId"`
	Message   struct {
		ChatID any    `json:"chat_id"`
		Text   string `json:"text"`
		Markup struct {
			Rows [][]struct {
				Text string `json:"text"`
				Data string `json:"callback_data"`
			} `json:"inline_keyboard"`
		} `json:"reply_markup"`
	} `json:"message"`
}

func startForeignBot(t *testing.T) *foreignBot {
	t.Helper()
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, "telegram-test-api@4.2.1")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("this test needs npm and its registry, for a Bot API that is not ours: %v\n%s", err, out)
	}
	port := strconv.Itoa(ports.Free(t))
	node := exec.Command("node", "-e", `new (require("telegram-test-api"))({ host: "127.0.0.1", port: `+port+` }).start()`)
	node.Dir, node.Stdout, node.Stderr = dir, os.Stderr, os.Stderr
	if err := node.Start(); err != nil {
		t.Fatalf("node cannot be started: %v", err)
	}
	t.Cleanup(func() {
		node.Process.Kill()
		node.Wait()
	})
	apptest.Eventually(t, slow, "the foreign Bot API listens", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	f := &foreignBot{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "127.0.0.1:" + port}) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/getUpdates") && strings.HasPrefix(r.URL.Path, "/bot") {
			f.polls.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// ask calls the side of that package which a person's app would use.
func (f *foreignBot) ask(t *testing.T, method string, body, result any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(f.url+"/"+method, "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %s", method, res.StatusCode, err, answer)
	}
	whole := struct{ Result any }{result}
	if err := json.Unmarshal(answer, &whole); err != nil {
		t.Fatalf("%s: %v: %s", method, err, answer)
	}
}

// card waits for a message of the bot with this text.
func (f *foreignBot) card(t *testing.T, within time.Duration, text string) (card theirMessage) {
	t.Helper()
	apptest.Eventually(t, within, "the foreign chat has a card with "+strconv.Quote(text), func() bool {
		var all []theirMessage
		f.ask(t, "getUpdatesHistory", map[string]string{"token": apptest.BotToken}, &all)
		for _, m := range all {
			if strings.Contains(m.Message.Text, text) {
				card = m
				return true
			}
		}
		return false
	})
	return card
}

func TestTheBotWorksWithABotAPIThatIsNotOurs(t *testing.T) {
	f := startForeignBot(t)
	const chat, person = 77, 42
	p := apptest.RunBinary(t, apptest.Options{}, "POSTIL_TELEGRAM_TOKEN="+apptest.BotToken, "POSTIL_TELEGRAM_API="+f.url,
		"POSTIL_TELEGRAM_CHATS="+strconv.Itoa(chat), "POSTIL_TELEGRAM_MODERATORS="+strconv.Itoa(person))
	posted := p.Post(t, apptest.Draft{Text: "Does this speak to strangers?"})
	card := f.card(t, 5*time.Second, "Does this speak to strangers?")
	rows := card.Message.Markup.Rows
	if len(rows) == 0 || !strings.Contains(rows[0][0].Text, "Approve") {
		t.Fatalf("the card's buttons are %+v", rows)
	}
	member := map[string]any{"id": person, "first_name": "Anna", "is_bot": false}
	f.ask(t, "sendCallback", map[string]any{"botToken": apptest.BotToken, "from": member, "data": rows[0][0].Data, "date": time.Now().Unix(),
		"message": map[string]any{"message_id": card.MessageID, "date": time.Now().Unix(), "text": card.Message.Text, "from": member,
			"chat": map[string]any{"id": chat, "type": "private", "first_name": "Anna"}}}, nil)
	p.AwaitStatus(t, 5*time.Second, posted.Comment.ID, "approved")
	f.card(t, 5*time.Second, "Approved by Anna")

	// An API that never lets a poll wait must not be asked all the time.
	before, began := f.polls.Load(), time.Now()
	apptest.Eventually(t, slow, "the bot asks on", func() bool { return f.polls.Load() >= before+2 })
	if perSecond := float64(f.polls.Load()-before) / time.Since(began).Seconds(); perSecond > 10 {
		t.Errorf("it is asked %.0f times a second", perSecond)
	}
}
