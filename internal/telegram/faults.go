package telegram

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

// class says what a failed call means for whoever made it.
type class int

const (
	unknown      class = iota // nobody foresaw it: try this one thing again, more and more rarely
	later                     // nothing is wrong with the call; try it again
	chatGone                  // nothing reaches this chat until somebody mends it
	moved                     // the group became a supergroup with another id
	notModified               // the message says that already: a success
	messageGone               // this message can never be edited again
	tooLong                   // the text does not fit
	badMarkup                 // the text cannot be read as it was marked up
	expired                   // nobody waits for the answer to this press any more
	unauthorised              // the token is wrong
	otherPoller               // another program, or a webhook, takes the updates
)

// known tells the classes apart by Telegram's words, because the codes do not:
// almost everything is a 400. The first line that fits counts; code 0 is any.
var known = []struct {
	code  int
	words string // in lower case
	class class
}{
	{429, "", later},
	{401, "", unauthorised},
	{404, "not found: method", unknown},
	{404, "not found", unauthorised},
	{409, "", otherPoller},
	{0, "upgraded to a supergroup", moved},
	{403, "", chatGone},
	{400, "chat not found", chatGone},
	{400, "chat was deleted", chatGone},
	{400, "chat was deactivated", chatGone},
	{400, "chat_write_forbidden", chatGone},
	{400, "not enough rights to send", chatGone},
	{400, "have no rights to send", chatGone},
	{400, "need administrator rights", chatGone},
	{400, "peer_id_invalid", chatGone},
	{400, "topic_closed", chatGone},
	{400, "topic_deleted", chatGone},
	{400, "message thread not found", chatGone},
	{400, "message is not modified", notModified},
	{400, "message to edit not found", messageGone},
	{400, "message can't be edited", messageGone},
	{400, "message_id_invalid", messageGone},
	{400, "message identifier is not specified", messageGone},
	{400, "message is too long", tooLong},
	{400, "message_too_long", tooLong},
	{400, "can't parse entities", badMarkup},
	{400, "entity", badMarkup},
	{400, "entities_too_long", badMarkup},
	{400, "encoded in utf-8", badMarkup},
	{400, "text is empty", badMarkup},
	{400, "query is too old", expired},
	{400, "query_id_invalid", expired},
	{400, "query id is invalid", expired},
}

// fault is a failed call. It keeps no cause: transport errors carry the address
// with the token, and what is not kept cannot be printed.
type fault struct {
	class class
	after time.Duration // how long Telegram asks to wait, 0: it did not say
	to    int64         // the new id of a chat that moved
	text  string        // without the token

	answered bool // Telegram itself said no: nothing was done
}

func (f *fault) Error() string { return f.text }

// faultOf returns err as a fault. An error that did not come from Telegram is
// one of ours, and trying later is the best there is.
func faultOf(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	return &fault{class: later, text: err.Error()}
}

// classOf returns the class of a failed call, unknown when it did not fail.
func classOf(err error) class {
	if err == nil {
		return unknown
	}
	return faultOf(err).class
}

// classify turns what the library returned into a fault.
func classify(err error, hide func(string) string) *fault {
	refusal, ok := errors.AsType[*tgbotapi.Error](err)
	if !ok { // the network, or a page of a proxy instead of JSON
		text := "Telegram cannot be reached: " + hide(err.Error())
		if errors.Is(err, context.DeadlineExceeded) {
			text = "Telegram did not answer in time"
		}
		return &fault{class: later, text: text}
	}
	f := &fault{class: unknown, answered: refusal.Code > 0 && refusal.Code < 500, after: time.Duration(refusal.RetryAfter) * time.Second, to: refusal.MigrateToChatID,
		text: hide(fmt.Sprintf("Telegram answers %d: %s", refusal.Code, refusal.Message))}
	words := strings.ToLower(refusal.Message)
	for _, k := range known {
		if (k.code == 0 || k.code == refusal.Code) && strings.Contains(words, k.words) {
			f.class = k.class
			break
		}
	}
	switch {
	case f.to != 0:
		f.class = moved
	case refusal.Code >= 500 || refusal.Code == 0:
		f.class = later
	case f.class == unauthorised:
		f.text += ". The bot's token is wrong or was revoked: get the right one from @BotFather and set POSTIL_TELEGRAM_TOKEN"
	}
	return f
}
