package fakebot

import (
	"encoding/json"
	"reflect"
	"slices"
)

// maxText is the longest message in UTF-16 units, after the markup is taken out.
const maxText = 4096

const notModified = "message is not modified: specified new message content and reply markup are exactly " +
	"the same as a current content and reply markup of the message"

func (s *Server) sendMessage(r *request) (any, *Fault) {
	text, fault := readText(r)
	if fault != nil {
		return nil, fault
	}
	buttons, fault := readKeyboard(r)
	if fault != nil {
		return nil, fault
	}
	c, fault := s.reach(r)
	if fault != nil {
		return nil, fault
	}
	replyTo, fault := readReply(r, c)
	if fault != nil {
		return nil, fault
	}
	if units(text.text) > maxText {
		return nil, badRequest("message is too long")
	}
	if fault := checkData(buttons); fault != nil {
		return nil, fault
	}
	if fault := c.limit.pass(r.method, s.now()); fault != nil {
		return nil, fault
	}
	m := s.post(c, &Message{
		ThreadID: r.number("message_thread_id"), From: s.self, Source: r.params["text"], ParseMode: r.params["parse_mode"],
		Text: text.text, Entities: text.entities, Buttons: buttons, ReplyTo: replyTo,
		NoLinkPreview: previewOff(r), Silent: r.flag("disable_notification"),
	})
	return s.wireMessage(c, m, true), nil
}

// post gives the message its id and date and puts it into the chat.
func (s *Server) post(c *chat, m *Message) *Message {
	c.lastID++
	m.ID, m.ChatID, m.SentAt = c.lastID, c.id, s.now()
	c.messages = append(c.messages, m)
	return m
}

func readText(r *request) (formatted, *Fault) {
	text, fault := parseText(r)
	if fault != nil {
		return text, fault
	}
	text = tidy(text)
	if blank(text.text) {
		return text, badRequest("message text is empty")
	}
	return text, nil
}

// readReply takes both ways to say which message is answered.
func readReply(r *request, c *chat) (int64, *Fault) {
	reply := struct {
		MessageID int64           `json:"message_id"`
		ChatID    json.RawMessage `json:"chat_id"`
		Anyway    bool            `json:"allow_sending_without_reply"`
	}{MessageID: r.number("reply_to_message_id"), Anyway: r.flag("allow_sending_without_reply")}
	if fault := r.object("reply_parameters", &reply); fault != nil {
		return 0, fault
	}
	if reply.MessageID == 0 || c.find(reply.MessageID) != nil {
		return reply.MessageID, nil
	}
	if reply.Anyway {
		return 0, nil
	}
	return 0, badRequest("message to be replied not found")
}

func previewOff(r *request) bool {
	var options struct {
		Disabled bool `json:"is_disabled"`
	}
	_ = r.object("link_preview_options", &options)
	return options.Disabled || r.flag("disable_web_page_preview")
}

func (s *Server) editMessageText(r *request) (any, *Fault) {
	text, fault := readText(r)
	if fault != nil {
		return nil, fault
	}
	buttons, fault := readKeyboard(r)
	if fault != nil {
		return nil, fault
	}
	c, m, fault := s.editable(r)
	if fault != nil {
		return nil, fault
	}
	// The same mistake has another name in edits.
	if units(text.text) > maxText {
		return nil, badRequest("MESSAGE_TOO_LONG")
	}
	if fault := checkData(buttons); fault != nil {
		return nil, fault
	}
	if text.text == m.Text && slices.Equal(text.entities, m.Entities) && sameButtons(buttons, m.Buttons) {
		return nil, badRequest(notModified)
	}
	if fault := c.limit.pass(r.method, s.now()); fault != nil {
		return nil, fault
	}
	m.Source, m.ParseMode, m.Text, m.Entities = r.params["text"], r.params["parse_mode"], text.text, text.entities
	m.NoLinkPreview = previewOff(r)
	return s.edited(c, m, buttons), nil
}

func (s *Server) editMessageReplyMarkup(r *request) (any, *Fault) {
	buttons, fault := readKeyboard(r)
	if fault != nil {
		return nil, fault
	}
	c, m, fault := s.editable(r)
	if fault != nil {
		return nil, fault
	}
	if fault := checkData(buttons); fault != nil {
		return nil, fault
	}
	if sameButtons(buttons, m.Buttons) {
		return nil, badRequest(notModified)
	}
	if fault := c.limit.pass(r.method, s.now()); fault != nil {
		return nil, fault
	}
	return s.edited(c, m, buttons), nil
}

// edited replaces the keyboard: an edit that names none removes it.
func (s *Server) edited(c *chat, m *Message, buttons [][]Button) any {
	m.Buttons = buttons
	m.Edits++
	m.EditedAt = s.now()
	return s.wireMessage(c, m, true)
}

func sameButtons(a, b [][]Button) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func (s *Server) editable(r *request) (*chat, *Message, *Fault) {
	c, fault := s.reach(r)
	if fault != nil {
		return nil, nil, fault
	}
	if r.number("message_id") <= 0 {
		return nil, nil, badRequest("message identifier is not specified")
	}
	m := c.find(r.number("message_id"))
	if m == nil {
		return nil, nil, badRequest("message to edit not found")
	}
	tooOld := s.editWindow > 0 && s.now().Sub(m.SentAt) > s.editWindow
	if m.From.ID != s.self.ID || tooOld {
		return nil, nil, badRequest("message can't be edited")
	}
	return c, m, nil
}

func (s *Server) deleteMessage(r *request) (any, *Fault) {
	c, fault := s.reach(r)
	if fault != nil {
		return nil, fault
	}
	id := r.number("message_id")
	if id <= 0 {
		return nil, badRequest("message identifier is not specified")
	}
	m := c.find(id)
	if m == nil {
		return nil, badRequest("message to delete not found")
	}
	c.messages = slices.DeleteFunc(c.messages, func(one *Message) bool { return one == m })
	return true, nil
}
