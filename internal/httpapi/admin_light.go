package httpapi

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Bounds of a trend.
const (
	maxTrend    = 4_000 // numbers: 11 years of days; hours are kept for 30 days
	topPosts    = 20
	usualDays   = 30
	usualHours  = 48
	maxTopRange = 400 * 24 * time.Hour // of which the most read posts are told
)

// adminLight is the part of the admin's table for views and questions.
func (s *Server) adminLight() []route {
	if s.deps.Light.Views == nil {
		return nil
	}
	return []route{
		s.admin("GET", "/views", auth.Read, s.adminViews),
		s.admin("GET", "/qlog", auth.Read, s.adminQuestions),
		s.admin("GET", "/qlog/export", auth.Read, s.adminExportQuestions),
		s.admin("PATCH", "/qlog/:id", auth.Decide, s.adminTagQuestion),
		s.admin("DELETE", "/qlog/:id", auth.Decide, s.adminRemoveQuestion),
	}
}

// trendJSON is how often a post or a site was read in a time.
type trendJSON struct {
	Site   postil.SiteID  `json:"site"`
	Path   *string        `json:"path"` // null: the whole site
	By     postil.Span    `json:"by"`
	From   string         `json:"from"`
	To     string         `json:"to"` // not included
	Count  int64          `json:"count"`
	Points []pointJSON    `json:"points"` // one for each span, also where nobody read
	Top    []topPostsJSON `json:"top"`    // the most read posts, when the whole site is asked for
}

type pointJSON struct {
	At    string `json:"at"`
	Count int64  `json:"count"`
}

type topPostsJSON struct {
	Path  postil.PostID `json:"path"`
	Count int64         `json:"count"`
}

// adminViews is GET /api/v1/admin/views. The numbers are those in the store:
// the last seconds are not in them yet.
func (s *Server) adminViews(c echo.Context, p auth.Principal) error {
	q, err := s.trendQuery(c, p)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	points, err := s.deps.Light.Trends.Trend(ctx, q)
	if err != nil {
		return err
	}
	top := []topPostsJSON{}
	if q.Post == "" && q.To.Sub(q.From) <= maxTopRange {
		posts, err := s.deps.Light.Trends.TopPosts(ctx, q, topPosts)
		if err != nil {
			return err
		}
		for _, v := range posts {
			top = append(top, topPostsJSON{v.Post, v.N})
		}
	}
	return answer(c, http.StatusOK, jsonType, trendOf(q, points, top))
}

func trendOf(q postil.TrendQuery, points []postil.TrendPoint, top []topPostsJSON) trendJSON {
	out := trendJSON{Site: q.Site, Path: orNull(string(q.Post)), By: q.By, From: stamp(q.From), To: stamp(q.To), Points: []pointJSON{}, Top: top}
	for at := q.From; at.Before(q.To); at = at.Add(q.By.Length()) {
		point := pointJSON{At: stamp(at)}
		if len(points) > 0 && points[0].At.Equal(at) {
			point.Count, points = points[0].N, points[1:]
		}
		out.Points = append(out.Points, point)
		out.Count += point.Count
	}
	return out
}

// trendQuery reads what a trend is asked for. Without a time it is the last 30
// days or 48 hours, the current one included.
func (s *Server) trendQuery(c echo.Context, p auth.Principal) (t postil.TrendQuery, err error) {
	q, err := parameters(c.Request())
	if err != nil {
		return t, err
	}
	if t.Site, err = s.siteFor(c, p, auth.Read, q.Get("site")); err != nil {
		return t, err
	}
	ctx := c.Request().Context()
	if t.Site == "" {
		if t.Site, err = s.deps.Light.DefaultSite(ctx); err != nil {
			return t, err
		}
	}
	if q.Has("path") {
		if t.Post, err = postil.ViewPost(q.Get("path"), s.resolver(ctx, t.Site)); err != nil {
			return t, err
		}
	}
	if t.By, err = postil.ParseSpan(q.Get("by")); err != nil {
		return t, err
	}
	return t, trendTime(&t, q.Get("from"), q.Get("to"), s.deps.Admin.now(ctx))
}

// trendTime sets from and to, on the begin of spans.
func trendTime(t *postil.TrendQuery, from, to string, now time.Time) (err error) {
	span, usual := t.By.Length(), time.Duration(usualDays)
	if t.By == postil.ByHour {
		usual = usualHours
	}
	if t.From, err = moment("from", from); err != nil {
		return err
	}
	if t.To, err = moment("to", to); err != nil {
		return err
	}
	if t.To.IsZero() {
		t.To = now.Add(span)
	}
	if t.To = t.To.UTC().Truncate(span); t.From.IsZero() {
		t.From = t.To.Add(-usual * span)
	}
	t.From = t.From.UTC().Truncate(span)
	if n := t.To.Sub(t.From) / span; n < 1 || n > maxTrend {
		return postil.InvalidField("from", "From “from” to “to” there are 1 to %s numbers, each for one “by”. Choose another time.", postil.Thousands(maxTrend))
	}
	return nil
}
