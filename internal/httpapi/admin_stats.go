package httpapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// tally is what happened to comments in a span of time.
type tally struct {
	Received  int `json:"received"`
	Published int `json:"published"`
	Held      int `json:"held"`
	Stopped   int `json:"stopped"` // as spam, by the checks
	Decided   int `json:"decided"` // by people
}

func (t *tally) add(c postil.SignalCount) {
	switch {
	case c.Kind == postil.SignalReceived:
		t.Received += c.N
	case c.Kind == postil.SignalPublished:
		t.Published += c.N
	case c.Kind == postil.SignalHeld:
		t.Held += c.N
	case c.Channel == postil.ByCheck && c.Outcome == string(postil.Spam):
		t.Stopped += c.N
	case c.Channel != postil.ByCheck && c.Channel != postil.ByAuthor:
		t.Decided += c.N
	}
}

type tallyJSON struct {
	At string `json:"at"`
	tally
}

// statsJSON is how a site is doing.
type statsJSON struct {
	Site      *string        `json:"site"` // null: all
	From      string         `json:"from"`
	To        string         `json:"to"`
	By        postil.Span    `json:"by"`
	Total     tally          `json:"total"`
	Outcomes  map[string]int `json:"outcomes"`   // statuses that decisions led to
	SpamShare *float64       `json:"spam_share"` // of what was decided, null when nothing was
	Decision  struct {
		Median *float64 `json:"median_seconds"` // that comments waited for a person who decided
		Ninety *float64 `json:"p90_seconds"`
	} `json:"time_to_decision"`
	Waiting struct {
		Count  int     `json:"count"`
		Oldest *string `json:"oldest"`
	} `json:"waiting"` // at this moment
	Backup *string     `json:"last_backup,omitempty"` // the last good one; for those who see every site
	Points []tallyJSON `json:"points"`
}

// adminStats is GET /api/v1/admin/stats: the last week by days, unless the
// request says otherwise.
func (s *Server) adminStats(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	site, err := s.siteFor(c, p, auth.Read, q.Get("site"))
	if err != nil {
		return err
	}
	out := statsJSON{Site: orNull(string(site)), Outcomes: map[string]int{}}
	if out.By, err = postil.ParseSpan(q.Get("by")); err != nil {
		return err
	}
	part, usual := out.By.Length(), 7*24*time.Hour
	if out.By == postil.ByHour {
		usual = 48 * time.Hour
	}
	ctx := c.Request().Context()
	now := s.deps.Admin.now(ctx)
	from, to, err := spanOf(q.Get("from"), q.Get("to"), usual, now.Truncate(part).Add(part))
	if err != nil {
		return err
	}
	from = from.Truncate(part)
	out.From, out.To = stamp(from), stamp(to)
	var sites []postil.SiteID
	if site != "" {
		sites = append(sites, site)
	}
	counts, err := s.deps.Admin.Operations.CountSignals(ctx, from, to, part, sites)
	if err != nil {
		return err
	}
	out.fill(counts, from, to, part)
	times, err := s.deps.Admin.Operations.DecisionTimes(ctx, from, to, sites)
	if err != nil {
		return err
	}
	out.Decision.Median, out.Decision.Ninety = quantile(times, 0.5), quantile(times, 0.9)
	n, oldest, err := s.deps.Admin.Operations.WaitingSince(ctx, site)
	if err != nil {
		return err
	}
	if out.Waiting.Count = n; n > 0 {
		out.Waiting.Oldest = orNull(stamp(oldest))
	}
	if p.May(auth.Read, "") == nil {
		out.Backup = stampOrNull(s.deps.Ready(ctx).Backup)
	}
	return answer(c, http.StatusOK, jsonType, out)
}

func (out *statsJSON) fill(counts []postil.SignalCount, from, to time.Time, part time.Duration) {
	for at := from; at.Before(to); at = at.Add(part) {
		out.Points = append(out.Points, tallyJSON{At: stamp(at)})
	}
	decided := 0
	for _, c := range counts {
		out.Total.add(c)
		if i := int(c.At.Sub(from) / part); i >= 0 && i < len(out.Points) {
			out.Points[i].add(c)
		}
		if c.Kind == postil.SignalDecided {
			out.Outcomes[c.Outcome] += c.N
			decided += c.N
		}
	}
	if decided > 0 {
		share := float64(out.Outcomes[string(postil.Spam)]) / float64(decided)
		out.SpamShare = &share
	}
}

// quantile returns the value below which a share of the times is, in seconds.
func quantile(times []time.Duration, share float64) *float64 {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	seconds := times[int(share*float64(len(times)-1)+0.5)].Seconds()
	return &seconds
}
