package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/postil/postil/internal/postil"
)

func TestASecondReaderCostsNoLoad(t *testing.T) {
	t.Parallel()
	s := &source{}
	s.change("/a")
	c := newCache(t, s.load, Options{})
	wantBody(t, c, thread("/a"), 0, "/a v1")
	wantBody(t, c, thread("/a"), 1, "/a v1")
	wantCount(t, "loads", s.loads.Load(), 1)
	have := c.Stats()
	if have.Bytes == 0 {
		t.Error("the entry weighs nothing")
	}
	have.Bytes = 0
	if want := (Stats{Hits: 1, Misses: 1, Loads: 1, ThreadLoads: 1}); have != want {
		t.Errorf("stats are %+v, want %+v", have, want)
	}
}

func TestAThousandReadersCostOneLoadAChange(t *testing.T) {
	t.Parallel()
	s := &source{}
	c := newCache(t, s.load, Options{})
	const changes = 5
	for i := range int64(changes) {
		c.Invalidate(t.Context(), s.change("/a"))
		want := fmt.Sprintf("/a v%d", i+1)
		var readers sync.WaitGroup
		for range 1000 {
			readers.Go(func() { wantBody(t, c, thread("/a"), 0, want) })
		}
		readers.Wait()
	}
	wantCount(t, "loads", s.loads.Load(), changes)
}

func TestWhoLookedBeforeALoadLandedTakesItsAnswer(t *testing.T) {
	t.Parallel()
	s := &source{}
	s.change("/a")
	c := newCache(t, s.load, Options{})
	get(t, c, thread("/a"), 0)
	// This reader found nothing, and was held up until the load had landed.
	e, err := c.wait(t.Context(), thread("/a"), nil, 0)
	if err != nil || e.Version() != 1 {
		t.Errorf("the answer is %v, %v", e, err)
	}
	wantCount(t, "loads", s.loads.Load(), 1)
}

// A load that read before a change must not land after it, whatever the order
// of steps. Loads give way between reading and landing, so that changes fall
// into them.
func TestCACHE_08_AnOldValueNeverReturnsAfterAChange(t *testing.T) {
	t.Parallel()
	s := &source{during: func(postil.View) {
		for range rand.IntN(20) {
			runtime.Gosched()
		}
	}}
	c := newCache(t, s.load, unpaced)
	for round := range 1000 {
		post := postil.PostID(fmt.Sprint("/", round))
		views := []postil.View{thread(post), thread(post)}
		views[1].Sort = postil.Newest
		var announced atomic.Int64
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() { readAlong(t, c, views[i%2], &announced) })
		}
		all.Go(func() {
			for _, ev := range []postil.Event{
				{Kind: postil.CommentUpdated},                                            // the text is edited
				{Kind: postil.CommentUpdated},                                            // a user becomes the author
				{Kind: postil.CommentDecided, From: postil.Approved, To: postil.Deleted}, // a reply is deleted
			} {
				ev.Site, ev.Post, ev.Version = "blog", post, s.change(post).Version
				c.Invalidate(t.Context(), ev)
				announced.Store(ev.Version)
			}
		})
		all.Wait()
		for _, v := range views {
			wantBody(t, c, v, 0, string(post)+" v3")
			wantBody(t, c, v, 0, string(post)+" v3")
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

// readAlong reads and checks that no answer is older than what had been
// announced before it was asked for, nor than the answer before.
func readAlong(t *testing.T, c *Cache, v postil.View, announced *atomic.Int64) {
	var last int64
	for range 6 {
		floor := announced.Load()
		e, err := c.Get(t.Context(), v, 0)
		switch {
		case err != nil:
			t.Error(err)
			return
		case e.Version() < floor:
			t.Errorf("version %d answered after %d was announced", e.Version(), floor)
		case e.Version() < last:
			t.Errorf("version %d answered after %d", e.Version(), last)
		}
		last = e.Version()
	}
}

func TestCACHE_08_AChangeDuringALoadIsReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, hold := &source{}, make(chan struct{})
		s.change("/a")
		s.set(func(s *source) { s.during = func(postil.View) { <-hold } })
		c := newCache(t, s.load, Options{})
		var early, late string
		var readers sync.WaitGroup
		readers.Go(func() { early = get(t, c, thread("/a"), 0) })
		synctest.Wait()
		c.Invalidate(t.Context(), s.change("/a"))
		readers.Go(func() { late = get(t, c, thread("/a"), 0) })
		synctest.Wait()
		close(hold)
		readers.Wait()
		if early != "/a v1" || late != "/a v2" {
			t.Errorf("who came before the change got %q, who came after it %q", early, late)
		}
		wantBody(t, c, thread("/a"), 0, "/a v2")
		wantCount(t, "loads", s.loads.Load(), 2)
	})
}

