package postil

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// WebhookFormat is what a webhook's receiver reads.
type WebhookFormat string

// The formats.
const (
	PlainJSON    WebhookFormat = "json"
	SlackText    WebhookFormat = "slack"
	DiscordText  WebhookFormat = "discord"
	MatrixText   WebhookFormat = "matrix" // of the generic webhooks of matrix-hookshot
	maxHookURL                 = 2000
	hookEventSet               = "comment.waiting, comment.approved, comment.rejected, comment.spam, comment.deleted, comment.pending, comment.updated, alert.begun, alert.updated and alert.ended"
)

// HookEvents are the names of the events that a webhook can ask for.
func HookEvents() []string {
	return []string{"comment.waiting", "comment.approved", "comment.rejected", "comment.spam", "comment.deleted", "comment.pending", "comment.updated",
		"alert.begun", "alert.updated", "alert.ended"}
}

// HookEvent returns the name that receivers know an event by; "" for one that
// they are not told of. It depends on what became of the comment and not on who
// decided or how.
func (e Event) HookEvent() string {
	switch e.Kind {
	case ReviewRequested:
		return "comment.waiting"
	case CommentDecided:
		return "comment." + string(e.To)
	case CommentUpdated:
		return "comment.updated"
	case AlertRaised:
		return "alert." + string(e.Phase)
	}
	return ""
}

// Webhook tells a program elsewhere what happens to comments.
type Webhook struct {
	ID      int64
	Site    SiteID // "": every site
	Name    string
	URL     string
	Format  WebhookFormat
	Events  []string // empty: all
	Active  bool
	Version int       // of the secret, from 1
	Rotated time.Time // when Version became what it is; zero: it is the first
	Created time.Time
}

// Wants reports whether the webhook is to be told of an event.
func (w Webhook) Wants(e Event) bool {
	name := e.HookEvent()
	return w.Active && name != "" && (w.Site == "" || w.Site == e.Site) && (len(w.Events) == 0 || slices.Contains(w.Events, name))
}

// Check says what is wrong with a webhook, as an Invalid error.
func (w Webhook) Check() error {
	u, err := url.Parse(w.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(w.URL) > maxHookURL:
		return InvalidField("url", "An address begins with https:// and names a host, for example https://hooks.example/postil.")
	case u.User != nil:
		return InvalidField("url", "An address with a name and password in it would show them in logs. Put a secret into the path, or check the signature.")
	case !slices.Contains([]WebhookFormat{PlainJSON, SlackText, DiscordText, MatrixText}, w.Format):
		return InvalidField("format", "A format is json, slack, discord or matrix.")
	}
	for _, e := range w.Events {
		if !slices.Contains(HookEvents(), e) {
			return InvalidField("events", "Events are %s; leave them out for all.", hookEventSet)
		}
	}
	if strings.ContainsAny(w.URL, "\r\n\t ") {
		return InvalidField("url", "An address has no blanks in it.")
	}
	return nil
}

// DeliveryState is how far a delivery has come.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryDue  DeliveryState = "due"  // it is to be sent, perhaps again
	DeliveryDone DeliveryState = "done" // the receiver has it
	DeliveryDead DeliveryState = "dead" // given up; it can be replayed
)

// Delivery is one event for one webhook.
type Delivery struct {
	ID       int64
	Webhook  int64
	Event    Event
	State    DeliveryState
	Due      time.Time
	Attempts int
	Status   int    // of the last answer, 0: there was none
	Problem  string // why the last attempt failed
	Created  time.Time
}
