package main

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// What the cold scenarios read: threads that nobody has read before.
const (
	crawled     = 20_000 // posts with one comment each
	crowded     = 1_000  // posts with a hundred
	cachedBytes = 64 << 20
)

func crawledPost(i int) string { return fmt.Sprintf("/archive/%d", i) }
func crowdedPost(i int) string { return fmt.Sprintf("/crowd/%d", i) }

// archive starts the service on many posts, with the hot one among them.
func (b *bench) archive(ctx context.Context) (*server, error) {
	dir, err := b.seeded(ctx, "archive", func() (iter.Seq[thread], error) {
		rng := rand.New(rand.NewPCG(5, 6))
		return func(yield func(thread) bool) {
			more := yield(thread{hotPost, conversation(rng, 100, 47)})
			for i := 0; more && i < b.crawled(); i++ {
				more = yield(thread{crawledPost(i), conversation(rng, 1, 1)})
			}
			for i := 0; more && i < b.crowded(); i++ {
				more = yield(thread{crowdedPost(i), conversation(rng, 100, 47)})
			}
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return b.start(ctx, dir)
}

func (b *bench) crawled() int {
	if b.quick {
		return crawled / 10
	}
	return crawled
}

func (b *bench) crowded() int {
	if b.quick {
		return crowded / 10
	}
	return crowded
}

// each hands n requests out, each once.
func each(n int, request func(i int) []byte) func(int) func() []byte {
	var at atomic.Int64
	return func(int) func() []byte {
		return func() []byte {
			i := int(at.Add(1)) - 1
			if i >= n {
				return nil
			}
			return request(i)
		}
	}
}

// measureCold reads threads of a hundred comments that are not in the cache.
func measureCold(ctx context.Context, b *bench) error {
	s, err := b.archive(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	before, err := s.cpu()
	if err != nil {
		return err
	}
	got, err := load{addr: s.addr, conns: 8, next: each(b.crowded(), func(i int) []byte { return get(threadURI(crowdedPost(i)), gzipWanted) })}.run(ctx, time.Minute)
	if err != nil {
		return err
	}
	after, err := s.cpu()
	if err != nil {
		return err
	}
	b.report.note("threads of 100 comments/s, none cached", got.rate(), fmt.Sprintf("%.0f (%d of them, %d errors)", got.rate(), got.n, got.others(200)))
	b.report.note("time to answer", got.quantile(0.5).Seconds(), fmt.Sprintf("p50 %s, p99 %s", ms(got.quantile(0.5)), ms(got.quantile(0.99))))
	b.report.note("server CPU per miss", float64((after-before).Microseconds())/float64(got.n), fmt.Sprintf("%.0f µs", float64((after-before).Microseconds())/float64(got.n)))
	return nil
}

// measureCrawler lets a crawler walk over all cold threads while a hot one is
// read.
func measureCrawler(ctx context.Context, b *bench) error {
	s, err := b.archive(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	hot := always(get(threadURI(hotPost), gzipWanted))
	if _, err := (load{addr: s.addr, conns: readers, next: hot}).run(ctx, time.Second); err != nil {
		return err
	}
	var walk, read *sent
	var walked atomic.Bool
	grown, err := s.grown(ctx, func() error {
		reading := make(chan error, 1)
		go func() {
			var err error
			until := func(int) func() []byte {
				request := hot(0)()
				return func() []byte {
					if walked.Load() {
						return nil
					}
					return request
				}
			}
			read, err = load{addr: s.addr, conns: readers, next: until}.run(ctx, 2*time.Minute)
			reading <- err
		}()
		var err error
		walk, err = load{addr: s.addr, conns: 8, next: each(b.crawled(), func(i int) []byte { return get(threadURI(crawledPost(i)), gzipWanted) })}.run(ctx, 2*time.Minute)
		walked.Store(true)
		if readErr := <-reading; err == nil {
			err = readErr
		}
		return err
	})
	if err != nil {
		return err
	}
	// Each cold thread was read once and cannot have been a hit.
	ratio := grown(hits) / float64(read.n)
	b.report.judge("hit ratio of the hot thread", ratio, fmt.Sprintf("%.5f of %d reads (%.0f stale, renewed behind the answer)", ratio, read.n, grown(stales)), "≥ 0.999", ratio >= 0.999)
	b.report.note("cold threads/s that the crawler read", walk.rate(), fmt.Sprintf("%.0f (%d of them, %d refused)", walk.rate(), walk.n, walk.others(200)))
	b.report.note("hot thread's requests/s and p99 beside it", read.rate(), fmt.Sprintf("%.0f, %s, %d errors", read.rate(), ms(read.quantile(0.99)), read.others(200)))
	return nil
}

// measureMemory makes a thousand threads hot and looks at the heap.
func measureMemory(ctx context.Context, b *bench) error {
	s, err := b.archive(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	rest, idle, err := s.heap(ctx)
	if err != nil {
		return err
	}
	for range 4 { // often enough to be kept, and for the collector to have run
		every := each(b.crowded(), func(i int) []byte { return get(threadURI(crowdedPost(i)), gzipWanted) })
		if _, err := (load{addr: s.addr, conns: 8, next: every}).run(ctx, time.Minute); err != nil {
			return err
		}
	}
	live, full, err := s.heap(ctx)
	if err != nil {
		return err
	}
	all, err := s.figures(ctx)
	if err != nil {
		return err
	}
	grew, limit := live-rest, int64(cachedBytes*12/10)
	b.report.judge(fmt.Sprintf("live heap of %d cached threads", b.crowded()), float64(grew), mib(grew), "≤ "+mib(limit), grew <= limit)
	b.report.note("the cache's own estimate", all["postil_cache_bytes"], mib(int64(all["postil_cache_bytes"])))
	b.report.note("resident memory of the whole process, before and after", float64(full), mib(idle)+", "+mib(full))
	return nil
}

// heap returns what the collector found alive when it ran last, from the size
// at which it will run next, and the resident set.
func (s *server) heap(ctx context.Context) (live, resident int64, err error) {
	all, err := s.figures(ctx)
	if err != nil {
		return 0, 0, err
	}
	resident, err = s.memory()
	return int64(all[liveNext] / (1 + all[gogc]/100)), resident, err
}

// coldView is a view of a crowded thread that nobody has asked for before.
func (b *bench) coldView(i int) []byte {
	const views = 150 // page sizes from 50 on: all of them show the whole thread
	n := b.crowded()
	return get(threadURI(crowdedPost(i%n))+fmt.Sprintf("&limit=%d", 50+i/n%views), gzipWanted)
}

// measureOverload asks for ten times what the store can load.
func measureOverload(ctx context.Context, b *bench) error {
	s, err := b.archive(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	var at atomic.Int64
	cold := func(int) func() []byte {
		return func() []byte { return b.coldView(int(at.Add(1))) }
	}
	d := b.slice(3 * time.Second)
	can, err := load{addr: s.addr, conns: 4, next: cold}.run(ctx, d/2)
	if err != nil {
		return err
	}
	const crowd = 500
	pace := time.Duration(float64(crowd) / (10 * can.rate()) * float64(time.Second))
	watch, peak := s.watchMemory(ctx)
	got, err := load{addr: s.addr, conns: crowd, next: cold, pace: pace}.run(ctx, d)
	if err != nil {
		return err
	}
	recovered, err := b.recovery(ctx, s, cold(0))
	watch()
	if err != nil {
		return err
	}
	refused := got.statuses[503]
	b.report.note("cold loads/s that are possible, and asked for", can.rate(), fmt.Sprintf("%.0f, %.0f", can.rate(), got.rate()))
	p99 := got.quantile(0.99)
	b.report.judge("p99 of all answers", p99.Seconds(), ms(p99), "< 500 ms", p99 < 500*time.Millisecond)
	share := float64(refused) / float64(got.n)
	b.report.judge("refused with 503 and Retry-After", share, fmt.Sprintf("%.2f (%d answered, %d refused, %d without Retry-After, %d else)",
		share, got.statuses[200], refused, refused-got.hinted, got.others(200)-refused), "every one with it, nothing else", refused == got.hinted && got.others(200) == refused)
	b.report.judge("recovery to fast cold reads", recovered.Seconds(), ms(recovered), "≤ 2 s", recovered <= 2*time.Second)
	most := peak()
	b.report.judge("resident memory at its peak", float64(most), mib(most), "≤ 256 MiB", most <= 256<<20)
	return nil
}

// recovery returns how long it takes until a cold read is quick again.
func (b *bench) recovery(ctx context.Context, s *server, next func() []byte) (time.Duration, error) {
	c, err := dial(ctx, s.addr)
	if err != nil {
		return 0, err
	}
	defer c.conn.Close()
	began := time.Now()
	for time.Since(began) < 10*time.Second {
		asked := time.Now()
		status, err := c.do(next())
		if err != nil {
			return 0, err
		}
		if status == 200 && time.Since(asked) < 100*time.Millisecond {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began), nil
}

// watchMemory notes the largest resident set until it is stopped.
func (s *server) watchMemory(ctx context.Context) (stop func(), peak func() int64) {
	ctx, cancel := context.WithCancel(ctx)
	var most atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if rss, err := s.memory(); err == nil && rss > most.Load() {
				most.Store(rss)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return func() { cancel(); <-done }, most.Load
}
