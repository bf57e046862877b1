package fakebot

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// AddChat opens a chat with the bot: kind is private, group, supergroup, channel or forum (a supergroup with
// topics). A chat that exists keeps its messages and loses every refusal.
func (s *Server) AddChat(id int64, kind string) {
	s.locked(func() { s.addChat(id, kind) })
}

func (s *Server) addChat(id int64, kind string) *chat {
	c, ok := s.state.chats[id]
	if !ok {
		c = &chat{id: id}
		s.state.chats[id] = c
	}
	c.kind, c.forum = kind, kind == "forum"
	if c.forum {
		c.kind = "supergroup"
	}
	c.title = fmt.Sprintf("Chat %d", id)
	c.user = User{ID: id, FirstName: fmt.Sprintf("User %d", id)}
	c.refusal, c.migratedTo = "", 0
	return c
}

// RemoveChat makes the chat unknown: "chat not found".
func (s *Server) RemoveChat(id int64) { s.locked(func() { delete(s.state.chats, id) }) }

// Block makes every call to the chat fail with 403, as when the person blocks the bot.
func (s *Server) Block(chatID int64) { s.Forbid(chatID, BlockedByUser().Description) }

// Forbid makes every call to the chat fail with 403 and the given text, such as "Forbidden: bot was kicked
// from the supergroup chat". An empty text lets calls through again.
func (s *Server) Forbid(chatID int64, description string) {
	s.locked(func() { s.known(chatID).refusal = description })
}

// known panics for a chat that was never added: a fault on the wrong chat would make a test pass for nothing.
func (s *Server) known(chatID int64) *chat {
	c, ok := s.state.chats[chatID]
	if !ok {
		panic(fmt.Sprintf("fakebot: chat %d was never added", chatID))
	}
	return c
}

// Upgrade turns a group into the supergroup with the id to: calls to the old id fail and name the new one,
// and both chats get the service message that tells the bot.
func (s *Server) Upgrade(chatID, to int64) {
	s.locked(func() {
		old := s.known(chatID)
		fresh := s.addChat(to, "supergroup")
		s.service(old, "migrate_to_chat_id", to)
		s.service(fresh, "migrate_from_chat_id", chatID)
		old.migratedTo = to
	})
}

func (s *Server) service(c *chat, field string, id int64) {
	c.lastID++
	s.enqueue("message", map[string]any{
		"message_id": c.lastID, "date": s.now().Unix(), "chat": wireChat(c), "from": AnonymousAdmin(c.id), field: id,
	})
}

// Say lets a person write into a chat, which is opened as a private one if it is unknown; replyTo 0 answers
// nothing. It returns the id of the message and queues the update.
func (s *Server) Say(chatID int64, text string, by User, replyTo int64) (messageID int64) {
	s.locked(func() {
		c, ok := s.state.chats[chatID]
		if !ok {
			c = s.addChat(chatID, "private")
		}
		if c.kind == "private" {
			c.user = by
		}
		m := &Message{From: by, Source: text, Text: text, Entities: commandEntities(text), ReplyTo: replyTo}
		if answered := c.find(replyTo); answered != nil {
			m.ThreadID = answered.ThreadID
		}
		s.post(c, m)
		s.enqueue("message", s.wireMessage(c, m, true))
		messageID = m.ID
	})
	return messageID
}

// query is one press that waits for an answer.
type query struct {
	chatID, messageID int64
	by                User
	at                time.Time
}

// Press lets a person press the button whose label is, or else contains, the given text. It fails when the
// message or the button is not there now, or when the button is a link.
func (s *Server) Press(chatID, messageID int64, button string, by User) (callbackID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.state.chats[chatID]
	if !ok {
		return "", fmt.Errorf("fakebot: chat %d is unknown", chatID)
	}
	m := c.find(messageID)
	if m == nil {
		return "", fmt.Errorf("fakebot: chat %d has no message %d", chatID, messageID)
	}
	b, ok := m.button(button)
	if !ok {
		return "", fmt.Errorf("fakebot: message %d has no button %q, only %q", messageID, button, m.Labels())
	}
	if b.Data == "" {
		return "", fmt.Errorf("fakebot: the button %q is a link to %s", b.Text, b.URL)
	}
	return s.press(c, messageID, b.Data, by), nil
}

func (m Message) button(label string) (Button, bool) {
	var partial *Button
	for _, row := range m.Buttons {
		for _, b := range row {
			if b.Text == label {
				return b, true
			}
			if partial == nil && strings.Contains(b.Text, label) {
				partial = &b
			}
		}
	}
	if partial == nil {
		return Button{}, false
	}
	return *partial, true
}

// PressData sends data as if a button had carried it: what an outdated screen or a forger would send. The
// message need not exist; the bot then sees it as inaccessible (date 0). An unknown chat is opened.
func (s *Server) PressData(chatID, messageID int64, data string, by User) (callbackID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.state.chats[chatID]
	if !ok {
		c = s.addChat(chatID, "private")
	}
	return s.press(c, messageID, data, by)
}

func (s *Server) press(c *chat, messageID int64, data string, by User) string {
	s.lastQuery++
	id := strconv.FormatInt(4_000_000_000_000_000_000+s.lastQuery, 10)
	s.state.queries[id] = &query{chatID: c.id, messageID: messageID, by: by, at: s.now()}
	message := map[string]any{"message_id": messageID, "date": 0, "chat": wireChat(c)}
	if m := c.find(messageID); m != nil {
		message = s.wireMessage(c, m, true)
	}
	s.enqueue("callback_query", map[string]any{
		"id": id, "from": by, "message": message, "chat_instance": strconv.FormatInt(-c.id, 10), "data": data,
	})
	s.wake()
	return id
}

func (s *Server) answerCallbackQuery(r *request) (any, *Fault) {
	id := r.params["callback_query_id"]
	q, ok := s.state.queries[id]
	if !ok || s.now().Sub(q.at) > s.callbackTTL {
		return nil, badRequest("query is too old and response timeout expired or query ID is invalid")
	}
	text := r.params["text"]
	if utf8.RuneCountInString(text) > 200 {
		return nil, badRequest("MESSAGE_TOO_LONG")
	}
	s.state.answers = append(s.state.answers, CallbackAnswer{
		ID: id, ChatID: q.chatID, MessageID: q.messageID, By: q.by, Text: text, ShowAlert: r.flag("show_alert"), At: s.now(),
	})
	return true, nil
}
