package cache

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/postil/postil/internal/postil"
)

func TestCACHE_05_AFailureToKeepCostsNoReaderTheAnswer(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		spoil func(*Cache)
	}{
		{"the cache fails", func(c *Cache) { c.put = func(postil.View, *Entry) { panic("no room on device") } }},
		{"the body is larger than the budget", func(c *Cache) { c.o.Bytes = 100 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &source{}
			s.change("/a")
			var log bytes.Buffer
			c := New(slog.New(slog.NewTextHandler(&log, nil)), s.load, unpaced)
			defer c.Close()
			row.spoil(c)
			for range 3 {
				wantBody(t, c, thread("/a"), 0, "/a v1")
			}
			c.Close()
			wantCount(t, "answers counted as not kept", c.Stats().Unkept, 3)
			if strings.Count(log.String(), "answer not kept") != 3 {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
	t.Run("an error of the database stays an error", func(t *testing.T) {
		s := &source{failure: errors.New("malformed database")}
		c := newCache(t, s.load, unpaced)
		c.put = func(postil.View, *Entry) { panic("no room on device") }
		if _, err := c.Get(t.Context(), thread("/a"), 0); !errors.Is(err, s.failure) {
			t.Errorf("error is %v", err)
		}
	})
}

func TestAnOlderAnswerStandsInForAFailedLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		s.change("/a")
		c := newCache(t, s.load, Options{Fresh: time.Second, Retain: time.Minute})
		wantBody(t, c, thread("/a"), 0, "/a v1")
		s.set(func(s *source) { s.failure = errors.New("disk gone") })
		c.Invalidate(t.Context(), s.change("/a"))
		for range 100 {
			wantBody(t, c, thread("/a"), 0, "/a v1")
		}
		wantCount(t, "loads while the store fails", s.loads.Load(), 2)
		s.set(func(s *source) { s.failure = nil })
		time.Sleep(100 * time.Millisecond)
		wantBody(t, c, thread("/a"), 0, "/a v2")

		s.set(func(s *source) { s.failure = errors.New("disk gone") })
		time.Sleep(2 * time.Second) // past its freshness
		wantBody(t, c, thread("/a"), 0, "/a v2")
		time.Sleep(time.Minute) // past its retention
		wantKind(t, c, thread("/a"), postil.Internal)
	})
}

func TestWhatIsGoneIsNotAnsweredFromMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		s.change("/a")
		c := newCache(t, s.load, Options{Placeholder: 2 * time.Second})
		wantBody(t, c, thread("/a"), 0, "/a v1")
		s.set(func(s *source) { s.failure = postil.Missing() })
		c.Drop("blog", "/a")
		for range 10 {
			wantKind(t, c, thread("/a"), postil.NotFound)
		}
		wantCount(t, "loads of what is gone", s.loads.Load(), 2)
		s.set(func(s *source) { s.failure = nil })
		wantKind(t, c, thread("/a"), postil.NotFound)
		time.Sleep(2 * time.Second)
		wantBody(t, c, thread("/a"), 0, "/a v1")
	})
}

func TestAnInvalidRequestIsPassedThroughAndNotKept(t *testing.T) {
	t.Parallel()
	s := &source{failure: postil.InvalidField("cursor", "This cursor is not one of ours.")}
	c := newCache(t, s.load, Options{})
	wantKind(t, c, thread("/a"), postil.Invalid)
	wantKind(t, c, thread("/a"), postil.Invalid)
	wantCount(t, "loads", s.loads.Load(), 2)
	wantCount(t, "bytes", c.Stats().Bytes, 0)
}

func TestAPassingErrorIsRetriedOnceAndAnotherNever(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		fails int64 // calls that fail
		err   error
		loads int64
		kind  postil.Kind
	}{
		{"busy once", 1, postil.Busy("store", "Busy.", time.Second, nil), 2, -1},
		{"busy for longer", 9, postil.Busy("store", "Busy.", time.Second, nil), 2, postil.Unavailable},
		{"broken", 9, errors.New("broken"), 1, postil.Internal},
		{"missing", 9, postil.Missing(), 1, postil.NotFound},
	} {
		t.Run(row.name, func(t *testing.T) {
			var calls atomic.Int64
			c := newCache(t, func(context.Context, postil.View) (Fresh, error) {
				if calls.Add(1) <= row.fails {
					return Fresh{}, row.err
				}
				return Fresh{Body: []byte("x"), Version: 1}, nil
			}, Options{})
			if row.kind < 0 {
				wantBody(t, c, thread("/a"), 0, "x")
			} else {
				wantKind(t, c, thread("/a"), row.kind)
			}
			wantCount(t, "loads", calls.Load(), row.loads)
		})
	}
}

