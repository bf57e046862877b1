package live

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/postil"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHub(o Options) *Hub { return New(slog.New(slog.DiscardHandler), o) }

func subscribe(t testing.TB, h *Hub, actor string, posts ...postil.PostID) *Subscription {
	t.Helper()
	s, err := h.Subscribe("blog", posts, actor)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func approved(post postil.PostID, version int64) postil.Notice {
	return postil.Notice{Change: "comment.approved", Post: post, Version: version, Comment: 1}
}

// taken returns what a stream holds now, and whether it is closed.
func taken(s *Subscription) (list []postil.Notice, closed bool) {
	for {
		select {
		case n, open := <-s.C():
			if !open {
				return list, true
			}
			list = append(list, n)
		default:
			return list, false
		}
	}
}

func wantTaken(t *testing.T, s *Subscription, wantClosed bool, want ...postil.Notice) {
	t.Helper()
	have, closed := taken(s)
	if !slices.Equal(have, want) || closed != wantClosed {
		t.Errorf("the stream holds %v (closed: %v), want %v (%v)", have, closed, want, wantClosed)
	}
}

func TestANoticeReachesTheStreamsOfItsPostAlone(t *testing.T) {
	t.Parallel()
	h := newHub(Options{})
	a, both, b := subscribe(t, h, "x", "/a"), subscribe(t, h, "x", "/a", "/b", "/a"), subscribe(t, h, "y", "/b")
	other, err := h.Subscribe("other", []postil.PostID{"/a"}, "x")
	if err != nil {
		t.Fatal(err)
	}
	h.Publish("blog", approved("/a", 1))
	h.Publish("blog", approved("/b", 2))
	h.Publish("blog", approved("/c", 3))
	wantTaken(t, a, false, approved("/a", 1))
	wantTaken(t, both, false, approved("/a", 1), approved("/b", 2))
	wantTaken(t, b, false, approved("/b", 2))
	wantTaken(t, other, false)
}

func TestASlowReaderIsDroppedAndNobodyElse(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Buffer: 2, PerActor: 2})
	slow, quick := subscribe(t, h, "x", "/a", "/b"), subscribe(t, h, "x", "/a")
	for i := range int64(5) {
		h.Publish("blog", approved("/a", i))
		wantTaken(t, quick, false, approved("/a", i))
	}
	wantTaken(t, slow, true, approved("/a", 0), approved("/a", 1))
	if n := h.Count(); n != 1 {
		t.Errorf("%d streams are counted", n)
	}
	slow.Close()
	subscribe(t, h, "x", "/a") // its place is free again
	h.Publish("blog", approved("/b", 9))
}

func TestAStreamTooManyIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	h := newHub(Options{PerActor: 2, Max: 3})
	first := subscribe(t, h, "x", "/a")
	subscribe(t, h, "x", "/a")
	_, err := h.Subscribe("blog", []postil.PostID{"/a"}, "x")
	wantRefusal(t, err, postil.Throttled)
	subscribe(t, h, "y", "/a")
	_, err = h.Subscribe("blog", []postil.PostID{"/a"}, "z")
	wantRefusal(t, err, postil.Unavailable)
	first.Close()
	first.Close()
	subscribe(t, h, "x", "/a")
	_, err = h.Subscribe("blog", nil, "x")
	if postil.KindOf(err) != postil.Invalid {
		t.Errorf("a stream of nothing gives %v", err)
	}
}

func wantRefusal(t *testing.T, err error, want postil.Kind) {
	t.Helper()
	if e, ok := err.(*postil.Error); !ok || e.Kind != want || e.RetryAfter == 0 || e.Sentence == "" {
		t.Errorf("error is %#v, want one of kind %d", err, want)
	}
}

func TestWithoutBoundsAnActorMayHaveManyStreams(t *testing.T) {
	t.Parallel()
	h := newHub(Options{})
	for range 1000 {
		subscribe(t, h, "x", "/a")
	}
	if n := h.Count(); n != 1000 {
		t.Errorf("%d streams are counted", n)
	}
}

func TestShutdownClosesEveryStream(t *testing.T) {
	t.Parallel()
	h := newHub(Options{})
	a, b := subscribe(t, h, "x", "/a", "/b"), subscribe(t, h, "y", "/b")
	h.Publish("blog", approved("/a", 1))
	h.Shutdown()
	h.Shutdown()
	wantTaken(t, a, true, approved("/a", 1))
	wantTaken(t, b, true)
	_, err := h.Subscribe("blog", []postil.PostID{"/a"}, "x")
	wantRefusal(t, err, postil.Unavailable)
	a.Close()
	h.Publish("blog", approved("/a", 2))
	if len(h.topics)+len(h.actors)+h.Count() != 0 {
		t.Errorf("left behind: %d topics, %d actors, %d streams", len(h.topics), len(h.actors), h.Count())
	}
}

