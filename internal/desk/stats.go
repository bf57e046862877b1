package desk

import (
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/postil/postil/internal/auth"
)

// tally is what happened to comments in a span of time.
type tally struct {
	At        time.Time `json:"at"`
	Received  int       `json:"received"`
	Published int       `json:"published"`
	Held      int       `json:"held"`
	Stopped   int       `json:"stopped"`
	Decided   int       `json:"decided"`
}

// statsData is what the template "stats" sees.
type statsData struct {
	Sites     []site
	Site, By  string
	Total     tally
	SpamShare string
	Median    *float64
	Ninety    *float64
	Waiting   int
	Oldest    time.Time
	Backup    time.Time // the last good one; zero: none, or none of this visitor's business
	Charts    []chart
	Views     chart
}

// stats is GET stats?site&by: how the comments of a site, or of all, are doing.
func (d *Desk) stats(w http.ResponseWriter, r *http.Request, v auth.Visitor) (err error) {
	q := url.Values{}
	data := statsData{Site: r.URL.Query().Get("site"), By: or(r.URL.Query().Get("by"), "day")}
	if data.Site != "" {
		q.Set("site", data.Site)
	}
	q.Set("by", data.By)
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	out, err := get[struct {
		Total     tally    `json:"total"`
		SpamShare *float64 `json:"spam_share"`
		Decision  struct {
			Median *float64 `json:"median_seconds"`
			Ninety *float64 `json:"p90_seconds"`
		} `json:"time_to_decision"`
		Waiting struct {
			Count  int       `json:"count"`
			Oldest time.Time `json:"oldest"`
		} `json:"waiting"`
		Backup time.Time `json:"last_backup"`
		Points []tally   `json:"points"`
	}](r.Context(), d, v, "stats", q)
	if err != nil {
		return err
	}
	data.Total, data.Median, data.Ninety = out.Total, out.Decision.Median, out.Decision.Ninety
	data.Backup = out.Backup
	data.Waiting, data.Oldest = out.Waiting.Count, out.Waiting.Oldest
	if out.SpamShare != nil {
		data.SpamShare = plural(int(math.Round(100**out.SpamShare)), "percent", "percent")
	}
	layout := "2 Jan"
	if data.By == "hour" {
		layout = "2 Jan 15:04"
	}
	for _, s := range []struct {
		title string
		of    func(tally) int
	}{
		{"Received", func(t tally) int { return t.Received }}, {"Published", func(t tally) int { return t.Published }},
		{"Held for a person", func(t tally) int { return t.Held }}, {"Stopped as spam by the checks", func(t tally) int { return t.Stopped }},
		{"Decided by people", func(t tally) int { return t.Decided }},
	} {
		var points []point
		for _, p := range out.Points {
			points = append(points, point{p.At, s.of(p)})
		}
		c := chartOf(s.title, "comment", "comments", layout, points)
		c.Summary = s.title + ": " + c.Summary
		data.Charts = append(data.Charts, c)
	}
	read, err := get[struct{ Points []point }](r.Context(), d, v, "views", q)
	if err == nil { // without a site there are no views
		data.Views = chartOf("Views", "view", "views", layout, read.Points)
		data.Views.Summary = "Views: " + data.Views.Summary
	}
	return d.show(w, r, v, http.StatusOK, "stats", "Statistics", data)
}
