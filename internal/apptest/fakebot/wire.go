package fakebot

import "strings"

// wireChat is the short form of a chat inside messages.
func wireChat(c *chat) map[string]any {
	w := map[string]any{"id": c.id, "type": c.kind}
	if c.kind == "private" {
		w["first_name"] = c.user.FirstName
		if c.user.Username != "" {
			w["username"] = c.user.Username
		}
		return w
	}
	w["title"] = c.title
	if c.forum {
		w["is_forum"] = true
	}
	return w
}

// wireMessage is a message as Telegram sends it: plain text and entities, never the source. An answer to
// another message carries that message, one level deep.
func (s *Server) wireMessage(c *chat, m *Message, withReply bool) map[string]any {
	w := map[string]any{
		"message_id": m.ID, "date": m.SentAt.Unix(), "chat": wireChat(c), "from": m.From, "text": m.Text,
	}
	if len(m.Entities) > 0 {
		w["entities"] = m.Entities
	}
	if len(m.Buttons) > 0 {
		w["reply_markup"] = map[string]any{"inline_keyboard": m.Buttons}
	}
	if m.Edits > 0 {
		w["edit_date"] = m.EditedAt.Unix()
	}
	if m.ThreadID != 0 {
		w["message_thread_id"] = m.ThreadID
		w["is_topic_message"] = c.forum
	}
	if by, ok := s.state.chats[m.From.SenderChat]; ok && m.From.SenderChat != 0 {
		w["sender_chat"] = wireChat(by)
	}
	if answered := c.find(m.ReplyTo); withReply && answered != nil {
		w["reply_to_message"] = s.wireMessage(c, answered, false)
	}
	return w
}

// commandEntities marks the bot commands in what a person wrote; clients rely on the mark.
func commandEntities(text string) []Entity {
	var found []Entity
	at := 0
	for _, word := range strings.SplitAfter(text, " ") {
		name := strings.TrimRight(word, " \n")
		if first, _, cut := strings.Cut(name, "\n"); cut {
			name = first
		}
		if len(name) > 1 && name[0] == '/' && commandName.MatchString(strings.ToLower(beforeAt(name))) {
			found = append(found, Entity{Type: "bot_command", Offset: at, Length: units(name)})
		}
		at += units(word)
	}
	return found
}

func beforeAt(name string) string {
	command, _, _ := strings.Cut(name, "@")
	return command
}
