package pageview

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/postil"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// book is a store in memory. Like the real one it adds a batch once.
type book struct {
	mu      sync.Mutex
	n       map[page]int64
	hours   map[time.Time]int64
	last    map[string]int64
	batches int
	trouble error
	lose    bool   // add, and then say that it failed
	after   func() // called when a batch is in, before its writer knows
}

func newBook() *book {
	return &book{n: map[page]int64{}, hours: map[time.Time]int64{}, last: map[string]int64{}}
}

func (b *book) AddViews(_ context.Context, writer string, batch int64, sums []postil.HourViews) error {
	b.mu.Lock()
	if b.trouble != nil && !b.lose {
		defer b.mu.Unlock()
		return b.trouble
	}
	if batch > b.last[writer] {
		b.last[writer] = batch
		b.batches++
		for _, s := range sums {
			b.n[page{s.Site, s.Post}] += s.N
			b.hours[s.Hour] += s.N
		}
	}
	b.mu.Unlock()
	if b.after != nil {
		b.after()
	}
	return b.trouble
}

func (b *book) Views(_ context.Context, site postil.SiteID, post postil.PostID, writer string) (int64, int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.trouble != nil && !b.lose {
		return 0, 0, b.trouble
	}
	return b.n[page{site, post}], b.last[writer], nil
}

func (b *book) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trouble = err
}

func (b *book) stored() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n[page{"blog", "/p"}]
}

func clock(ctx context.Context) time.Time { return time.Now() }

func visit(actor int) postil.Visit {
	return postil.Visit{Site: "blog", Post: "/p", Actor: fmt.Sprint("actor ", actor), Agent: firefox}
}

func wantCount(t *testing.T, c *Counter, want int64) {
	t.Helper()
	if n, err := c.Count(t.Context(), "blog", "/p"); err != nil || n != want {
		t.Errorf("the count is %d, %v; want %d", n, err, want)
	}
}

// running runs a counter in its own goroutine; stop ends it and waits.
func running(t *testing.T, c *Counter) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestVisitsWaitFiveSecondsAtMostAndAreCountedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook()
		c := New(quiet, b, "one", clock)
		defer running(t, c)()
		for i := range 3 {
			c.Visit(t.Context(), visit(i))
		}
		wantCount(t, c, 3)
		time.Sleep(flushEvery - time.Millisecond)
		synctest.Wait()
		if n := b.stored(); n != 0 {
			t.Errorf("%d were stored before the time", n)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if n := b.stored(); n != 3 || b.batches != 1 {
			t.Errorf("%d are stored in %d batches", n, b.batches)
		}
		wantCount(t, c, 3)
	})
}

func TestAFullBatchDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook()
		c := New(quiet, b, "one", clock)
		defer running(t, c)()
		for i := range batchSize {
			c.Visit(t.Context(), visit(i))
		}
		synctest.Wait()
		if n := b.stored(); n != batchSize {
			t.Errorf("%d are stored, not %d", n, batchSize)
		}
	})
}

func TestAStopLosesNoVisitAndAKillOneIntervalAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook()
		stopped := New(quiet, b, "stopped", clock)
		stop := running(t, stopped)
		stopped.Visit(t.Context(), visit(1))
		stop()
		if n := b.stored(); n != 1 {
			t.Fatalf("after a stop %d are stored, not 1", n)
		}
		killed := New(quiet, b, "killed", clock)
		stop = running(t, killed)
		for i := range 60 { // a visit each second
			killed.Visit(t.Context(), visit(i))
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := b.stored(); n < 1+60-5 {
			t.Errorf("a kill in this moment keeps %d of 61", n)
		}
		b.fail(errors.New("dead")) // nothing that this process still does arrives
		stop()
		b.fail(nil)
		next := New(quiet, b, "next", clock)
		wantCount(t, next, b.stored())
	})
}

func TestAStoreInTroubleDelaysNumbersAndLosesNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		b := newBook()
		c := New(slog.New(slog.NewTextHandler(&said, nil)), b, "one", clock)
		defer running(t, c)()
		b.fail(errors.New("disk full"))
		for i := range 40 {
			if !c.Visit(t.Context(), visit(i)) {
				t.Fatal("a visit was refused")
			}
			time.Sleep(time.Second)
		}
		if _, err := c.Count(t.Context(), "blog", "/p"); err == nil {
			t.Error("a number was invented while the store cannot be read")
		}
		b.fail(nil)
		time.Sleep(2 * flushEvery)
		synctest.Wait()
		wantCount(t, c, 40)
		if n := b.stored(); n != 40 {
			t.Errorf("%d are stored, not 40", n)
		}
		if n := strings.Count(said.String(), "level=WARN"); n != 1 || !strings.Contains(said.String(), "stored again") {
			t.Errorf("the log says:\n%s", said.String())
		}
	})
}

func TestABatchWhoseAnswerWasLostIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook()
		c := New(quiet, b, "one", clock)
		defer running(t, c)()
		b.lose, b.trouble = true, errors.New("connection lost")
		c.Visit(t.Context(), visit(1))
		time.Sleep(flushEvery)
		synctest.Wait()
		c.Visit(t.Context(), visit(2))
		wantCount(t, c, 2)
		b.fail(nil)
		time.Sleep(2 * flushEvery)
		synctest.Wait()
		wantCount(t, c, 2)
	})
}

func TestANumberReadWhileABatchArrivesIsTheSame(t *testing.T) {
	t.Parallel()
	b := newBook()
	c := New(quiet, b, "one", clock)
	b.after = func() {
		wantCount(t, c, 1) // the store has it, memory does too
		c.Visit(t.Context(), visit(2))
		wantCount(t, c, 2)
	}
	c.Visit(t.Context(), visit(1))
	if err := c.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.after = nil
	wantCount(t, c, 2)
}

func TestSixtyFourClientsAtOnceAreCountedExactly(t *testing.T) {
	t.Parallel()
	b := newBook()
	c := New(quiet, b, "one", clock)
	stop := running(t, c)
	var all sync.WaitGroup
	for client := range 64 {
		all.Go(func() {
			for i := range 100 {
				c.Visit(t.Context(), visit(client*100+i))
				if i%10 == 0 {
					if _, err := c.Count(t.Context(), "blog", "/p"); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	wantCount(t, c, 6400)
	stop()
	if n := b.stored(); n != 6400 {
		t.Errorf("%d are stored, not 6400", n)
	}
}

func TestManyNodesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook()
		for node := range 3 {
			c := New(quiet, b, fmt.Sprint("node ", node), clock)
			stop := running(t, c)
			for i := range 5 {
				c.Visit(t.Context(), visit(i))
			}
			stop()
		}
		if n := b.stored(); n != 15 {
			t.Errorf("%d, not 15", n)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	b := newBook()
	b.fail(errors.New("down"))
	c := New(slog.New(slog.NewTextHandler(&said, nil)), b, "one", clock)
	for i := range maxPages + 100 {
		v := visit(1)
		v.Post = postil.PostID(fmt.Sprint("/", i))
		c.Visit(t.Context(), v)
	}
	if len(c.open) != maxPages {
		t.Errorf("%d pages are kept", len(c.open))
	}
	known := visit(2)
	known.Post = "/7"
	if !c.Visit(t.Context(), known) {
		t.Error("a known page is not counted any more")
	}
	b.fail(nil)
	if err := c.flush(t.Context()); err != nil || !strings.Contains(said.String(), "visits=100") {
		t.Errorf("%v; the log says %s", err, said.String())
	}
}
