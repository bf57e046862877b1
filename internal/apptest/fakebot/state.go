package fakebot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// User is a person or bot as Telegram shows it.
type User struct {
	ID           int64  `json:"id"`
	IsBot        bool   `json:"is_bot"`
	FirstName    string `json:"first_name"`
	LastName     string `json:"last_name,omitempty"`
	Username     string `json:"username,omitempty"`
	LanguageCode string `json:"language_code,omitempty"`
	// SenderChat is the chat in whose name the user writes, 0 for none; see AnonymousAdmin.
	SenderChat int64 `json:"-"`
}

// AnonymousAdmin is the mask that Telegram puts on an anonymous administrator of a group.
func AnonymousAdmin(chatID int64) User {
	return User{ID: 1087968824, IsBot: true, FirstName: "Group", Username: "GroupAnonymousBot", SenderChat: chatID}
}

// Button is one inline button; either Data or URL is set.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Message is a message as it stands in the chat now.
type Message struct {
	ID, ChatID, ThreadID int64
	From                 User
	Source               string // as it was sent, before parsing: HTML when ParseMode says so
	ParseMode            string
	Text                 string // as it is shown
	Entities             []Entity
	Buttons              [][]Button
	ReplyTo              int64 // 0 for none
	Edits                int
	SentAt, EditedAt     time.Time
	NoLinkPreview        bool
	Silent               bool
}

// Labels lists the button texts from top left to bottom right.
func (m Message) Labels() []string {
	var labels []string
	for _, row := range m.Buttons {
		for _, b := range row {
			labels = append(labels, b.Text)
		}
	}
	return labels
}

// CallbackAnswer is one accepted answerCallbackQuery.
type CallbackAnswer struct {
	ID                string
	ChatID, MessageID int64
	By                User // who had pressed
	Text              string
	ShowAlert         bool
	At                time.Time
}

// Call is one finished call. Status is the error code sent, 200 when it worked and 0 when the connection was
// cut before any effect. Params holds objects as JSON text.
type Call struct {
	Method      string
	ChatID      int64
	MessageID   int64
	At          time.Time
	Params      map[string]string
	Status      int
	Description string
}

// State is what the server holds, for conditions given to WaitFor. It is only valid during the condition.
type State struct {
	chats    map[int64]*chat
	queries  map[string]*query
	calls    []Call
	answers  []CallbackAnswer
	pending  []update
	commands []command
	hook     *hook
	polling  bool
}

type chat struct {
	id         int64
	kind       string // private, group, supergroup, channel
	forum      bool
	title      string
	user       User // the other side of a private chat
	lastID     int64
	messages   []*Message
	refusal    string
	migratedTo int64
	limit      *limit
}

func (c *chat) find(id int64) *Message {
	for _, m := range c.messages {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// Messages are the chat's messages that are not deleted, by people and bot, oldest first.
func (st *State) Messages(chatID int64) []Message {
	c, ok := st.chats[chatID]
	if !ok {
		return nil
	}
	list := make([]Message, 0, len(c.messages))
	for _, m := range c.messages {
		list = append(list, *m)
	}
	return list
}

// Answers are the accepted answers to button presses, oldest first.
func (st *State) Answers() []CallbackAnswer { return slices.Clone(st.answers) }

// Calls are the finished calls, of the given methods or of all, oldest first.
func (st *State) Calls(methods ...string) []Call {
	if len(methods) == 0 {
		return slices.Clone(st.calls)
	}
	var list []Call
	for _, c := range st.calls {
		if containsFold(methods, c.Method) {
			list = append(list, c)
		}
	}
	return list
}

// Pending counts the updates that nobody has confirmed yet.
func (st *State) Pending() int { return len(st.pending) }

// Polling tells whether a getUpdates waits at this moment.
func (st *State) Polling() bool { return st.polling }

// WebhookURL is the webhook's address, empty when updates are polled.
func (st *State) WebhookURL() string {
	if st.hook == nil {
		return ""
	}
	return st.hook.url
}

// Messages is State.Messages at this moment.
func (s *Server) Messages(chatID int64) []Message {
	return look(s, func(st *State) []Message { return st.Messages(chatID) })
}

// Answers is State.Answers at this moment.
func (s *Server) Answers() []CallbackAnswer { return look(s, (*State).Answers) }

// Calls is State.Calls at this moment.
func (s *Server) Calls(methods ...string) []Call {
	return look(s, func(st *State) []Call { return st.Calls(methods...) })
}

// Pending is State.Pending at this moment.
func (s *Server) Pending() int { return look(s, (*State).Pending) }

// look unlocks by defer: a condition may end the test with t.Fatal.
func look[T any](s *Server, f func(*State) T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f(&s.state)
}

// patience bounds a WaitFor whose context has no deadline.
const patience = 10 * time.Second

// WaitFor returns nil as soon as ok holds; it is asked again after every change, without polling. The
// condition must use the State it is given: a method of Server would lock twice. When ctx ends first (after
// 10 s if it has no deadline) the error tells the last calls.
func (s *Server) WaitFor(ctx context.Context, ok func(*State) bool) error {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	for {
		var changed chan struct{}
		met := look(s, func(st *State) bool {
			changed = s.changed
			return ok(st)
		})
		if met {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("fakebot: the awaited state did not come: %w; last calls:%s", ctx.Err(), look(s, lastCalls))
		}
	}
}

func lastCalls(st *State) string {
	var b strings.Builder
	for _, c := range st.calls[max(0, len(st.calls)-8):] {
		fmt.Fprintf(&b, " %s(chat %d) %d %s;", c.Method, c.ChatID, c.Status, c.Description)
	}
	return b.String()
}

// record notes a call once its effect is done and before its answer leaves.
func (s *Server) record(r *request, f *Fault) {
	c := Call{Method: r.method, MessageID: r.number("message_id"), Params: r.params, Status: 200}
	if f != nil && f.Refuse {
		c.Status, c.Description = 0, "connection refused"
	} else if f != nil {
		c.Status, c.Description = f.status(), f.description()
	}
	s.locked(func() {
		c.At, c.ChatID = s.now(), s.chatOf(r)
		s.state.calls = append(s.state.calls, c)
	})
}
