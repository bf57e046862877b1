package main

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"
)

// What is compared: a young blog and a grown one, with the same posts probed.
const (
	fewComments  = 10_000
	manyComments = 1_000_000
	grownPosts   = 20_000
)

// probe is one question that must not become slower.
type probe struct {
	name    string
	request func(i int) []byte // a view that is not in the cache, different for each i
}

func probes() []probe {
	return []probe{
		{"thread of 100 comments, cold", func(i int) []byte { return get(threadURI(hundredPost)+fmt.Sprintf("&limit=%d", 50+i), gzipWanted) }},
		{"newest page of 10,000 comments, cold", func(i int) []byte {
			return get(threadURI(longPost)+fmt.Sprintf("&sort=newest&limit=%d", 50+i), gzipWanted)
		}},
		{"counts of 100 posts, cold", func(i int) []byte { return countsRequest(i) }},
		{"page of the moderation queue", func(int) []byte {
			return get("/api/v1/admin/comments?status=pending&limit=50", "Authorization: Bearer "+adminKey)
		}},
		{"open review tasks", func(int) []byte {
			return get("/api/v1/admin/comments?queue=open&limit=50", "Authorization: Bearer "+adminKey)
		}},
	}
}

// countsRequest asks for a hundred posts, not the same twice.
func countsRequest(i int) []byte {
	var q strings.Builder
	for k := range 100 {
		fmt.Fprintf(&q, "&post=%s", url.QueryEscape(spreadPost((i*100+k*7)%grownPosts)))
	}
	return get("/api/v1/sites/"+siteKey+"/counts?"+q.String()[1:], gzipWanted)
}

// measureGrowth asks the same of a young blog and of a grown one, by turns.
func measureGrowth(ctx context.Context, b *bench) error {
	few, many := fewComments, manyComments
	if b.quick {
		few, many = few/100, many/100
	}
	var blogs [2]*server
	for i, n := range []int{few, many} {
		dir, err := b.seeded(ctx, fmt.Sprintf("grown-%d", n), func() (iter.Seq[thread], error) { return grownBlog(n, grownPosts), nil })
		if err != nil {
			return err
		}
		if blogs[i], err = b.start(ctx, dir); err != nil {
			return err
		}
		defer blogs[i].stop()
		if err := queueUp(ctx, blogs[i]); err != nil {
			return err
		}
	}
	for _, p := range probes() {
		if err := b.compareGrowth(ctx, blogs, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// waiting is how many comments wait for a moderator in both blogs.
const waiting = 200

// queueUp posts comments and waits until a moderator is asked about them.
func queueUp(ctx context.Context, s *server) error {
	st := newStorm(s, 1, 1)
	c, err := dial(ctx, s.addr)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	for range waiting {
		if err := st.post(c); err != nil {
			return err
		}
	}
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(100 * time.Millisecond) {
		all, err := s.figures(ctx)
		if err != nil || all["postil_review_queue"] >= waiting {
			return err
		}
	}
	return fmt.Errorf("the checks have not asked for a person about %d comments", waiting)
}

func (b *bench) compareGrowth(ctx context.Context, blogs [2]*server, p probe) error {
	const warm = 20
	var took [2][]float64
	for i := range blogs {
		c, err := dial(ctx, blogs[i].addr)
		if err != nil {
			return err
		}
		defer c.conn.Close()
		for n := range warm { // until the file is in the page cache
			if _, err := c.do(p.request(n)); err != nil {
				return err
			}
		}
	}
	var p50 [2][]float64
	const asked = 14 // so that no view is asked for twice
	for round := range b.rounds(9) {
		for turn := range blogs {
			i := (turn + round) % 2
			c, err := dial(ctx, blogs[i].addr)
			if err != nil {
				return err
			}
			for n := range asked {
				began := time.Now()
				status, err := c.do(p.request(warm + round*asked + n))
				if err != nil || status != 200 {
					return fmt.Errorf("answered with %d: %w", status, err)
				}
				took[i] = append(took[i], time.Since(began).Seconds())
			}
			p50[i] = append(p50[i], median(took[i][len(took[i])-asked:]))
			c.conn.Close()
		}
	}
	times := ratios(p50[1], p50[0])
	b.report.judge(p.name, median(times), fmt.Sprintf("%s (%.2f ms, %.2f ms)", around("%.2f", times), median(p50[0])*1000, median(p50[1])*1000), "≤ 1.50", median(times) <= 1.5)
	return nil
}