func TestAFailingStoreIsAskedTenTimesASecondForAView(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{failure: errors.New("disk gone")}
		c := newCache(t, s.load, Options{})
		for range 1000 {
			wantKind(t, c, thread("/a"), postil.Internal)
			time.Sleep(time.Millisecond)
		}
		if n := s.loads.Load(); n > 11 {
			t.Errorf("%d loads in a second", n)
		}
	})
}

func TestAPanickingLoaderIsAnError(t *testing.T) {
	t.Parallel()
	for name, loader := range map[string]Loader{
		"panic": func(context.Context, postil.View) (Fresh, error) { panic("a bug") },
		"nil pointer": func(context.Context, postil.View) (Fresh, error) {
			var e *Entry
			return Fresh{Version: e.Version()}, nil
		},
		"exit": func(context.Context, postil.View) (Fresh, error) { runtime.Goexit(); return Fresh{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, loader, Options{Loads: 1, Queue: 1, MinRefresh: -1})
			for range 5 { // neither slot nor flight is lost
				wantKind(t, c, thread("/a"), postil.Internal)
			}
		})
	}
}

func TestBeyondTheQueueReadersAreTurnedAwayAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		s.change("/old")
		c := newCache(t, s.load, Options{Loads: 2, Queue: 3})
		wantBody(t, c, thread("/old"), 0, "/old v1")
		hold := make(chan struct{})
		var inside, most atomic.Int64
		s.set(func(s *source) {
			s.during = func(postil.View) {
				most.Store(max(most.Load(), inside.Add(1)))
				<-hold
				inside.Add(-1)
			}
		})
		var readers sync.WaitGroup
		for _, post := range []postil.PostID{"/1", "/2", "/3", "/4", "/5"} {
			readers.Go(func() { wantBody(t, c, thread(post), 0, string(post)+" v0") })
		}
		synctest.Wait()
		_, err := c.Get(t.Context(), thread("/6"), 0)
		busy, ok := errors.AsType[*postil.Error](err)
		if !ok || busy.Kind != postil.Unavailable || busy.Slug != "overloaded" || busy.RetryAfter != time.Second {
			t.Errorf("error is %#v", err)
		}
		c.Invalidate(t.Context(), s.change("/old"))
		wantBody(t, c, thread("/old"), 0, "/old v1")
		wantCount(t, "refusals", c.Stats().Refused, 1)
		wantCount(t, "stale answers", c.Stats().Stale, 1)
		close(hold)
		readers.Wait()
		wantBody(t, c, thread("/old"), 0, "/old v2")
		wantCount(t, "loads at once", most.Load(), 2)
	})
}

func TestAReaderWhoLeavesTakesNobodyAlong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s := &source{during: func(postil.View) { <-hold }}
		s.change("/a")
		c := newCache(t, s.load, Options{})
		first, leave := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		readers.Go(func() {
			if _, err := c.Get(first, thread("/a"), 0); postil.KindOf(err) != postil.Unavailable || !errors.Is(err, context.Canceled) {
				t.Errorf("who left got %v", err)
			}
		})
		synctest.Wait()
		readers.Go(func() { wantBody(t, c, thread("/a"), 0, "/a v1") })
		synctest.Wait()
		leave()
		synctest.Wait()
		close(hold)
		readers.Wait()
		wantCount(t, "loads", s.loads.Load(), 1)
		wantCount(t, "coalesced", c.Stats().Coalesced, 1)
	})
}

func TestALoadThatHangsEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, func(ctx context.Context, _ postil.View) (Fresh, error) {
			<-ctx.Done()
			return Fresh{}, ctx.Err()
		}, Options{Loads: 1, Queue: 5, Timeout: time.Second})
		began := time.Now()
		var readers sync.WaitGroup
		for _, post := range []postil.PostID{"/1", "/2", "/3"} {
			readers.Go(func() { wantKind(t, c, thread(post), postil.Unavailable) })
		}
		readers.Wait()
		if d := time.Since(began); d != time.Second {
			t.Errorf("readers waited %v, those in the queue included", d)
		}
	})
}

func TestCloseEndsLoadsThatAreUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, func(ctx context.Context, _ postil.View) (Fresh, error) {
			<-ctx.Done()
			return Fresh{}, ctx.Err()
		}, Options{Timeout: time.Hour})
		var reader sync.WaitGroup
		reader.Go(func() { wantKind(t, c, thread("/a"), postil.Unavailable) })
		synctest.Wait()
		c.Close()
		reader.Wait()
	})
}
