package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// figures reads what the service tells Prometheus, by name and labels.
func (s *server) figures(ctx context.Context) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", s.base+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("/metrics was answered with %d: %w", res.StatusCode, err)
	}
	all := map[string]float64{}
	for line := range strings.Lines(string(raw)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if all[name], err = strconv.ParseFloat(value, 64); err != nil {
			return nil, fmt.Errorf("/metrics: %s: %w", line, err)
		}
	}
	return all, nil
}

// grown returns by how much figures grew while do ran.
func (s *server) grown(ctx context.Context, do func() error) (func(name string) float64, error) {
	before, err := s.figures(ctx)
	if err != nil {
		return nil, err
	}
	if err := do(); err != nil {
		return nil, err
	}
	after, err := s.figures(ctx)
	return func(name string) float64 { return after[name] - before[name] }, err
}

// The names of figures that are looked at.
const (
	hits     = `postil_thread_requests_total{result="hit"}`
	stales   = `postil_thread_requests_total{result="stale"}`
	misses   = `postil_thread_requests_total{result="miss"}`
	loads    = `postil_thread_loads_total`
	liveNext = `go_memstats_next_gc_bytes`
	gogc     = `go_gc_gogc_percent`
)