func TestAChangeInvalidatesEveryViewThatShowsThePost(t *testing.T) {
	t.Parallel()
	a := thread("/a")
	newest, page, focus, long := a, a, a, a
	newest.Sort, page.Cursor, focus.Focus, long.Limit = postil.Newest, "next", 7, 200
	counts := postil.View{Kind: postil.CountsView, Site: "blog", Posts: "/0\n/a\n/z"}
	recent := postil.View{Kind: postil.RecentView, Site: "blog", Limit: 10}
	others := []postil.View{thread("/b"), {Kind: postil.ThreadView, Site: "other", Post: "/a"},
		{Kind: postil.CountsView, Site: "blog", Posts: "/b\n/c"}, {Kind: postil.RecentView, Site: "other", Limit: 10}}
	for _, row := range []struct {
		name    string
		act     func(*Cache)
		touched []postil.View
		spared  []postil.View
	}{
		{"event", func(c *Cache) {
			c.Invalidate(t.Context(), postil.Event{Kind: postil.CommentDecided, Site: "blog", Post: "/a", Version: 2})
		}, []postil.View{a, newest, page, focus, long, counts, recent}, others},
		{"drop of the post", func(c *Cache) { c.Drop("blog", "/a") }, []postil.View{a, newest, page, focus, long, counts, recent}, others},
		{"drop of the site", func(c *Cache) { c.Drop("blog", "") },
			[]postil.View{a, page, counts, recent, others[0], others[2]}, []postil.View{others[1], others[3]}},
		{"gap", (*Cache).DropAll, append([]postil.View{a, newest, page, focus, long, counts, recent}, others...), nil},
		{"reaction", func(c *Cache) {
			c.Invalidate(t.Context(), postil.Event{Kind: postil.CommentReacted, Site: "blog", Post: "/a", Version: 2})
		}, []postil.View{a, newest, page, focus, long}, append([]postil.View{recent}, others...)},
		{"event that readers cannot see", func(c *Cache) {
			c.Invalidate(t.Context(), postil.Event{Kind: postil.CommentSubmitted, Site: "blog", Post: "/a"})
		}, nil, append([]postil.View{a, counts, recent}, others...)},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := newCache(t, func(context.Context, postil.View) (Fresh, error) { return Fresh{Body: []byte("x"), Version: 1}, nil }, unpaced)
			for _, v := range append(append([]postil.View{}, row.touched...), row.spared...) {
				get(t, c, v, 0)
			}
			row.act(c)
			for _, v := range row.touched {
				before := c.Stats().Loads
				get(t, c, v, 0)
				wantCount(t, fmt.Sprintf("loads of %v", v), c.Stats().Loads-before, 1)
			}
			before := c.Stats().Loads
			for _, v := range row.spared {
				get(t, c, v, 0)
			}
			wantCount(t, "loads of what has not changed", c.Stats().Loads-before, 0)
		})
	}
}

func TestAVersionBypassesWhatIsOlder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		s.change("/a")
		c := newCache(t, s.load, unpaced)
		wantBody(t, c, thread("/a"), 0, "/a v1")
		s.change("/a") // the event is still under way
		wantBody(t, c, thread("/a"), 0, "/a v1")
		wantBody(t, c, thread("/a"), 2, "/a v2")
		wantBody(t, c, thread("/a"), 0, "/a v2")
		wantCount(t, "loads", s.loads.Load(), 2)
	})
}

