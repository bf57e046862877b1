package outbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
)

// store is a Source in memory.
type store struct {
	mu      sync.Mutex
	pending []postil.EventID // sorted
	marked  []postil.EventID
	asked   int
	failing error         // for questions
	marking error         // for marks
	slow    time.Duration // each marking takes as long
}

func (s *store) commit(ids ...postil.EventID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, ids...)
	slices.Sort(s.pending)
}

func (s *store) PendingEvents(_ context.Context, after postil.EventID, limit int) ([]postil.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.failing != nil {
		return nil, s.failing
	}
	var events []postil.Event
	for _, id := range s.pending {
		if id > after && len(events) < limit {
			events = append(events, postil.Event{ID: id})
		}
	}
	return events, nil
}

func (s *store) MarkPublished(ctx context.Context, ids []postil.EventID) error {
	rest(ctx, s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.marking != nil {
		return s.marking
	}
	s.marked = append(s.marked, ids...)
	s.pending = slices.DeleteFunc(s.pending, func(id postil.EventID) bool { return slices.Contains(ids, id) })
	return nil
}

func (s *store) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// broker is a Publisher in memory.
type broker struct {
	mu    sync.Mutex
	got   []postil.EventID
	calls []time.Time
	room  int // how many more it takes
}

func (b *broker) Publish(_ context.Context, events []postil.Event) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, time.Now())
	n := min(b.room, len(events))
	b.room -= n
	for _, e := range events[:n] {
		b.got = append(b.got, e.ID)
	}
	if n < len(events) {
		return n, errors.New("full")
	}
	return n, nil
}

func (b *broker) open(room int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room = room
}

func (b *broker) ids() []postil.EventID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.got)
}

func want(t *testing.T, what string, got, want []postil.EventID) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// inTime runs the test in a bubble with its own clock and a running relay.
func inTime(t *testing.T, opt Options, test func(t *testing.T, s *store, b *broker, r *Relay, end func())) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := &store{}, &broker{room: 1 << 30}
		r := NewRelay(slog.New(slog.DiscardHandler), s, b, opt)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		end := sync.OnceFunc(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
		defer end()
		synctest.Wait()
		test(t, s, b, r, end)
	})
}

func TestAWakeUpPublishesAtOnce(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		s.commit(1, 2)
		r.Wake()
		synctest.Wait() // no time passes
		want(t, "published", b.ids(), []postil.EventID{1, 2})
		time.Sleep(gather)
		synctest.Wait()
		want(t, "marked", s.marked, []postil.EventID{1, 2})
	})
}

func TestALostWakeUpCostsASecond(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, _ *Relay, _ func()) {
		s.commit(1)
		time.Sleep(time.Second)
		synctest.Wait()
		want(t, "published", b.ids(), []postil.EventID{1})
	})
}

func TestAnEventThatWasCommittedLateWithALowerIDIsPublishedToo(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		s.commit(5)
		r.Wake()
		synctest.Wait()
		s.commit(4)
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		want(t, "published", b.ids(), []postil.EventID{5, 4})
	})
}

func TestAFailureIsRetriedFromTheFirstEventThatDidNotArrive(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		b.open(2)
		s.commit(1, 2, 3, 4)
		r.Wake()
		synctest.Wait()
		want(t, "published", b.ids(), []postil.EventID{1, 2})
		s.commit(5)
		r.Wake()
		b.open(100)
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		want(t, "published", b.ids(), []postil.EventID{1, 2, 3, 4, 5})
	})
}

func TestPausesDoubleUpToTwoSecondsAndWakeUpsDoNotShortenThem(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		b.open(0)
		s.commit(1)
		for range 100 {
			r.Wake()
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		b.mu.Lock()
		defer b.mu.Unlock()
		var pauses []time.Duration
		for i := 1; i < len(b.calls); i++ {
			pauses = append(pauses, b.calls[i].Sub(b.calls[i-1]))
		}
		ms := time.Millisecond
		if diff := cmp.Diff([]time.Duration{50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 2000 * ms, 2000 * ms, 2000 * ms}, pauses); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPausesStartSmallAgainAfterASuccess(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		b.open(0)
		s.commit(1)
		r.Wake()
		time.Sleep(5 * time.Second)
		b.open(1)
		time.Sleep(2 * time.Second)
		s.commit(2)
		r.Wake()
		synctest.Wait()
		b.open(1)
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		want(t, "published", b.ids(), []postil.EventID{1, 2})
	})
}

