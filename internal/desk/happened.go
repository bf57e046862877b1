package desk

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/auth"
)

// told is one thing that happened.
type told struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Site    string    `json:"site"`
	Comment string    `json:"comment_id"`
	Outcome string    `json:"outcome"`
	Channel string    `json:"channel"`
	By      string    `json:"by"`
	Detail  string    `json:"detail"`
	After   float64   `json:"after_seconds"`
	N       int       `json:"n"`
}

// happenings says in words what a kind of signal means.
var happenings = map[string]string{
	"comment.received": "Comment received", "comment.held": "Comment held", "comment.decided": "Decided", "comment.published": "Comment published",
	"delivery.failed": "Delivery failed", "limit.hit": "Limit reached", "backup.made": "Backup made", "backup.failed": "Backup failed",
	"operation.slow": "Slow", "overload.begun": "Overload began", "overload.ended": "Overload ended",
	"alert.begun": "Alert began", "alert.updated": "Alert goes on", "alert.ended": "Alert ended",
}

// examined says in words what each check looks at, by its name.
var examined = map[string]string{
	"ban": "a ban", "author": "a rule about the author", "lists": "a list", "allowed": "the allow list", "repeated": "a repeated text", "words": "a blocked word",
	"links": "the number of links", "newlinks": "links that are new from this author", "network": "its network", "lookalike": "look-alike letters", "invisible": "invisible characters",
	"length": "its length", "form": "how the form was sent", "proxy": "what the proxy says", "reported": "readers' reports", "learned": "the learned filter",
	"akismet": "Akismet", "outside": "the check of another service", "model": "a language model",
}

// About says what the line is about; checks are called by what they look at.
func (t told) About() string {
	if t.Kind != "comment.held" || t.Detail == "" {
		return t.Detail
	}
	names := strings.Split(t.Detail, ", ")
	for i, name := range names {
		names[i] = or(examined[name], name)
	}
	return "because of " + strings.Join(names, ", ")
}

// What names the kind in words.
func (t told) What() string { return or(happenings[t.Kind], t.Kind) }

// Clock is the moment without its day.
func (t told) Clock() string { return t.At.UTC().Format("2 Jan 15:04:05") }

type incident struct {
	Alert  string    `json:"alert"`
	Began  time.Time `json:"began_at"`
	Ended  time.Time `json:"ended_at"`
	Detail string    `json:"detail"`
}

// minute are the figures of a part of a span of time.
type minute struct {
	At         time.Time `json:"at"`
	Requests   int       `json:"requests"`
	Loads      int       `json:"loads"`
	TurnedAway int       `json:"turned_away"`
	Wrong      int       `json:"wrong"`
	Limited    int       `json:"limited"`
	Busy       int       `json:"busy"`
	Failed     int       `json:"failed"`
	Posts      int       `json:"posts"`
	Decisions  int       `json:"decisions"`
	Views      int       `json:"views"`
	Queue      int       `json:"queue"`
	QueueAge   float64   `json:"queue_age_seconds"`
	Backlog    int       `json:"backlog"`
}

// series are the charts of a span, in their order: a title, a unit, and which
// figure it is.
var series = []struct {
	title, one, many string
	of               func(minute) int
}{
	{"Requests", "request", "requests", func(m minute) int { return m.Requests }},
	{"Errors of ours", "error", "errors", func(m minute) int { return m.Failed + m.Busy + m.TurnedAway }},
	{"Requests that were wrong", "request", "requests", func(m minute) int { return m.Wrong }},
	{"Requests over a limit", "request", "requests", func(m minute) int { return m.Limited }},
	{"Reads that asked the database", "read", "reads", func(m minute) int { return m.Loads }},
	{"Comments received", "comment", "comments", func(m minute) int { return m.Posts }},
	{"Decisions", "decision", "decisions", func(m minute) int { return m.Decisions }},
	{"Comments waiting", "comment", "comments", func(m minute) int { return m.Queue }},
	{"Minutes that the oldest waits", "minute", "minutes", func(m minute) int { return int(m.QueueAge / 60) }},
	{"Events that wait for the broker", "event", "events", func(m minute) int { return m.Backlog }},
	{"Views", "view", "views", func(m minute) int { return m.Views }},
}