func TestLOAD_05_FiveHundredStreamsEndAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub(Options{})
		var readers sync.WaitGroup
		for i := range 500 {
			s := subscribe(t, h, fmt.Sprint(i), "/a")
			readers.Go(func() {
				defer s.Close()
				for range s.C() {
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		h.Shutdown()
		readers.Wait()
		if d := time.Since(began); d != 0 {
			t.Errorf("it took %v", d)
		}
	})
}

func TestReadersComeAndGoWhileNoticesAreHandedOut(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Buffer: 1, PerActor: 3})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				s, err := h.Subscribe("blog", []postil.PostID{"/a", "/b"}, fmt.Sprint(i%2))
				if err != nil {
					continue
				}
				taken(s)
				s.Close()
			}
		})
		all.Go(func() {
			for j := range int64(200) {
				h.Publish("blog", approved("/a", j))
				if j%50 == 0 {
					h.Reload()
				}
			}
		})
	}
	all.Wait()
	if len(h.topics)+len(h.actors)+h.Count() != 0 {
		t.Errorf("left behind: %d topics, %d actors, %d streams", len(h.topics), len(h.actors), h.Count())
	}
}

func TestAChangeReachesTenThousandReaders(t *testing.T) {
	h := newHub(Options{})
	var ready, told sync.WaitGroup
	for i := range 10_000 {
		s := subscribe(t, h, fmt.Sprint(i%1000), "/a")
		ready.Add(1)
		told.Go(func() {
			defer s.Close()
			ready.Done()
			<-s.C()
		})
	}
	ready.Wait()
	h.Publish("blog", approved("/a", 1))
	told.Wait() // for ever, if one of them is forgotten
}

// journal is a cache that notes what it is told, and what the readers knew then.
type journal struct {
	reader *Subscription
	notes  []string
}

func (j *journal) note(what string) {
	j.notes = append(j.notes, fmt.Sprintf("%s, reader told: %d", what, len(j.reader.C())))
}
func (j *journal) Invalidate(_ context.Context, ev postil.Event) { j.note(string(ev.Kind)) }
func (j *journal) DropAll()                                      { j.note("gap") }

func TestTheCacheIsRefreshedBeforeReadersAreTold(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		ev   postil.Event
		want []postil.Notice
	}{
		{"approved", postil.Event{ID: 5, Kind: postil.CommentDecided, From: postil.Pending, To: postil.Approved, Version: 2, Comment: 7},
			[]postil.Notice{{Change: "comment.approved", Event: 5, Post: "/a", Version: 2, Comment: 7}}},
		{"removed", postil.Event{ID: 6, Kind: postil.CommentDecided, From: postil.Approved, To: postil.Spam, Version: 3, Comment: 7},
			[]postil.Notice{{Change: "comment.removed", Event: 6, Post: "/a", Version: 3, Comment: 7}}},
		{"updated", postil.Event{ID: 7, Kind: postil.CommentUpdated, Version: 4, Comment: 7},
			[]postil.Notice{{Change: "comment.updated", Event: 7, Post: "/a", Version: 4, Comment: 7}}},
		{"thread", postil.Event{ID: 8, Kind: postil.ThreadUpdated, Version: 5, Comment: 7},
			[]postil.Notice{{Change: "thread.updated", Event: 8, Post: "/a", Version: 5}}},
		{"not public", postil.Event{ID: 9, Kind: postil.CommentSubmitted, Comment: 7}, nil},
		{"rejected", postil.Event{ID: 9, Kind: postil.CommentDecided, From: postil.Pending, To: postil.Rejected, Comment: 7}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := newHub(Options{})
			j := &journal{reader: subscribe(t, h, "x", "/a")}
			row.ev.Site, row.ev.Post = "blog", "/a"
			NewFollower(j, h).Handle(t.Context(), row.ev)
			if want := []string{string(row.ev.Kind) + ", reader told: 0"}; !slices.Equal(j.notes, want) {
				t.Errorf("the cache noted %q, want %q", j.notes, want)
			}
			wantTaken(t, j.reader, false, row.want...)
		})
	}
}

func TestAfterAGapEveryPageIsToldToReload(t *testing.T) {
	t.Parallel()
	h := newHub(Options{})
	j := &journal{reader: subscribe(t, h, "x", "/a", "/b")}
	other := subscribe(t, h, "x", "/c")
	NewFollower(j, h).OnGap()
	if want := []string{"gap, reader told: 0"}; !slices.Equal(j.notes, want) {
		t.Errorf("the cache noted %q, want %q", j.notes, want)
	}
	have, _ := taken(j.reader)
	slices.SortFunc(have, func(a, b postil.Notice) int { return int(a.Post[1]) - int(b.Post[1]) })
	if want := []postil.Notice{{Change: "thread.updated", Post: "/a"}, {Change: "thread.updated", Post: "/b"}}; !slices.Equal(have, want) {
		t.Errorf("the page was told %v", have)
	}
	wantTaken(t, other, false, postil.Notice{Change: "thread.updated", Post: "/c"})
}

// One change for 10,000 readers, until the last has it.
func BenchmarkPublishToTenThousand(b *testing.B) {
	h := newHub(Options{})
	var told, gone sync.WaitGroup
	for i := range 10_000 {
		s := subscribe(b, h, fmt.Sprint(i), "/a")
		gone.Go(func() {
			for range s.C() {
				told.Done()
			}
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		told.Add(10_000)
		h.Publish("blog", approved("/a", 1))
		told.Wait()
	}
	h.Shutdown()
	gone.Wait()
}

// What a stream costs the hub, opened and closed.
func BenchmarkSubscribe(b *testing.B) {
	h := newHub(Options{})
	posts := []postil.PostID{"/a"}
	b.ReportAllocs()
	for b.Loop() {
		s, _ := h.Subscribe("blog", posts, "x")
		s.Close()
	}
}
