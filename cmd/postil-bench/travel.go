package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
)

const (
	botToken = "42:bench"
	desks    = 50 // sites, each with a chat of its own: the bot must not be slowed by the pace that one chat bears
)

// desk is one site and the private chat that gets its cards.
type desk struct {
	site  string
	chat  int64
	cards int // seen so far
}

// measureTravel sends comments one after the other to an idle service with a
// bot, and times two ways: from the answered POST to the card at the Bot API,
// and from the pressed button to the frame on a reader's stream.
func measureTravel(ctx context.Context, b *bench) error {
	rounds := 200
	if b.quick {
		rounds = 20
	}
	bot := fakebot.New(botToken)
	api, closeBot := bot.Listen()
	defer closeBot()
	all, chats := make([]desk, desks), make([]string, desks)
	for i := range all {
		all[i] = desk{site: fmt.Sprintf("bench%d", i), chat: int64(1000 + i)}
		bot.AddChat(all[i].chat, "private")
		chats[i] = fmt.Sprintf("%s=%d", all[i].site, all[i].chat)
	}
	s, err := b.start(ctx, "", "POSTIL_TELEGRAM_TOKEN="+botToken, "POSTIL_TELEGRAM_API="+api,
		"POSTIL_TELEGRAM_CHATS="+strings.Join(chats, ","), "POSTIL_TELEGRAM_MODERATORS=7")
	if err != nil {
		return err
	}
	defer s.stop()
	frames := make(chan time.Time, 16)
	for i := range all {
		if err := s.addSite(ctx, all[i].site); err != nil {
			return err
		}
		if err := s.listen(ctx, all[i].site, "/bench", frames); err != nil {
			return err
		}
	}
	var toCard, toReader []time.Duration
	for i := range rounds {
		d := &all[i%desks]
		card, read, err := s.travel(ctx, bot, d, frames, fmt.Sprintf("comment number %d of a quiet day", i))
		if err != nil {
			return fmt.Errorf("round %d: %w", i, err)
		}
		toCard, toReader = append(toCard, card), append(toReader, read)
		time.Sleep(10 * time.Millisecond) // idle again
	}
	for what, took := range map[string][]time.Duration{"POST answered to card sent": toCard, "button pressed to frame at a reader": toReader} {
		ok := median(took) < 50*time.Millisecond && quantile(took, 0.99) < 200*time.Millisecond
		b.report.judge(what, median(took).Seconds(), spread(took), "p50 < 50 ms, p99 < 200 ms", ok)
	}
	return nil
}

// travel sends one comment to the moderator and back.
func (s *server) travel(ctx context.Context, bot *fakebot.Server, d *desk, frames <-chan time.Time, text string) (toCard, toReader time.Duration, err error) {
	sent, err := s.post(ctx, d.site, "/bench", text)
	if err != nil {
		return 0, 0, err
	}
	card, at, err := d.next(ctx, bot)
	if err != nil {
		return 0, 0, err
	}
	pressed := time.Now()
	if _, err := bot.Press(d.chat, card, "Approve", fakebot.User{ID: 7, FirstName: "Mod"}); err != nil {
		return 0, 0, err
	}
	select {
	case read := <-frames:
		return max(at.Sub(sent), 0), read.Sub(pressed), nil
	case <-time.After(10 * time.Second):
		return 0, 0, fmt.Errorf("no frame for the approval")
	}
}

// next waits for the next card in the chat.
func (d *desk) next(ctx context.Context, bot *fakebot.Server) (id int64, at time.Time, err error) {
	err = bot.WaitFor(ctx, func(s *fakebot.State) bool {
		ms := s.Messages(d.chat)
		if len(ms) <= d.cards {
			return false
		}
		id, at = ms[d.cards].ID, ms[d.cards].SentAt
		return true
	})
	d.cards++
	return id, at, err
}

// post sends a comment as a widget would and returns when it was answered.
func (s *server) post(ctx context.Context, site, post, text string) (time.Time, error) {
	body, err := json.Marshal(map[string]any{"post": post, "author": map[string]string{"name": "Ann"}, "text": text})
	if err != nil {
		return time.Time{}, err
	}
	r, err := http.NewRequestWithContext(ctx, "POST", s.base+"/api/v1/sites/"+site+"/comments", bytes.NewReader(body))
	if err != nil {
		return time.Time{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return time.Time{}, err
	}
	at := time.Now()
	defer res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		answer, _ := io.ReadAll(res.Body)
		return at, fmt.Errorf("POST was answered with %d: %s", res.StatusCode, answer)
	}
	io.Copy(io.Discard, res.Body)
	return at, nil
}

// listen opens a stream and reports when each approval arrives on it.
func (s *server) listen(ctx context.Context, site, post string, frames chan<- time.Time) error {
	r, err := http.NewRequestWithContext(ctx, "GET", s.base+"/api/v1/sites/"+site+"/stream?post="+post, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	go func() {
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "event: comment.approved") {
				frames <- time.Now()
			}
		}
	}()
	return nil
}

// addSite makes a site by the admin API.
func (s *server) addSite(ctx context.Context, key string) error {
	body := fmt.Sprintf(`{"key":%q,"name":%q,"origins":["https://%s.example"]}`, key, key, key)
	r, err := http.NewRequestWithContext(ctx, "POST", s.base+"/api/v1/admin/sites", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+adminKey)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return fmt.Errorf("the site %s was answered with %d", key, res.StatusCode)
	}
	return nil
}
