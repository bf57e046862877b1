package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

func TestTG_07_RefusalsAreToldApartByWhatTheyMean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code int
		text string
		want class
	}{
		{429, "Too Many Requests: retry after 7", later},
		{500, "Internal Server Error", later},
		{502, "Bad Gateway", later},
		{401, "Unauthorized", unauthorised},
		{404, "Not Found", unauthorised},
		{404, "Not Found: method not found", unknown},
		{409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", otherPoller},
		{403, "Forbidden: bot was blocked by the user", chatGone},
		{403, "Forbidden: bot was kicked from the supergroup chat", chatGone},
		{403, "Forbidden: user is deactivated", chatGone},
		{403, "Forbidden: the group chat was deleted", chatGone},
		{400, "Bad Request: chat not found", chatGone},
		{400, "Bad Request: not enough rights to send text messages to the chat", chatGone},
		{400, "Bad Request: group chat was upgraded to a supergroup chat", moved},
		{400, "Bad Request: message is not modified: specified new message content …", notModified},
		{400, "Bad Request: message to edit not found", messageGone},
		{400, "Bad Request: message can't be edited", messageGone},
		{400, "Bad Request: MESSAGE_ID_INVALID", messageGone},
		{400, "Bad Request: message is too long", tooLong},
		{400, "Bad Request: MESSAGE_TOO_LONG", tooLong},
		{400, "Bad Request: can't parse entities: Unsupported start tag \"team\" at byte offset 3", badMarkup},
		{400, "Bad Request: ENTITY_BOUNDS_INVALID", badMarkup},
		{400, "Bad Request: query is too old and response timeout expired or query ID is invalid", expired},
		{400, "Bad Request: BUTTON_DATA_INVALID", unknown},
	} {
		f := classify(&tgbotapi.Error{Code: tt.code, Message: tt.text}, strings.Clone)
		if f.class != tt.want {
			t.Errorf("%d %s: class %d, want %d", tt.code, tt.text, f.class, tt.want)
		}
	}
	for _, err := range []error{io.ErrUnexpectedEOF, &json.SyntaxError{}, context.DeadlineExceeded, errors.New("dial tcp: refused")} {
		if f := classify(err, strings.Clone); f.class != later {
			t.Errorf("%v: class %d", err, f.class)
		}
	}
	f := classify(&tgbotapi.Error{Code: 429, ResponseParameters: tgbotapi.ResponseParameters{RetryAfter: 7}}, strings.Clone)
	if f.after != 7*time.Second {
		t.Errorf("after %s", f.after)
	}
	f = classify(&tgbotapi.Error{Code: 400, ResponseParameters: tgbotapi.ResponseParameters{MigrateToChatID: -9}}, strings.Clone)
	if f.class != moved || f.to != -9 {
		t.Errorf("%+v", f)
	}
}

func TestPausesGrowToTheirLimit(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]time.Duration{0: time.Minute, 1: time.Minute, 2: 2 * time.Minute, 5: 16 * time.Minute, 9: time.Hour, 1000: time.Hour} {
		if got := doubled(time.Minute, failures, time.Hour); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
}

func TestTG_04_TextIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"hello", 5, "hello"},
		{"hello!", 5, "hell…"},
		{"🐘🐘🐘", 5, "🐘🐘…"},
		{"ab👨‍👩‍👧cd", 6, "ab…"},
		{"x\u0301y\u0301z\u0301", 4, "x\u0301…"},
		{"a" + strings.Repeat("\u0323", 50), 10, "a" + strings.Repeat("\u0323", 8) + "…"},
		{"word after word", 6, "word…"},
	} {
		got := clip(tt.in, tt.limit)
		if got != tt.want || units(got) > tt.limit {
			t.Errorf("clip(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
