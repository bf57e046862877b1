package outbox_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/postil/postil/internal/outbox"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
)

// BenchmarkCommitToHandle measures one event at a time from the commit to the
// handler: relay, embedded broker and consumer, without the SQL.
func BenchmarkCommitToHandle(b *testing.B) {
	arrived := make(chan time.Time, 1)
	table := &rows{marked: map[postil.EventID]bool{}}
	broker := queue.New(slog.New(slog.DiscardHandler), queue.Config{Dir: b.TempDir()})
	b.Cleanup(broker.Stop)
	task := broker.Consume(queue.Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted},
		Handle: func(context.Context, postil.Event) error { arrived <- time.Now(); return nil }})
	if err := broker.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	relay := outbox.NewRelay(slog.New(slog.DiscardHandler), table, broker, outbox.Options{})
	background(b, relay.Run)
	background(b, task.Run)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		table.commit(postil.Event{Kind: postil.CommentSubmitted, Site: "blog", Post: "p"})
		relay.Wake()
		took = append(took, (<-arrived).Sub(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
