package fakebot

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Fault is one refusal or mishap, scripted with Fail.
//
// Status, RetryAfter, MigrateTo or RawBody make the call fail without effect. Hang and Drop alone let the
// call do its work: Hang delays the answer, Drop cuts the connection instead of answering, so the caller
// cannot know that it worked. Refuse cuts the connection before anything happens.
type Fault struct {
	Status      int           // HTTP status and error_code; guessed from the other fields when 0
	Description string        // full text, "Bad Request: …"
	RetryAfter  int           // seconds, parameters.retry_after
	MigrateTo   int64         // parameters.migrate_to_chat_id
	RawBody     string        // sent instead of JSON, as a proxy in front of Telegram would
	Hang        time.Duration // before the answer, after the effect
	Drop        bool          // the effect happens, the answer never comes
	Refuse      bool          // nothing happens, no answer comes
}

// TooManyRequests is a 429 that asks for a pause of so many seconds.
func TooManyRequests(seconds int) Fault { return Fault{RetryAfter: seconds} }

// BlockedByUser is the 403 of a person who blocked the bot.
func BlockedByUser() Fault {
	return Fault{Status: 403, Description: "Forbidden: bot was blocked by the user"}
}

// Upgraded is the 400 of a group that became the supergroup with the id to.
func Upgraded(to int64) Fault { return Fault{MigrateTo: to} }

// TooOldToEdit is the 400 of a message that refuses edits.
func TooOldToEdit() Fault { return *badRequest("message can't be edited") }

// BadGateway is the HTML page that stands in for Telegram when it is down.
func BadGateway() Fault {
	return Fault{Status: 502, RawBody: "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n" +
		"<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.18.0</center>\r\n</body>\r\n</html>\r\n"}
}

// answers tells whether the fault replaces the method's own answer.
func (f *Fault) answers() bool {
	return f.Status != 0 || f.RetryAfter != 0 || f.MigrateTo != 0 || f.RawBody != "" || f.Description != ""
}

func (f *Fault) status() int {
	switch {
	case f.Status != 0:
		return f.Status
	case f.RetryAfter != 0:
		return 429
	case f.RawBody != "":
		return 502
	default:
		return 400
	}
}

func (f *Fault) description() string {
	switch {
	case f.Description != "":
		return f.Description
	case f.RetryAfter != 0:
		return fmt.Sprintf("Too Many Requests: retry after %d", f.RetryAfter)
	case f.MigrateTo != 0:
		return "Bad Request: group chat was upgraded to a supergroup chat"
	case f.status() == 502:
		return "Bad Gateway"
	case f.status() >= 500:
		return "Internal Server Error"
	default:
		return "Bad Request"
	}
}

func badRequest(description string) *Fault {
	return &Fault{Status: 400, Description: "Bad Request: " + description}
}

// script is a fault that waits for its call.
type script struct {
	Fault
	method string
	chatID int64
	left   int // negative: for ever
}

// Fail makes the next n calls of method in the chat go wrong; n < 0 means until Heal. An empty method means
// every method and chatID 0 every chat, also calls without one. Scripts are used up in the order they were
// added, one per call.
func (s *Server) Fail(method string, chatID int64, n int, f Fault) {
	s.locked(func() {
		s.faults = append(s.faults, &script{Fault: f, method: method, chatID: chatID, left: n})
	})
}

// Heal forgets all scripted faults.
func (s *Server) Heal() { s.locked(func() { s.faults = nil }) }

// takeFault uses up the first script that fits; the zero Fault when none does.
func (s *Server) takeFault(r *request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		fits := f.left != 0 && (f.method == "" || strings.EqualFold(f.method, r.method)) &&
			(f.chatID == 0 || f.chatID == s.chatOf(r))
		if !fits {
			continue
		}
		if f.left > 0 {
			f.left--
		}
		taken := f.Fault
		return &taken
	}
	return &Fault{}
}

// chatOf is the chat a call is about: an answer to a press belongs to the chat of the press.
func (s *Server) chatOf(r *request) int64 {
	if q, ok := s.state.queries[r.params["callback_query_id"]]; ok {
		return q.chatID
	}
	return r.number("chat_id")
}

// limit is a sliding window over the calls that went through.
type limit struct {
	most    int
	per     time.Duration
	methods []string
	passed  []time.Time
}

// SetLimit lets at most n of the given methods (default: sendMessage) through per window in a chat; the rest
// get 429 with the seconds until there is room. n <= 0 lifts the limit.
func (s *Server) SetLimit(chatID int64, n int, per time.Duration, methods ...string) {
	if len(methods) == 0 {
		methods = []string{"sendMessage"}
	}
	s.locked(func() {
		c := s.known(chatID)
		c.limit = nil
		if n > 0 {
			c.limit = &limit{most: n, per: per, methods: methods}
		}
	})
}

func (l *limit) pass(method string, now time.Time) *Fault {
	if l == nil || !containsFold(l.methods, method) {
		return nil
	}
	for len(l.passed) > 0 && now.Sub(l.passed[0]) >= l.per {
		l.passed = l.passed[1:]
	}
	if len(l.passed) >= l.most {
		wait := l.per - now.Sub(l.passed[0])
		return &Fault{RetryAfter: max(1, int(math.Ceil(wait.Seconds())))}
	}
	l.passed = append(l.passed, now)
	return nil
}

func containsFold(list []string, word string) bool {
	for _, one := range list {
		if strings.EqualFold(one, word) {
			return true
		}
	}
	return false
}
