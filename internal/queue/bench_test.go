package queue

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// BenchmarkPublishToHandle measures one event at a time through the embedded
// broker, from the call of Publish to the call of the handler.
func BenchmarkPublishToHandle(b *testing.B) {
	arrived := make(chan time.Time, 1)
	q := newBroker(b, Config{Dir: b.TempDir()})
	task := q.Consume(checks(func(context.Context, postil.Event) error { arrived <- time.Now(); return nil }))
	start(b, q)
	run(b, task)
	var took []time.Duration
	id := 0
	for b.Loop() {
		id++
		sent := time.Now()
		publish(b, q, event(id, postil.CommentSubmitted, "p"))
		took = append(took, (<-arrived).Sub(sent))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkPublish measures batches of 256 events of many threads, and of one.
func BenchmarkPublish(b *testing.B) {
	for _, threads := range []int{256, 1} {
		b.Run(fmt.Sprint("threads=", threads), func(b *testing.B) {
			q := newBroker(b, Config{Dir: b.TempDir(), MaxStoreBytes: 1 << 30})
			start(b, q)
			events := make([]postil.Event, 256)
			id := 0
			for b.Loop() {
				for i := range events {
					id++
					events[i] = event(id, postil.ReviewRequested, fmt.Sprint(i%threads))
				}
				publish(b, q, events...)
			}
			b.ReportMetric(float64(256*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
