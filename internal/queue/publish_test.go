package queue

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
)

// everything is all kinds of events but submissions.
var everything = []postil.EventKind{postil.ReviewRequested, postil.CommentDecided, postil.CommentUpdated, postil.ThreadUpdated, postil.SiteUpdated, postil.NoticeRaised}

// checks declares a consumer of submissions that does what handle says.
func checks(handle func(context.Context, postil.Event) error) Consumer {
	return Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted}, Handle: handle}
}

func TestEveryKindOfEventHasAStream(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../postil/event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || fmt.Sprint(spec.Type) != "EventKind" {
			return true
		}
		for _, v := range spec.Values {
			found++
			if kind := strings.Trim(v.(*ast.BasicLit).Value, `"`); streamOf(postil.EventKind(kind)) == nil {
				t.Errorf("no stream takes %q", kind)
			}
		}
		return true
	})
	if found < 6 {
		t.Errorf("found %d kinds only", found)
	}
}

func TestEventsAreHandledInOrderPerThread(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := checks(got.handle)
	c.Parallel = 4
	task := b.Consume(c)
	start(t, b)
	run(t, task)
	var events []postil.Event
	for i := range 500 {
		events = append(events, event(i+1, postil.CommentSubmitted, fmt.Sprint("post", i%7)))
	}
	publish(t, b, events...)
	eventually(t, "all are handled", func() bool { return len(got.all()) == len(events) })
	last := map[postil.PostID]postil.EventID{}
	for _, e := range got.all() {
		if e.ID < last[e.Post] {
			t.Fatalf("event %d of %s came after %d", e.ID, e.Post, last[e.Post])
		}
		last[e.Post] = e.ID
	}
	eventually(t, "the stream is empty", func() bool { return messages(t, b, "SUBMISSIONS") == 0 })
}

func TestAnEventThatIsPublishedAgainIsHandledOnce(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir(), InstallID: "here"})
	task := b.Consume(checks(got.handle))
	start(t, b)
	run(t, task)
	for range 3 {
		publish(t, b, event(1, postil.CommentSubmitted, "p"), event(2, postil.CommentSubmitted, "p"))
	}
	publish(t, b, event(3, postil.CommentSubmitted, "p"))
	eventually(t, "the last is handled", func() bool { ids := got.ids(); return len(ids) > 0 && ids[len(ids)-1] == 3 })
	if diff := cmp.Diff([]int{1, 2, 3}, got.ids()); diff != "" {
		t.Error(diff)
	}
}

func TestTwoInstallationsAtOneBrokerDoNotSwallowEachOthersEvents(t *testing.T) {
	t.Parallel()
	_, port := outside(t, t.TempDir(), 0)
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	var got seen
	one, two := newBroker(t, Config{URL: url, InstallID: "one"}), newBroker(t, Config{URL: url, InstallID: "two"})
	task := one.Consume(checks(got.handle))
	start(t, one)
	start(t, two)
	run(t, task)
	for _, b := range []*Broker{one, two} {
		eventually(t, "the connection", func() bool { return b.Status() == nil })
		publish(t, b, event(1, postil.CommentSubmitted, "p"))
	}
	eventually(t, "both events are handled", func() bool { return len(got.all()) == 2 })
}

// UNI-04: the event goes through the broker byte for byte.
func TestUNI_04_AnEventComesBackByteForByte(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	task := b.Consume(checks(got.handle))
	start(t, b)
	run(t, task)
	posts := []string{"ok 🐘 after", "朵朵🌸", "🇫🇷 👨‍👩‍👧‍👦", "/a/<b>&\"'\\é?x=1#z", "line\nbreak\u2028\u2029\u0000", "e\u0301 \ufeff"}
	var want []postil.Event
	for i, p := range posts {
		e := event(i+1, postil.CommentSubmitted, p)
		e.From, e.To, e.Version, e.Decision = postil.Pending, postil.Approved, 1<<62, 9
		want = append(want, e)
	}
	publish(t, b, want...)
	eventually(t, "all are handled", func() bool { return len(got.all()) == len(want) })
	if diff := cmp.Diff(want, got.all()); diff != "" {
		t.Error(diff)
	}
}

func TestEncodingAnyEventLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := postil.Event{
			ID: postil.EventID(rapid.Int64().Draw(t, "id")), Kind: rapid.SampledFrom(everything).Draw(t, "kind"),
			Site: postil.SiteID(rapid.StringMatching(`[a-z0-9_-]{1,9}`).Draw(t, "site")), Post: postil.PostID(rapid.String().Draw(t, "post")),
			Comment: postil.CommentID(rapid.Int64().Draw(t, "comment")), Version: rapid.Int64().Draw(t, "version"),
			At: time.Unix(0, rapid.Int64Range(0, 1<<62).Draw(t, "at")).UTC(),
		}
		data, err := encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(data)
		if err != nil || got != want {
			t.Fatalf("%+v became %+v: %v", want, got, err)
		}
	})
}

