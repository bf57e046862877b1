package apptest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
)

// BotToken is the token of every bot that this package starts, and Group the
// chat that gets its cards.
const (
	BotToken       = "123456:apptest-bot-token"
	Group    int64 = -1001000000001
)

// Moderator is the person who may decide in Telegram.
var Moderator = fakebot.User{ID: 42, FirstName: "Anna"}

// Bot is a Telegram Bot API with one group, in which the Moderator is.
type Bot struct {
	*fakebot.Server
	URL string
}

// NewBot starts a Bot API; it ends with the test.
func NewBot(t testing.TB) *Bot {
	t.Helper()
	server := fakebot.New(BotToken)
	server.AddChat(Group, "supergroup")
	url, closeServer := server.Listen()
	t.Cleanup(closeServer)
	return &Bot{Server: server, URL: url}
}

// Card waits for a message in the group that holds all the texts.
func (b *Bot) Card(t testing.TB, within time.Duration, texts ...string) (card fakebot.Message) {
	t.Helper()
	Eventually(t, within, fmt.Sprintf("there is a card with %q", texts), func() bool {
		for _, m := range b.Messages(Group) {
			if holds(m.Text, texts) {
				card = m
				return true
			}
		}
		return false
	})
	return card
}

func holds(text string, all []string) bool {
	for _, s := range all {
		if !strings.Contains(text, s) {
			return false
		}
	}
	return true
}

// Tap lets the Moderator press a button of a card.
func (b *Bot) Tap(t testing.TB, card fakebot.Message, button string) {
	t.Helper()
	if _, err := b.Press(Group, card.ID, button, Moderator); err != nil {
		t.Fatalf("the button %q cannot be pressed: %v", button, err)
	}
}
