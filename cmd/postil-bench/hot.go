package main

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// readers is how many keep-alive connections read a hot thread.
const readers = 32

const gzipWanted = "Accept-Encoding: gzip"

func threadURI(post string) string {
	return "/api/v1/sites/" + siteKey + "/comments?post=" + url.QueryEscape(post)
}

// library starts the service on the data set.
func (b *bench) library(ctx context.Context, env ...string) (*server, error) {
	dir, err := b.seeded(ctx, "library", func() (iter.Seq[thread], error) {
		threads, err := b.dataset()
		return slices.Values(threads), err
	})
	if err != nil {
		return nil, err
	}
	return b.start(ctx, dir, env...)
}

// contest is the service against the ceiling with the same requests.
type contest struct {
	uris []string
	body string // sent with POST; "" asks with GET
	next func(conn int) func() []byte
	env  []string                                      // of the service
	then func(context.Context, *server, *result) error // what is looked at before the service stops; nil for nothing
	want int                                           // status
	bear bool                                          // other answers are counted instead of ending it
	wrk  []string
}

func measureHot(ctx context.Context, b *bench) error {
	uri := threadURI(hotPost)
	c := contest{uris: []string{uri}, next: always(get(uri, gzipWanted)), want: 200, wrk: []string{"-H", gzipWanted}}
	r, err := b.compete(ctx, c)
	if err != nil {
		return err
	}
	rate, cost := median(r.rates()), median(r.costs())
	b.report.judge("requests/s against the ceiling", rate, around("%.2f", r.rates()), "≥ 0.90, or the next ≤ 1.10", rate >= 0.90 || cost <= 1.10)
	b.report.note("server CPU per request against the ceiling", cost, around("%.2f", r.costs()))
	return nil
}

func measureHot304(ctx context.Context, b *bench) error {
	uri := threadURI(hotPost)
	s, err := b.library(ctx)
	if err != nil {
		return err
	}
	etag, err := etagOf(ctx, s, uri)
	s.stop()
	if err != nil {
		return err
	}
	known := "If-None-Match: " + etag
	c := contest{uris: []string{uri}, next: always(get(uri, gzipWanted, known)), want: 304, wrk: []string{"-H", gzipWanted, "-H", known}}
	r, err := b.compete(ctx, c)
	if err != nil {
		return err
	}
	rate := median(r.rates())
	b.report.judge("requests/s against the ceiling", rate, around("%.2f", r.rates()), "≥ 0.85", rate >= 0.85)
	b.report.note("server CPU per request against the ceiling", median(r.costs()), around("%.2f", r.costs()))
	return nil
}

func etagOf(ctx context.Context, s *server, uri string) (string, error) {
	res, _, err := fetch(ctx, s.base+uri, "")
	if err != nil {
		return "", err
	}
	return res.Header.Get("Etag"), nil
}

// measureZipf reads 200 posts, few of them often and many seldom.
func measureZipf(ctx context.Context, b *bench) error {
	var uris []string
	var requests [][]byte
	for i := range zipfPosts {
		uris = append(uris, threadURI(numbered(i)))
		requests = append(requests, get(uris[i], gzipWanted))
	}
	next := func(conn int) func() []byte {
		z := rand.NewZipf(rand.New(rand.NewPCG(uint64(conn), 7)), 1.1, 1, zipfPosts-1)
		return func() []byte { return requests[z.Uint64()] }
	}
	r, err := b.compete(ctx, contest{uris: uris, next: next, want: 200})
	if err != nil {
		return err
	}
	b.report.note("requests/s against the ceiling", median(r.rates()), around("%.2f", r.rates()))
	b.report.note("server CPU per request against the ceiling", median(r.costs()), around("%.2f", r.costs()))
	return nil
}

// rival is one side of a contest.
type rival struct {
	addr string
	p    *process
	rate []float64 // requests/s by round
	cost []float64 // microseconds of CPU for each request, by round
	p99  []time.Duration
	all  int64 // answers, those of the first round too
	bad  int   // answers that were not wanted, and broken connections
	wrk  []float64
}

type result struct{ service, ceiling rival }

func (r *result) rates() []float64 { return ratios(r.service.rate, r.ceiling.rate) }
func (r *result) costs() []float64 { return ratios(r.service.cost, r.ceiling.cost) }

// compete lets both sides run by turns, and reports the figures that have no
// goal.
func (b *bench) compete(ctx context.Context, c contest) (*result, error) {
	s, err := b.library(ctx, c.env...)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	top, err := startCeiling(ctx, s, model{c.uris, c.body})
	if err != nil {
		return nil, err
	}
	defer top.stop()
	r := &result{service: rival{addr: s.addr, p: s.process}, ceiling: rival{addr: top.addr, p: top.process}}
	sides := []*rival{&r.service, &r.ceiling}
	for round := range b.rounds(9) + 1 {
		for _, side := range sides {
			if err := side.race(ctx, c, b.slice(800*time.Millisecond), round > 0); err != nil {
				return nil, err
			}
			if round > 0 && b.wrk && c.wrk != nil {
				if err := side.confirm(ctx, c); err != nil {
					return nil, err
				}
			}
		}
		slices.Reverse(sides)
	}
	b.report.note("requests/s", median(r.service.rate), around("%.0f", r.service.rate))
	b.report.note("requests/s of the ceiling", median(r.ceiling.rate), around("%.0f", r.ceiling.rate))
	b.report.note("server CPU per request, ceiling's", median(r.service.cost), fmt.Sprintf("%.1f µs, %.1f µs", median(r.service.cost), median(r.ceiling.cost)))
	b.report.note("p99", float64(median(r.service.p99).Microseconds()), fmt.Sprintf("%s, ceiling's %s", ms(median(r.service.p99)), ms(median(r.ceiling.p99))))
	if both := ratios(r.service.wrk, r.ceiling.wrk); len(both) > 0 {
		b.report.note("requests/s against the ceiling, by wrk", median(both), around("%.2f", both))
	}
	if c.then != nil {
		return r, c.then(ctx, s, r)
	}
	return r, nil
}

// race runs one side for a while. The first round only warms up.
func (s *rival) race(ctx context.Context, c contest, d time.Duration, counts bool) error {
	before, err := s.p.cpu()
	if err != nil {
		return err
	}
	got, err := load{addr: s.addr, conns: readers, next: c.next}.run(ctx, d)
	if err != nil {
		return err
	}
	after, err := s.p.cpu()
	if err != nil {
		return err
	}
	s.all += int64(got.n)
	if n := got.others(c.want); c.bear {
		s.bad += n
	} else if n > 0 {
		return fmt.Errorf("%d of %d answers were not %d: %v, and %d connections broke", n, got.n, c.want, got.statuses, got.cut)
	}
	if counts {
		s.rate = append(s.rate, got.rate())
		s.cost = append(s.cost, float64((after-before).Microseconds())/float64(got.n))
		s.p99 = append(s.p99, got.quantile(0.99))
	}
	return nil
}

var wrkRate = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

// confirm lets wrk measure the same.
func (s *rival) confirm(ctx context.Context, c contest) error {
	args := append([]string{"-t1", "-c" + strconv.Itoa(readers), "-d1s"}, c.wrk...)
	out, err := exec.CommandContext(ctx, "wrk", append(args, "http://"+s.addr+c.uris[0])...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("wrk: %w\n%s", err, out)
	}
	m := wrkRate.FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("wrk said no rate:\n%s", out)
	}
	rate, err := strconv.ParseFloat(string(m[1]), 64)
	s.wrk = append(s.wrk, rate)
	return err
}