func TestEventsWithoutASiteAreCarriedToo(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	task := b.Consume(Consumer{Name: "notes", Kinds: []postil.EventKind{postil.NoticeRaised}, Handle: got.handle})
	start(t, b)
	run(t, task)
	for i, site := range []postil.SiteID{"", "a.b", "*", ">", "with space", "_", "blog"} {
		e := event(i+1, postil.NoticeRaised, "")
		e.Site = site
		publish(t, b, e)
	}
	eventually(t, "all are handled", func() bool { return len(got.all()) == 7 })
}

func TestAnEventThatNoStreamTakesDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: t.TempDir()})
	start(t, b)
	publish(t, b, event(1, "comment.invented", "p"), event(2, postil.CommentSubmitted, "p"))
	letters, err := b.DeadLetters(t.Context(), 10)
	if err != nil || len(letters) != 1 || letters[0].Event.ID != 1 || letters[0].Consumer != "publish" {
		t.Errorf("dead letters %+v: %v", letters, err)
	}
}

func TestBatchesLargerThanTheWindowArePublishedWhole(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: t.TempDir()})
	start(t, b)
	var events []postil.Event
	for i := range 5 * window {
		events = append(events, event(i+1, postil.CommentSubmitted, fmt.Sprint(i)))
	}
	publish(t, b, events...)
	if n := messages(t, b, "SUBMISSIONS"); n != len(events) {
		t.Errorf("the stream has %d of %d", n, len(events))
	}
}

// MOD-04, the part of the queue: a full stream refuses, says how far it got,
// and takes the rest once there is room.
func TestMOD_04_AFullStreamRefusesAndRecovers(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir(), MaxStoreBytes: 64 << 10})
	task := b.Consume(checks(got.handle))
	start(t, b)
	var events []postil.Event
	for i := range 200 {
		events = append(events, event(i+1, postil.CommentSubmitted, fmt.Sprint("p", i%3)))
	}
	done, err := b.Publish(t.Context(), events)
	if postil.KindOf(err) != postil.Unavailable || done == 0 || done == len(events) {
		t.Fatalf("published %d: %v", done, err)
	}
	if n, err := b.Publish(t.Context(), events[done:]); n != 0 || err == nil {
		t.Fatalf("a full stream took %d: %v", n, err)
	}
	if b.Status() != nil {
		t.Error("a full stream is not a lost broker")
	}
	publish(t, b, event(1000, postil.NoticeRaised, "p")) // other streams go on
	run(t, task)
	eventually(t, "the rest is taken", func() bool {
		n, _ := b.Publish(t.Context(), events[done:])
		done += n
		return done == len(events)
	})
	eventually(t, "all are handled", func() bool { return len(got.all()) == len(events) })
	last := map[postil.PostID]postil.EventID{}
	for _, e := range got.all() {
		if e.ID < last[e.Post] {
			t.Fatalf("event %d overtook %d in %s", last[e.Post], e.ID, e.Post)
		}
		last[e.Post] = e.ID
	}
}

func TestPublishingStopsAtItsDeadline(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: t.TempDir()})
	start(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := b.Publish(ctx, []postil.Event{event(1, postil.CommentSubmitted, "p")}); n > 1 || (n == 0) != (err != nil) {
		t.Errorf("published %d: %v", n, err)
	}
}

func TestAStreamThatSomebodyDeletedIsMadeAgain(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	task := b.Consume(checks(got.handle))
	start(t, b)
	run(t, task)
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	eventually(t, "the first is handled", func() bool { return len(got.all()) == 1 })
	s, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.js.DeleteStream(t.Context(), "SUBMISSIONS"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second is published", func() bool {
		n, _ := b.Publish(t.Context(), []postil.Event{event(2, postil.CommentSubmitted, "p")})
		return n == 1
	})
	eventually(t, "the second is handled", func() bool { return len(got.all()) == 2 })
}

// rubbish puts a message into a stream that is no event.
func rubbish(t *testing.T, b *Broker, subject string, data string) {
	t.Helper()
	s, err := b.await(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.js.PublishMsg(t.Context(), &nats.Msg{Subject: subject, Data: []byte(data)}); err != nil {
		t.Fatal(err)
	}
}
