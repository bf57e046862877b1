package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Operations tells what happened.
type Operations interface {
	Signals(ctx context.Context, f postil.SignalFilter) ([]postil.Signal, error)
	Figures(ctx context.Context, from, to time.Time, part time.Duration) ([]postil.Figures, error)
	Incidents(ctx context.Context, from, to time.Time) ([]postil.Incident, error)
	CountSignals(ctx context.Context, from, to time.Time, part time.Duration, sites []postil.SiteID) ([]postil.SignalCount, error)
	DecisionTimes(ctx context.Context, from, to time.Time, sites []postil.SiteID) ([]time.Duration, error)
	WaitingSince(ctx context.Context, site postil.SiteID) (n int, oldest time.Time, err error)
}

// Bounds of a span of time.
const (
	usualSpan  = time.Hour
	maxSpan    = 31 * 24 * time.Hour
	mostParts  = 120 // of a span, each with its figures
	pageOfThem = 200 // signals, unless the request says otherwise
	maxOfThem  = 1000
)

// adminOperations is the part of the admin's table about what happened.
func (s *Server) adminOperations() []route {
	if s.deps.Admin.Operations == nil {
		return nil
	}
	return []route{
		s.admin("GET", "/signals", auth.Read, s.adminSignals),
		s.admin("GET", "/stats", auth.Read, s.adminStats),
	}
}

type signalJSON struct {
	ID      string            `json:"id"`
	At      string            `json:"at"`
	Kind    postil.SignalKind `json:"kind"`
	Site    *string           `json:"site"`
	Comment *string           `json:"comment_id"`
	Outcome *string           `json:"outcome"`
	Channel *string           `json:"channel"`
	By      *string           `json:"by"`
	Detail  *string           `json:"detail"`
	After   *float64          `json:"after_seconds"`
	N       int               `json:"n"`
}

func signalOf(g postil.Signal) signalJSON {
	out := signalJSON{ID: strconv.FormatInt(g.ID, 10), At: stamp(g.At), Kind: g.Kind, Site: orNull(string(g.Site)), Outcome: orNull(g.Outcome),
		Channel: orNull(string(g.Channel)), By: orNull(g.By), Detail: orNull(g.Detail), N: g.N}
	if g.Comment != 0 {
		out.Comment = orNull(g.Comment.String())
	}
	if g.After > 0 {
		seconds := g.After.Seconds()
		out.After = &seconds
	}
	return out
}

// figuresJSON are the figures of a part of a span of time.
type figuresJSON struct {
	At          string  `json:"at"`
	Requests    int64   `json:"requests"`
	Hits        int64   `json:"hits"`
	Loads       int64   `json:"loads"`
	TurnedAway  int64   `json:"turned_away"`
	Wrong       int64   `json:"wrong"`
	Limited     int64   `json:"limited"`
	Busy        int64   `json:"busy"`
	Failed      int64   `json:"failed"`
	Posts       int64   `json:"posts"`
	Decisions   int64   `json:"decisions"`
	Views       int64   `json:"views"`
	Queue       int     `json:"queue"`
	QueueAge    float64 `json:"queue_age_seconds"`
	Backlog     int     `json:"backlog"`
	Undelivered int     `json:"undelivered"`
	Streams     int     `json:"streams"`
}

func figuresOf(f postil.Figures) figuresJSON {
	return figuresJSON{stamp(f.Minute), f.Requests, f.Hits, f.Loads, f.TurnedAway, f.Wrong, f.Limited, f.Busy, f.Failed, f.Posts, f.Decisions, f.Views,
		f.Queue, f.QueueAge.Seconds(), f.Backlog, f.Undelivered, f.Streams}
}

type incidentJSON struct {
	ID     string  `json:"id"`
	Alert  string  `json:"alert"`
	Began  string  `json:"began_at"`
	Ended  *string `json:"ended_at"`
	Worst  float64 `json:"worst"`
	Detail string  `json:"detail"`
}

func incidentOf(i postil.Incident) incidentJSON {
	out := incidentJSON{strconv.FormatInt(i.ID, 10), i.Alert, stamp(i.Began), nil, i.Worst, i.Detail}
	if !i.Ended.IsZero() {
		out.Ended = orNull(stamp(i.Ended))
	}
	return out
}

