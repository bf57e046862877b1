package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// remark42 is what the fastest peer with a durable store acknowledged per
// second for 64 clients, on two cores.
const remark42 = 365

// measurePosting lets clients post as fast as they are answered, by turns with
// the bare loop.
func measurePosting(ctx context.Context, b *bench) error {
	s, err := b.start(ctx, "")
	if err != nil {
		return err
	}
	defer s.stop()
	loop, err := b.bareBeside(ctx)
	if err != nil {
		return err
	}
	defer loop.db.Close()
	seen, err := openWritten(s.dir, false)
	if err != nil {
		return err
	}
	defer seen.Close()
	p := &posters{s: s, db: seen}
	for _, clients := range []int{1, 16, 64} {
		if err := b.comparePosting(ctx, p, loop, clients); err != nil {
			return err
		}
	}
	var stored int64
	if err := seen.QueryRowContext(ctx, "SELECT count(*) FROM comments").Scan(&stored); err != nil {
		return err
	}
	b.report.judge("acknowledged, stored, refused", float64(stored-p.acked), fmt.Sprintf("%d, %d, %d", p.acked, stored, p.refused), "equal, equal, 0", stored == p.acked && p.refused == 0)
	rss, err := s.memory()
	b.report.note("resident memory afterwards", float64(rss), mib(rss))
	return err
}

// bareBeside makes a database with one comment, as the service writes it.
func (b *bench) bareBeside(ctx context.Context) (*bare, error) {
	s, err := b.start(ctx, "")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	c, err := dial(ctx, s.addr)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	if err := newStorm(s, 1, 1).post(c); err != nil {
		return nil, err
	}
	s.stop()
	return newBare(ctx, s.dir)
}

// posters post, each comment a new text.
type posters struct {
	s              *server
	db             *sql.DB
	serial         atomic.Int64
	acked, refused int64
}

func (p *posters) race(ctx context.Context, clients int, d time.Duration) (*sent, error) {
	next := func(int) func() []byte {
		return func() []byte {
			n := p.serial.Add(1)
			return postRequest(numbered(int(n)%zipfPosts), fmt.Sprintf("Poster %d of this bench has something to say about thing number %d", n%64, n))
		}
	}
	got, err := load{addr: p.s.addr, conns: clients, next: next}.run(ctx, d)
	if err != nil {
		return nil, err
	}
	p.acked += int64(got.statuses[202])
	p.refused += int64(got.others(202))
	return got, nil
}

// drained waits until every comment is checked and every event published.
func (p *posters) drained(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	for time.Since(began) < 30*time.Second {
		var waiting int
		err := p.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL) + (SELECT count(*) FROM comments WHERE checked_at IS NULL)`).Scan(&waiting)
		if err != nil || waiting == 0 {
			return time.Since(began), err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began), nil
}

// duel is what the rounds of one number of clients brought.
type duel struct {
	ours, bare       []float64
	oursP50, bareP50 []time.Duration
	oursP99          []time.Duration
	drained          []time.Duration
}

func (b *bench) comparePosting(ctx context.Context, p *posters, loop *bare, clients int) error {
	var r duel
	d := b.slice(1500 * time.Millisecond)
	post := func() error {
		got, err := p.race(ctx, clients, d)
		if err != nil {
			return err
		}
		r.ours, r.oursP50, r.oursP99 = append(r.ours, got.rate()), append(r.oursP50, got.quantile(0.5)), append(r.oursP99, got.quantile(0.99))
		took, err := p.drained(ctx)
		r.drained = append(r.drained, took)
		return err
	}
	commit := func() error {
		got, err := loop.race(ctx, clients, d)
		if err != nil {
			return err
		}
		r.bare, r.bareP50 = append(r.bare, got.rate()), append(r.bareP50, got.quantile(0.5))
		return nil
	}
	turns := []func() error{post, commit}
	for range b.rounds(5) {
		for _, turn := range turns {
			if err := turn(); err != nil {
				return err
			}
		}
		slices.Reverse(turns)
	}
	b.reportPosting(clients, r)
	return nil
}

func (b *bench) reportPosting(clients int, r duel) {
	who := fmt.Sprintf("%d clients: ", clients)
	rate, share := median(r.ours), ratios(r.ours, r.bare)
	b.report.note(who+"acknowledged/s", rate, fmt.Sprintf("%s, p50 %s, p99 %s", around("%.0f", r.ours), ms(median(r.oursP50)), ms(median(r.oursP99))))
	b.report.note(who+"bare commits/s", median(r.bare), fmt.Sprintf("%s, p50 %s", around("%.0f", r.bare), ms(median(r.bareP50))))
	if clients == 1 {
		above := median(r.oursP50) - median(r.bareP50)
		b.report.judge(who+"p50 above the bare commit", above.Seconds(), ms(above), "< 1 ms", above < time.Millisecond)
	}
	if clients == 64 {
		times := rate / remark42
		b.report.judge(who+"times Remark42's 365/s", times, fmt.Sprintf("%.1f", times), "≥ 8, stretch 12", times >= 8)
		b.report.judge(who+"share of the bare loop", median(share), around("%.2f", share), "≥ 0.2, stretch 0.3", median(share) >= 0.2)
	} else {
		b.report.note(who+"share of the bare loop", median(share), around("%.2f", share))
	}
	last := slices.Max(r.drained)
	b.report.judge(who+"backlog drained after", last.Seconds(), "at most "+ms(last), "≤ 2 s", last <= 2*time.Second)
}