func TestAVersionAboveTheNewestCostsOneLoadASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{during: func(postil.View) { time.Sleep(time.Millisecond) }}
		s.change("/a")
		c := newCache(t, s.load, Options{})
		for range 3 {
			var readers sync.WaitGroup
			for i := range 100 {
				readers.Go(func() { wantBody(t, c, thread("/a"), int64(1000-i), "/a v1") })
			}
			readers.Wait()
			time.Sleep(400 * time.Millisecond)
		}
		// At most: the one that the burst joins, another for who came with a
		// higher number, and one more when the second is over.
		if n := s.loads.Load(); n > 3 {
			t.Errorf("%d loads in 1.2 s", n)
		}
		c.Invalidate(t.Context(), s.change("/a"))
		wantBody(t, c, thread("/a"), 1000, "/a v2")
	})
}

func TestAnEntryPastItsFreshnessIsAnsweredAndRenewedBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		s.change("/a")
		c := newCache(t, s.load, Options{Fresh: time.Second, Retain: time.Minute})
		wantBody(t, c, thread("/a"), 0, "/a v1")
		s.change("/a") // and its event is lost
		time.Sleep(999 * time.Millisecond)
		wantBody(t, c, thread("/a"), 0, "/a v1")
		wantCount(t, "loads while fresh", s.loads.Load(), 1)
		time.Sleep(time.Millisecond)
		s.set(func(s *source) { s.during = func(postil.View) { time.Sleep(time.Second / 2) } })
		began := time.Now()
		for range 50 {
			wantBody(t, c, thread("/a"), 0, "/a v1")
		}
		if time.Since(began) != 0 {
			t.Error("a reader waited for the renewal")
		}
		time.Sleep(time.Second / 2)
		synctest.Wait()
		wantBody(t, c, thread("/a"), 0, "/a v2")
		wantCount(t, "loads", s.loads.Load(), 2)
		wantCount(t, "stale answers", c.Stats().Stale, 50)
	})
}

func TestRefreshesOfOneThreadAreTenASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		c := newCache(t, func(ctx context.Context, v postil.View) (Fresh, error) {
			time.Sleep(5 * time.Millisecond)
			return s.load(ctx, v)
		}, Options{})
		c.Invalidate(t.Context(), s.change("/a"))
		wantBody(t, c, thread("/a"), 0, "/a v1")
		for i := range 10_000 { // ten seconds, a change and a reader each millisecond
			time.Sleep(time.Millisecond)
			ev := s.change("/a")
			c.Invalidate(t.Context(), ev)
			before := time.Now()
			e, err := c.Get(t.Context(), thread("/a"), 0)
			if i > 600 && time.Since(before) != 0 {
				t.Fatalf("change %d: a reader waited for the load", i)
			}
			if err != nil || ev.Version-e.Version() > 205 {
				t.Fatalf("change %d: answer of version %d after %d, %v", i, e.Version(), ev.Version, err)
			}
		}
		if n := s.loads.Load(); n > 100+burst+1 {
			t.Errorf("%d loads in ten seconds", n)
		}
		began := time.Now()
		wantBody(t, c, thread("/a"), 10_001, "/a v10001")
		if d := time.Since(began); d > 100*time.Millisecond {
			t.Errorf("who asked for a version waited %v", d)
		}
		time.Sleep(time.Second)
		for i := range burst { // after a pause every change is seen at once
			c.Invalidate(t.Context(), s.change("/a"))
			wantBody(t, c, thread("/a"), 0, fmt.Sprintf("/a v%d", 10_002+i))
		}
	})
}