func TestMarkingDoesNotDelayTheNextEvents(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		s.slow = time.Minute
		for id := postil.EventID(1); id <= 5; id++ {
			s.commit(id)
			r.Wake()
			synctest.Wait()
			if got := b.ids(); len(got) != int(id) {
				t.Fatalf("published %v", got)
			}
			time.Sleep(200 * time.Millisecond)
		}
		time.Sleep(3 * time.Second) // several looks from the beginning
		want(t, "published", b.ids(), []postil.EventID{1, 2, 3, 4, 5})
	})
}

func TestWhatCouldNotBeMarkedIsMarkedLaterAndNotPublishedAgain(t *testing.T) {
	inTime(t, Options{Batch: 2}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		s.set(func() { s.marking = errors.New("read-only") })
		s.commit(1, 2, 3, 4, 5)
		r.Wake()
		time.Sleep(10 * time.Second)
		s.commit(6)
		time.Sleep(time.Second)
		synctest.Wait() // the tick is due at this very moment
		want(t, "published", b.ids(), []postil.EventID{1, 2, 3, 4, 5, 6})
		s.set(func() { s.marking = nil })
		time.Sleep(3 * time.Second)
		synctest.Wait()
		want(t, "marked", s.marked, []postil.EventID{1, 2, 3, 4, 5, 6})
	})
}

func TestAStoreThatCannotBeReadIsAskedAgain(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, _ func()) {
		s.set(func() { s.failing = errors.New("locked") })
		s.commit(1)
		r.Wake()
		time.Sleep(10 * time.Second)
		s.set(func() {
			s.failing = nil
			if s.asked > 20 {
				t.Errorf("asked %d times in 10 s", s.asked)
			}
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want(t, "published", b.ids(), []postil.EventID{1})
	})
}

func TestTheEndPublishesAndMarksWhatIsPending(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, _ *Relay, end func()) {
		s.commit(1, 2, 3) // nobody wakes it
		end()
		want(t, "published", b.ids(), []postil.EventID{1, 2, 3})
		want(t, "marked", s.marked, []postil.EventID{1, 2, 3})
	})
}

func TestTheEndDoesNotWaitLongForAStuckStore(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, s *store, b *broker, r *Relay, end func()) {
		s.slow = time.Hour
		s.commit(1)
		r.Wake()
		time.Sleep(time.Second)
		began := time.Now()
		end()
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

func TestAPublisherThatTakesLessWithoutAWordIsNotBelieved(t *testing.T) {
	t.Parallel()
	s := &store{}
	s.commit(1, 2, 3)
	r := NewRelay(slog.New(slog.DiscardHandler), s, publisherFunc(func(context.Context, []postil.Event) (int, error) { return 1, nil }), Options{})
	if err := r.sweep(t.Context()); !errors.Is(err, errShort) || r.after != 1 {
		t.Errorf("after %d: %v", r.after, err)
	}
}

type publisherFunc func(context.Context, []postil.Event) (int, error)

func (f publisherFunc) Publish(ctx context.Context, e []postil.Event) (int, error) { return f(ctx, e) }

func TestTroubleIsLoggedOnceAndItsEndToo(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	r := NewRelay(slog.New(slog.NewTextHandler(&text, nil)), &store{}, &broker{}, Options{})
	for _, err := range []error{nil, errShort, errShort, errShort, nil, nil} {
		r.report(err)
	}
	if got := strings.Count(text.String(), "\n"); got != 2 {
		t.Errorf("logged %d lines:\n%s", got, text.String())
	}
}

func TestWhateverFailsEventsArriveOnceAndInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s, b := &store{}, &broker{}
		r := NewRelay(slog.New(slog.DiscardHandler), s, b, Options{Batch: rapid.IntRange(1, 5).Draw(rt, "batch")})
		var all []postil.EventID
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			for range rapid.IntRange(0, 4).Draw(rt, "new") {
				all = append(all, postil.EventID(len(all)+1))
				s.commit(all[len(all)-1])
			}
			b.open(rapid.IntRange(0, 6).Draw(rt, "room"))
			if rapid.Bool().Draw(rt, "from the beginning") {
				_ = r.sweep(context.Background())
			} else {
				_ = r.publish(context.Background())
			}
			s.marking = nil
			if rapid.Bool().Draw(rt, "marking fails") {
				s.marking = errors.New("read-only")
			}
			_ = r.done.settle(context.Background(), s)
		}
		b.open(1 << 30)
		s.marking = nil
		if err := errors.Join(r.sweep(context.Background()), r.done.settle(context.Background(), s)); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(all, b.ids()); diff != "" || len(s.pending) != 0 {
			rt.Fatalf("%d left, %s", len(s.pending), diff)
		}
	})
}
