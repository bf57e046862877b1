package fakebot

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// methods is everything the fake can do, by lower-case name: Telegram ignores the case of methods.
var methods = map[string]func(*Server, *request) (any, *Fault){
	"getme":                  guarded((*Server).getMe),
	"getchat":                guarded((*Server).getChat),
	"getupdates":             (*Server).getUpdates,
	"setwebhook":             guarded((*Server).setWebhook),
	"deletewebhook":          guarded((*Server).deleteWebhook),
	"getwebhookinfo":         guarded((*Server).getWebhookInfo),
	"sendmessage":            guarded((*Server).sendMessage),
	"editmessagetext":        guarded((*Server).editMessageText),
	"editmessagereplymarkup": guarded((*Server).editMessageReplyMarkup),
	"deletemessage":          guarded((*Server).deleteMessage),
	"answercallbackquery":    guarded((*Server).answerCallbackQuery),
	"setmycommands":          guarded((*Server).setMyCommands),
	"getmycommands":          guarded((*Server).getMyCommands),
	"deletemycommands":       guarded((*Server).deleteMyCommands),
	"sendchataction":         guarded((*Server).sendChatAction),
}

// guarded runs a method that does not wait under the lock.
func guarded(run func(*Server, *request) (any, *Fault)) func(*Server, *request) (any, *Fault) {
	return func(s *Server, r *request) (any, *Fault) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return run(s, r)
	}
}

func botID(token string) int64 {
	digits, _, _ := strings.Cut(token, ":")
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 1
	}
	return id
}

func (s *Server) getMe(*request) (any, *Fault) {
	return struct {
		User
		CanJoinGroups           bool `json:"can_join_groups"`
		CanReadAllGroupMessages bool `json:"can_read_all_group_messages"`
		SupportsInlineQueries   bool `json:"supports_inline_queries"`
	}{User: s.self, CanJoinGroups: true}, nil
}

func (s *Server) getChat(r *request) (any, *Fault) {
	c, fault := s.reach(r)
	if fault != nil {
		return nil, fault
	}
	full := wireChat(c)
	full["accent_color_id"] = 1
	full["max_reaction_count"] = 11
	return full, nil
}

func (s *Server) sendChatAction(r *request) (any, *Fault) {
	_, fault := s.reach(r)
	return true, fault
}

// reach finds the chat of a call and refuses the calls that the chat would not let through.
func (s *Server) reach(r *request) (*chat, *Fault) {
	if r.params["chat_id"] == "" {
		return nil, badRequest("chat_id is empty")
	}
	c, ok := s.state.chats[r.number("chat_id")]
	switch {
	case !ok:
		return nil, badRequest("chat not found")
	case c.migratedTo != 0:
		return nil, &Fault{MigrateTo: c.migratedTo}
	case c.refusal != "":
		return nil, &Fault{Status: 403, Description: c.refusal}
	}
	return c, nil
}

type command struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

var commandName = regexp.MustCompile(`^/?[a-z0-9_]{1,32}$`)

func (s *Server) setMyCommands(r *request) (any, *Fault) {
	var list []command
	if fault := r.object("commands", &list); fault != nil {
		return nil, fault
	}
	if len(list) > 100 {
		return nil, badRequest("BOT_COMMANDS_TOO_MUCH")
	}
	for i, c := range list {
		if !commandName.MatchString(c.Command) {
			return nil, badRequest("BOT_COMMAND_INVALID")
		}
		if n := utf8.RuneCountInString(c.Description); n < 1 || n > 256 {
			return nil, badRequest("BOT_COMMAND_DESCRIPTION_INVALID")
		}
		list[i].Command = strings.TrimPrefix(c.Command, "/")
	}
	s.state.commands = list
	return true, nil
}

func (s *Server) getMyCommands(*request) (any, *Fault) {
	return append([]command{}, s.state.commands...), nil
}

func (s *Server) deleteMyCommands(*request) (any, *Fault) {
	s.state.commands = nil
	return true, nil
}