func TestAPlaceholderIsShortLivedAndNeverHidesAThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		c := newCache(t, s.load, Options{Placeholder: 2 * time.Second})
		for range 100 {
			wantBody(t, c, thread("/new"), 0, "/new v0")
		}
		wantCount(t, "loads of what is missing", s.loads.Load(), 1)
		wantCount(t, "placeholders", c.Stats().Placeholders, 1)
		time.Sleep(2 * time.Second)
		get(t, c, thread("/new"), 0)
		wantCount(t, "loads after the placeholder's time", s.loads.Load(), 2)

		ev := s.change("/new")
		s.set(func(s *source) { s.failure = errors.New("disk gone") })
		c.Invalidate(t.Context(), ev)
		wantKind(t, c, thread("/new"), postil.Internal)
		time.Sleep(time.Second)
		s.set(func(s *source) { s.failure = nil })
		wantBody(t, c, thread("/new"), 0, "/new v1")
	})
}

func TestAPlaceholderIsNotAnsweredInPlaceOfTheFirstComment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		c := newCache(t, s.load, Options{})
		for range 20 { // more often than the view may be refreshed
			wantBody(t, c, thread("/new"), 0, "/new v0")
			c.Drop("blog", "/new")
		}
		c.Invalidate(t.Context(), s.change("/new"))
		wantBody(t, c, thread("/new"), 0, "/new v1")
	})
}

func TestAPostMadeAnewReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	s := &source{}
	for range 9 {
		s.change("/a")
	}
	c := newCache(t, s.load, unpaced)
	wantBody(t, c, thread("/a"), 0, "/a v9")
	s.set(func(s *source) { s.versions["/a"] = 1 })
	c.Drop("blog", "/a")
	wantBody(t, c, thread("/a"), 0, "/a v1")
}

func TestALowerVersionWithoutAChangeReplacesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		for range 9 {
			s.change("/a")
		}
		c := newCache(t, s.load, Options{Fresh: time.Second})
		wantBody(t, c, thread("/a"), 0, "/a v9")
		s.set(func(s *source) { s.versions["/a"] = 8 })
		time.Sleep(time.Second)
		wantBody(t, c, thread("/a"), 0, "/a v9")
		synctest.Wait()
		wantBody(t, c, thread("/a"), 0, "/a v9")
		wantCount(t, "loads", s.loads.Load(), 2)
	})
}

func TestACrawlerCannotPushOutAHotThread(t *testing.T) {
	t.Parallel()
	var hot atomic.Int64
	body := []byte(strings.Repeat("x", 2000))
	c := newCache(t, func(_ context.Context, v postil.View) (Fresh, error) {
		if v.Post == "/hot" {
			hot.Add(1)
		}
		return Fresh{Body: body, Version: 1}, nil
	}, Options{Bytes: 1 << 20})
	for range 100 {
		get(t, c, thread("/hot"), 0)
	}
	for i := range 10_000 {
		get(t, c, thread(postil.PostID(fmt.Sprint("/cold/", i))), 0)
		for range 3 {
			get(t, c, thread("/hot"), 0)
		}
	}
	if n := hot.Load(); n > 10 { // 30,100 reads: a ratio of 0.9996
		t.Errorf("the hot thread was loaded %d times", n)
	}
	if n := c.Stats().Bytes; n > 1<<20 {
		t.Errorf("%d bytes are kept of a budget of %d", n, 1<<20)
	}
}

func TestAStormOfDistinctViewsStaysWithinTheBudget(t *testing.T) {
	t.Parallel()
	body := []byte(strings.Repeat("x", 20_000))
	c := newCache(t, func(context.Context, postil.View) (Fresh, error) { return Fresh{Body: body, Version: 1}, nil }, Options{Bytes: 2 << 20})
	for i := range 3000 {
		v := thread("/a")
		v.Limit, v.Sort = i%200, postil.Sort(fmt.Sprint(i))
		get(t, c, v, 0)
	}
	if n := c.Stats().Bytes; n == 0 || n > 2<<20 {
		t.Errorf("%d bytes are kept of a budget of %d", n, 2<<20)
	}
}

func TestAfterCloseWhatIsThereIsStillAnswered(t *testing.T) {
	t.Parallel()
	s := &source{}
	s.change("/a")
	c := newCache(t, s.load, unpaced)
	wantBody(t, c, thread("/a"), 0, "/a v1")
	c.Close()
	wantBody(t, c, thread("/a"), 0, "/a v1")
	wantKind(t, c, thread("/b"), postil.Unavailable)
}