// states are the series whose numbers do not add up.
var states = map[string]bool{"Comments waiting": true, "Minutes that the oldest waits": true, "Events that wait for the broker": true}

// happenedData is what the template "happened" sees.
type happenedData struct {
	From, To  string // as a form takes them, in UTC
	Kind      string
	Kinds     map[string]string
	Charts    []chart
	Incidents []incident
	Signals   []told
	Next      string
	Slip      string
}

// formTime is how a form writes a moment.
const formTime = "2006-01-02T15:04"

// happened is GET happened?from&to&kind: what happened between two moments.
func (d *Desk) happened(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	asked, q := r.URL.Query(), url.Values{}
	data := happenedData{Kind: asked.Get("kind"), Kinds: happenings}
	for _, name := range []string{"from", "to"} {
		value := asked.Get(name)
		if at, err := time.Parse(formTime, value); err == nil {
			value = at.Format(time.RFC3339)
		}
		if value != "" {
			q.Set(name, value)
		}
	}
	for _, name := range []string{"kind", "cursor"} {
		if value := asked.Get(name); value != "" {
			q.Set(name, value)
		}
	}
	out, err := get[struct {
		From, To  time.Time
		Part      float64    `json:"part_seconds"`
		Figures   []minute   `json:"figures"`
		Incidents []incident `json:"incidents"`
		Signals   []told     `json:"signals"`
		Next      string     `json:"next_cursor"`
	}](r.Context(), d, v, "signals", q)
	if no, ok := err.(*refusal); ok && no.Status == http.StatusBadRequest {
		data.Slip, data.From, data.To = no.Detail, asked.Get("from"), asked.Get("to")
		return d.show(w, r, v, http.StatusUnprocessableEntity, "happened", "What happened", data)
	}
	if err != nil {
		return err
	}
	data.From, data.To = out.From.UTC().Format(formTime), out.To.UTC().Format(formTime)
	data.Incidents, data.Signals = out.Incidents, out.Signals
	if out.Next != "" {
		data.Next = "happened" + query(merged(asked, "cursor", out.Next))
	}
	if v.Site == "" {
		data.Charts = chartsOf(out.Figures, out.From, out.To, time.Duration(out.Part)*time.Second)
	}
	return d.show(w, r, v, http.StatusOK, "happened", "What happened", data)
}

// chartsOf draws each series over all parts of a span, also those in which the
// service did not run.
func chartsOf(figures []minute, from, to time.Time, part time.Duration) (charts []chart) {
	layout := "15:04"
	if to.Sub(from) > 24*time.Hour {
		layout = "2 Jan 15:04"
	}
	for _, s := range series {
		var points []point
		rest := figures
		for at := from; at.Before(to); at = at.Add(part) {
			p := point{At: at}
			if len(rest) > 0 && !rest[0].At.After(at) {
				p.Count, rest = s.of(rest[0]), rest[1:]
			}
			points = append(points, p)
		}
		c := chartOf(s.title, s.one, s.many, layout, points)
		c.Summary = s.title + ": " + c.Summary
		if states[s.title] {
			c.Summary = s.title + ": " + highest(points, s.one, s.many, layout)
		}
		charts = append(charts, c)
	}
	return charts
}

// highest tells of a state, whose numbers do not add up.
func highest(points []point, one, many, layout string) string {
	most := point{}
	for _, p := range points {
		if p.Count > most.Count {
			most = p
		}
	}
	if most.Count == 0 {
		return "none."
	}
	return "at most " + plural(most.Count, one, many) + ", at " + most.At.UTC().Format(layout) + " (UTC)."
}

// waited says how long something took, in its two largest units.
func waited(value any) string {
	seconds, _ := value.(float64)
	if p, ok := value.(*float64); ok && p != nil {
		seconds = *p
	}
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
