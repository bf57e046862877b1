package settings

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

const day = 24 * time.Hour

// readSpan reads what time.ParseDuration does, and days: "30d", "1d12h".
func readSpan(s string) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	days := time.Duration(0)
	if number, rest, found := strings.Cut(s, "d"); found {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return 0, false
		}
		if days = time.Duration(n) * day; rest == "" {
			return days, true
		}
		s = rest
	}
	d, err := time.ParseDuration(s)
	return days + d, err == nil
}

// writeSpan writes a time in the shortest way that readSpan reads.
func writeSpan(d time.Duration) string {
	if d != 0 && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Rates is how often something may be done: one or two rates, all of which
// must agree, written as "3 in 10s".
type Rates struct {
	Info
	replace
	Default []postil.Rate
	Most    int // rates; 0: maxRates
}

const maxRates = 2

// Get returns the value for a site. It is shared: do not change it.
func (e *Rates) Get(s *Snapshot, site postil.SiteID) []postil.Rate {
	return get[[]postil.Rate](s, e.index, site)
}

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Rates) Type() string           { return "rates" }
func (e *Rates) Standard() any          { return e.Default }
func (e *Rates) Bounds() map[string]any { return map[string]any{"max": e.most()} }
func (e *Rates) most() int {
	if e.Most == 0 {
		return maxRates
	}
	return e.Most
}
func (e *Rates) Write(v any) json.RawMessage {
	out := []string{}
	for _, r := range v.([]postil.Rate) {
		out = append(out, fmt.Sprintf("%d in %s", r.N, writeSpan(r.Per)))
	}
	return mustWrite(out)
}
func (e *Rates) Parse(raw json.RawMessage) (any, error) {
	var in []string
	if json.Unmarshal(raw, &in) != nil || len(in) < 1 || len(in) > e.most() {
		if e.most() == 1 {
			return nil, wrong("“%s” is a list of one rate, such as [\"60 in 1m\"].", e.Name)
		}
		return nil, wrong("“%s” is a list of one or two rates, such as [\"3 in 10s\",\"30 in 1h\"].", e.Name)
	}
	var out []postil.Rate
	for _, text := range in {
		number, span, found := strings.Cut(text, " in ")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		per, ok := readSpan(span)
		if !found || err != nil || !ok || n < 1 || n > 1_000_000 || per < time.Second || per > 31*day {
			return nil, wrong("“%s” is no rate; it is written as “30 in 1m”, with 1 to 1,000,000 requests in 1s to 31d.", postil.CleanTitle(text))
		}
		out = append(out, postil.Rate{N: n, Per: per})
	}
	if len(out) == 2 && out[0].Per >= out[1].Per {
		return nil, wrong("The rate with the shorter time comes first, such as [\"3 in 10s\",\"30 in 1h\"].")
	}
	return out, nil
}
