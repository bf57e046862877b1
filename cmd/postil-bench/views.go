package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
)

// measureViews lets ever new visitors open 200 pages, and then looks whether
// each of them was counted. The ceiling answers the same and counts nothing.
func measureViews(ctx context.Context, b *bench) error {
	const uri = "/api/view?site=" + siteKey
	var serial atomic.Int64 // nobody comes twice, in no round
	visits := func(int) func() []byte {
		return func() []byte { return visitRequest(uri, serial.Add(1)) }
	}
	c := contest{uris: []string{uri}, body: visitBody("/views/first"), next: visits, want: 202,
		env: []string{"POSTIL_TRUSTED_PROXIES=127.0.0.1/32"}, then: b.recount}
	r, err := b.compete(ctx, c)
	if err != nil {
		return err
	}
	rate := median(r.rates())
	b.report.judge("views/s against the ceiling", rate, around("%.2f", r.rates()), "≥ 0.60", rate >= 0.60)
	b.report.note("server CPU per view against the ceiling", median(r.costs()), around("%.2f", r.costs()))
	return nil
}

func visitBody(path string) string { return `{"path":"` + path + `"}` }

// visitPage is the page that the n-th visitor opens.
func visitPage(n int64) string { return fmt.Sprintf("/views/%d", n%zipfPosts) }

// visitRequest is a visit from a network that nobody came from before.
func visitRequest(uri string, n int64) []byte {
	address := fmt.Sprintf("X-Forwarded-For: 2001:%x:%x::1", 0x1000+n>>16, n&0xffff)
	return writeRequest(uri, []byte(visitBody(visitPage(n))), "Origin: https://bench.example", address)
}

// recount compares what the service has counted with what it has accepted.
func (b *bench) recount(ctx context.Context, s *server, r *result) error {
	counted := int64(0)
	for i := range zipfPosts {
		n, err := s.viewsOf(ctx, visitPage(int64(i)))
		if err != nil {
			return err
		}
		counted += n
	}
	lost := r.service.all - counted
	b.report.judge("views that were accepted and not counted", float64(lost), fmt.Sprintf("%d of %d", lost, r.service.all), "0", lost == 0)
	return nil
}

func (s *server) viewsOf(ctx context.Context, path string) (int64, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", s.base+"/api/views?site="+siteKey+"&path="+url.QueryEscape(path), nil)
	if err != nil {
		return 0, err
	}
	_, body, err := answerOf(r)
	if err != nil {
		return 0, err
	}
	var out struct{ Count int64 }
	return out.Count, json.Unmarshal(body, &out)
}
