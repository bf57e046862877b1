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
	chat     = int64(-100)
)

// measureTravel sends comments one after the other to an idle service with a
// bot, and times two ways: from the answered POST to the card at the Bot API,
// and from the pressed button to the frame on a reader's stream.
func measureTravel(ctx context.Context, binary string, rounds int, t *table) error {
	bot := fakebot.New(botToken)
	api, closeBot := bot.Listen()
	defer closeBot()
	bot.AddChat(chat, "supergroup")
	moderator := fakebot.User{ID: 7, FirstName: "Mod"}
	s, err := start(ctx, binary, "POSTIL_TELEGRAM_TOKEN="+botToken, "POSTIL_TELEGRAM_API="+api, "POSTIL_TELEGRAM_CHATS=-100", "POSTIL_TELEGRAM_MODERATORS=7")
	if err != nil {
		return err
	}
	defer s.stop()
	frames, err := s.listen(ctx, "/bench")
	if err != nil {
		return err
	}
	var toCard, toReader []time.Duration
	for i := range rounds {
		sent, err := s.post(ctx, "/bench", fmt.Sprintf("comment number %d of a quiet day", i))
		if err != nil {
			return err
		}
		card, at, err := waitCard(ctx, bot, i)
		if err != nil {
			return err
		}
		toCard = append(toCard, max(at.Sub(sent), 0))
		pressed := time.Now()
		if _, err := bot.Press(chat, card, "Approve", moderator); err != nil {
			return err
		}
		select {
		case at := <-frames:
			toReader = append(toReader, at.Sub(pressed))
		case <-time.After(10 * time.Second):
			return fmt.Errorf("no frame for the approval of comment %d", i)
		}
	}
	t.add("POST answered to card sent", spread(toCard), "p50 50 ms, p99 200 ms")
	t.add("button pressed to frame at a reader", spread(toReader), "p50 50 ms, p99 200 ms")
	return nil
}

// waitCard waits for the (i+1)th message in the chat.
func waitCard(ctx context.Context, bot *fakebot.Server, i int) (id int64, at time.Time, err error) {
	err = bot.WaitFor(ctx, func(s *fakebot.State) bool {
		ms := s.Messages(chat)
		if len(ms) <= i {
			return false
		}
		id, at = ms[i].ID, ms[i].SentAt
		return true
	})
	return id, at, err
}

// post sends a comment as a widget would and returns when it was answered.
func (s *server) post(ctx context.Context, post, text string) (time.Time, error) {
	body, err := json.Marshal(map[string]any{"post": post, "author": map[string]string{"name": "Ann"}, "text": text})
	if err != nil {
		return time.Time{}, err
	}
	r, err := http.NewRequestWithContext(ctx, "POST", s.base+"/api/v1/sites/bench/comments", bytes.NewReader(body))
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
func (s *server) listen(ctx context.Context, post string) (<-chan time.Time, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", s.base+"/api/v1/sites/bench/stream?post="+post, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	frames := make(chan time.Time, 16)
	go func() {
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "event: comment.approved") {
				frames <- time.Now()
			}
		}
	}()
	return frames, nil
}
