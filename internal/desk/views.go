package desk

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// viewsData is what the template "views" sees.
type viewsData struct {
	Sites []site
	Site  string
	Path  string
	By    string
	Count int
	Chart chart
	Top   []struct {
		Path  string `json:"path"`
		Count int    `json:"count"`
	}
}

// views is GET views?site&path&by: how often posts are read.
func (d *Desk) views(w http.ResponseWriter, r *http.Request, v auth.Visitor) (err error) {
	asked, q := r.URL.Query(), url.Values{}
	data := viewsData{By: or(asked.Get("by"), "day")}
	for _, name := range []string{"site", "path", "by"} {
		if value := asked.Get(name); value != "" {
			q.Set(name, value)
		}
	}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	out, err := get[struct {
		Site, Path string
		Count      int
		Points     []point
		Top        []struct {
			Path  string `json:"path"`
			Count int    `json:"count"`
		}
	}](r.Context(), d, v, "views", q)
	if err != nil {
		return err
	}
	data.Site, data.Path, data.Count, data.Top = out.Site, out.Path, out.Count, out.Top
	layout := "2 Jan"
	if data.By == "hour" {
		layout = "2 Jan 15:04"
	}
	data.Chart = chartOf("Views", "view", "views", layout, out.Points)
	return d.show(w, r, v, http.StatusOK, "views", "Views", data)
}

// point is a number of a span of time.
type point struct {
	At    time.Time `json:"at"`
	Count int       `json:"count"`
}

// The measures of a chart, in units of its view box.
const (
	chartWide = 720
	chartHigh = 160
)

// chart is a row of bars as SVG, with its message in words.
type chart struct {
	Title   string
	Summary string
	Wide    int
	High    int
	Bars    []bar
	Top     string // what the highest bar stands for
	First   string
	Last    string
}

type bar struct {
	X, Y, W, H float64
	Label      string
}

// chartOf draws points as bars.
func chartOf(title, one, many, layout string, points []point) chart {
	c := chart{Title: title, Wide: chartWide, High: chartHigh}
	most, total, when := 0, 0, time.Time{}
	for _, p := range points {
		total += p.Count
		if p.Count > most {
			most, when = p.Count, p.At
		}
	}
	c.Top = postil.Thousands(most)
	if len(points) == 0 {
		c.Summary = "There is nothing to show yet."
		return c
	}
	c.First, c.Last = points[0].At.UTC().Format(layout), points[len(points)-1].At.UTC().Format(layout)
	c.Summary = fmt.Sprintf("%s from %s to %s (UTC)", plural(total, one, many), c.First, c.Last)
	if most == 0 { // the sentence says it all
		c.Summary += "."
		return c
	}
	c.Summary += fmt.Sprintf("; most on %s, with %s.", when.UTC().Format(layout), plural(most, one, many))
	step := float64(chartWide) / float64(len(points))
	for i, p := range points {
		high := float64(p.Count) / float64(most) * chartHigh
		c.Bars = append(c.Bars, bar{X: float64(i)*step + step*0.1, Y: chartHigh - high, W: step * 0.8, H: high,
			Label: p.At.UTC().Format(layout) + ": " + plural(p.Count, one, many)})
	}
	return c
}