// adminSignals is GET /api/v1/admin/signals: what happened from one moment to
// another. Figures and incidents are those of the whole installation, for those
// who may see all of it.
func (s *Server) adminSignals(c echo.Context, p auth.Principal) error {
	f, err := s.signalFilter(c, p)
	if err != nil {
		return err
	}
	ctx, ops := c.Request().Context(), s.deps.Admin.Operations
	asked := f.Limit
	f.Limit++ // one more tells whether there are more
	all, err := ops.Signals(ctx, f)
	if err != nil {
		return err
	}
	out := struct {
		From      string         `json:"from"`
		To        string         `json:"to"`
		Part      float64        `json:"part_seconds"`
		Figures   []figuresJSON  `json:"figures"` // of each part in which the service ran
		Incidents []incidentJSON `json:"incidents"`
		Signals   []signalJSON   `json:"signals"`
		Next      *string        `json:"next_cursor"`
	}{From: stamp(f.From), To: stamp(f.To), Figures: []figuresJSON{}, Incidents: []incidentJSON{}, Signals: []signalJSON{}}
	for i, g := range all {
		if i == asked {
			out.Next = orNull(out.Signals[i-1].ID)
			break
		}
		out.Signals = append(out.Signals, signalOf(g))
	}
	part := partOf(f.To.Sub(f.From))
	out.Part = part.Seconds()
	if p.Site != "" {
		return answer(c, http.StatusOK, jsonType, out)
	}
	figures, err := ops.Figures(ctx, f.From, f.To, part)
	if err != nil {
		return err
	}
	for _, v := range figures {
		out.Figures = append(out.Figures, figuresOf(v))
	}
	incidents, err := ops.Incidents(ctx, f.From, f.To)
	if err != nil {
		return err
	}
	for _, v := range incidents {
		out.Incidents = append(out.Incidents, incidentOf(v))
	}
	return answer(c, http.StatusOK, jsonType, out)
}

// partOf is how long the parts of a span are: whole minutes, and not too many.
func partOf(span time.Duration) time.Duration {
	return max(time.Minute, (span/mostParts + time.Minute - 1).Truncate(time.Minute))
}

// signalFilter reads the parameters of a request for signals.
func (s *Server) signalFilter(c echo.Context, p auth.Principal) (f postil.SignalFilter, err error) {
	q, err := parameters(c.Request())
	if err != nil {
		return f, err
	}
	site, err := s.siteFor(c, p, auth.Read, q.Get("site"))
	if err != nil {
		return f, err
	}
	if site != "" {
		f.Sites = []postil.SiteID{site}
	}
	for _, kind := range q["kind"] {
		if !slices.Contains(postil.SignalKinds(), postil.SignalKind(kind)) {
			return f, postil.InvalidField("kind", "There is no kind of signal “%s”; one is comment.received.", postil.CleanTitle(kind))
		}
		f.Kinds = append(f.Kinds, postil.SignalKind(kind))
	}
	if f.From, f.To, err = spanOf(q.Get("from"), q.Get("to"), usualSpan, s.deps.Admin.now(c.Request().Context())); err != nil {
		return f, err
	}
	f.From = f.From.Truncate(time.Minute)
	if raw := q.Get("cursor"); raw != "" {
		if f.After, err = strconv.ParseInt(raw, 10, 64); err != nil || f.After < 1 {
			return f, postil.InvalidField("cursor", "This marker of a page is damaged. Ask again without “cursor”.")
		}
	}
	f.Limit, err = number(q, "limit", pageOfThem, maxOfThem)
	return f, err
}

// spanOf reads a span of time: the last one of the usual length without
// anything said.
func spanOf(rawFrom, rawTo string, usual time.Duration, now time.Time) (from, to time.Time, err error) {
	if from, err = moment("from", rawFrom); err != nil {
		return from, to, err
	}
	if to, err = moment("to", rawTo); err != nil {
		return from, to, err
	}
	switch {
	case to.IsZero() && from.IsZero():
		to = now
	case to.IsZero():
		to = from.Add(usual)
	}
	if from.IsZero() {
		from = to.Add(-usual)
	}
	if d := to.Sub(from); d <= 0 || d > maxSpan {
		return from, to, postil.InvalidField("from", "“from” lies before “to”, by 31 days at most.")
	}
	return from.UTC(), to.UTC(), nil
}
