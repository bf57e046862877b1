package queue

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// MOD-01: ten events wait, each takes longer than AckWait, and two nodes run.
// Signs of life keep each on one node, also while it waits behind another.
func TestMOD_01_LongWorkAndTwoNodesHandleEachEventOnce(t *testing.T) {
	t.Parallel()
	_, port := outside(t, t.TempDir(), 0)
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	var got seen
	slow := func(ctx context.Context, e postil.Event) error {
		_ = got.handle(ctx, e)
		rest(ctx, 3*time.Second)
		return nil
	}
	c := checks(slow)
	c.AckWait = 2 * time.Second
	nodes := []*Broker{newBroker(t, Config{URL: url}), newBroker(t, Config{URL: url})}
	for _, b := range nodes {
		task := b.Consume(c)
		start(t, b)
		run(t, task)
	}
	eventually(t, "the connection", func() bool { return nodes[0].Status() == nil && nodes[1].Status() == nil })
	for i := range 10 {
		publish(t, nodes[0], event(i+1, postil.CommentSubmitted, "p"))
	}
	eventually(t, "all are done", func() bool { return messages(t, nodes[0], "SUBMISSIONS") == 0 })
	if n := len(got.all()); n != 10 {
		t.Errorf("10 events were handled %d times", n)
	}
}

// MOD-01: three deliveries are three calls, and the handler's own idempotence
// decides what they do.
func TestMOD_01_ThreeDeliveriesAreCounted(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := checks(func(context.Context, postil.Event) error {
		if calls.Add(1) < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	c.Backoff = []time.Duration{time.Millisecond}
	task := b.Consume(c)
	start(t, b)
	run(t, task)
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	eventually(t, "the event is done", func() bool { return messages(t, b, "SUBMISSIONS") == 0 })
	if n := calls.Load(); n != 3 {
		t.Errorf("handled %d times", n)
	}
}

// MOD-02: with pauses configured, a handler slower than the first of them is
// not delivered again: pauses are no deadline.
func TestMOD_02_ASlowHandlerIsNotDeliveredAgain(t *testing.T) {
	t.Parallel()
	var mails atomic.Int32
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := Consumer{Name: "mail", Kinds: []postil.EventKind{postil.CommentDecided}, AckWait: 5 * time.Second,
		Backoff: []time.Duration{100 * time.Millisecond, 500 * time.Millisecond},
		Handle: func(ctx context.Context, _ postil.Event) error {
			mails.Add(1)
			rest(ctx, 1200*time.Millisecond)
			return nil
		}}
	for _, p := range c.withDefaults().parts() {
		if p.config.BackOff != nil || p.config.AckWait != c.AckWait {
			t.Errorf("the broker is told %v and %v", p.config.BackOff, p.config.AckWait)
		}
	}
	task := b.Consume(c)
	start(t, b)
	run(t, task)
	publish(t, b, event(1, postil.CommentDecided, "p"))
	eventually(t, "the mail is sent", func() bool { return messages(t, b, "DECISIONS") == 0 })
	if n := mails.Load(); n != 1 {
		t.Errorf("sent %d mails", n)
	}
}

func TestPausesGrowAndTheLastTryMakesADeadLetter(t *testing.T) {
	t.Parallel()
	var at []time.Time
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := checks(func(context.Context, postil.Event) error {
		at = append(at, time.Now())
		return errors.New("the check\r\nis broken")
	})
	c.Backoff, c.MaxTries = []time.Duration{50 * time.Millisecond, 200 * time.Millisecond}, 4
	task := b.Consume(c)
	start(t, b)
	run(t, task)
	want := event(1, postil.CommentSubmitted, "p")
	publish(t, b, want)
	eventually(t, "the event is given up", func() bool { return messages(t, b, deadStream) == 1 && messages(t, b, "SUBMISSIONS") == 0 })
	if len(at) != 4 {
		t.Fatalf("tried %d times", len(at))
	}
	for i, least := range []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond} {
		if pause := at[i+1].Sub(at[i]); pause < least-5*time.Millisecond {
			t.Errorf("pause %d was %v", i+1, pause)
		}
	}
	letters, err := b.DeadLetters(t.Context(), 10)
	if err != nil || len(letters) != 1 {
		t.Fatalf("%+v, %v", letters, err)
	}
	l := letters[0]
	if l.Event != want || l.Consumer != "checks" || l.Subject != "postil.comment.submitted.blog" || l.Tries != 4 || l.Reason != "the check is broken" {
		t.Errorf("%+v", l)
	}
}

func TestRubbishBecomesADeadLetterAtOnce(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	task := b.Consume(checks(got.handle))
	start(t, b)
	bad := []string{"", "no JSON", "{}", `{"id":"x"}`, `[]`, "\xff\xfe", `{"kind":7}`}
	for _, data := range bad {
		rubbish(t, b, "postil.comment.submitted.blog", data)
	}
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	run(t, task)
	eventually(t, "the good one is handled", func() bool { return len(got.all()) == 1 })
	eventually(t, "the bad ones are dead letters", func() bool { return messages(t, b, deadStream) == len(bad) && messages(t, b, "SUBMISSIONS") == 0 })
	letters, err := b.DeadLetters(t.Context(), 2)
	if err != nil || len(letters) != 2 || string(letters[0].Data) != bad[len(bad)-1] || letters[0].Event != (postil.Event{}) {
		t.Errorf("the latest dead letters: %+v, %v", letters, err)
	}
}

func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := checks(func(context.Context, postil.Event) error { panic("oh") })
	c.MaxTries = 1
	task := b.Consume(c)
	start(t, b)
	run(t, task)
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	eventually(t, "it is a dead letter", func() bool { return messages(t, b, deadStream) == 1 })
}

func TestOneConsumerMayReadSeveralStreamsAndSeveralMayReadOne(t *testing.T) {
	t.Parallel()
	var desk, mail seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	one := b.Consume(Consumer{Name: "desk", Kinds: []postil.EventKind{postil.ReviewRequested, postil.CommentDecided, postil.NoticeRaised}, Handle: desk.handle})
	two := b.Consume(Consumer{Name: "mail", Kinds: []postil.EventKind{postil.CommentDecided}, Handle: mail.handle})
	start(t, b)
	run(t, one)
	run(t, two)
	for i, k := range everything {
		publish(t, b, event(i+1, k, "p"))
	}
	eventually(t, "each has its events", func() bool { return len(desk.all()) == 3 && len(mail.all()) == 1 })
	for _, s := range streams {
		eventually(t, s.name+" forgets what is done", func() bool { return messages(t, b, s.name) == 0 })
	}
}

func TestADeclaredConsumerKeepsEventsForALaterRun(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	task := b.Consume(Consumer{Name: "desk", Kinds: []postil.EventKind{postil.ReviewRequested}, Handle: got.handle})
	start(t, b)
	publish(t, b, event(1, postil.ReviewRequested, "p"))
	run(t, task)
	eventually(t, "it is handled", func() bool { return len(got.all()) == 1 })
}

func TestWhatWaitsWhenARunEndsIsGivenBackAtOnce(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: t.TempDir()})
	var got seen
	entered := make(chan struct{}, 20)
	var blocking atomic.Bool
	blocking.Store(true)
	c := checks(func(ctx context.Context, e postil.Event) error {
		if !blocking.Load() {
			return got.handle(ctx, e)
		}
		entered <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	c.AckWait = time.Hour // waiting for it would fail the test
	task := b.Consume(c)
	start(t, b)
	for i := range 10 {
		publish(t, b, event(i+1, postil.CommentSubmitted, "p"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- task.Run(ctx) }()
	<-entered
	cancel()
	stopped := time.Now()
	if err := <-done; err != nil || time.Since(stopped) > 2*time.Second {
		t.Fatalf("stopped after %v with %v", time.Since(stopped), err)
	}
	blocking.Store(false)
	run(t, task)
	eventually(t, "the next run gets all of them", func() bool { return len(got.all()) == 10 })
}

// MOD-01: signs of life were lost, so the broker delivered again what is
// still in hand.
func TestMOD_01_ASecondDeliveryOfWhatIsInHandIsNotHandledAgain(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := checks(got.handle).withDefaults()
	c.AckWait = 100 * time.Millisecond
	b.Consume(c)
	start(t, b)
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	s, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := s.js.Consumer(t.Context(), "SUBMISSIONS", "checks")
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(b, c)
	for range 3 {
		msg, err := consumer.Next(jetstream.FetchMaxWait(5 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		d.room <- struct{}{}
		d.put(msg)
	}
	if len(d.piles[0]) != 1 || len(d.room) != 1 {
		t.Errorf("%d on the pile, %d on the desk", len(d.piles[0]), len(d.room))
	}
	close(d.piles[0])
	d.work(t.Context(), d.piles[0])
	eventually(t, "the event is done", func() bool { return messages(t, b, "SUBMISSIONS") == 0 })
	if n := len(got.all()); n != 1 {
		t.Errorf("handled %d times", n)
	}
}

func TestAnEventWithoutAnswerIsGivenUpBeforeItIsTriedForEver(t *testing.T) {
	t.Parallel()
	var got seen
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := checks(got.handle)
	c.MaxTries = 2
	task := b.Consume(c)
	start(t, b)
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	s, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := s.js.Consumer(t.Context(), "SUBMISSIONS", "checks")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a process that dies leaves no more than this behind
		msg, err := consumer.Next(jetstream.FetchMaxWait(5 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		_ = msg.Nak()
	}
	run(t, task)
	eventually(t, "it is a dead letter", func() bool { return messages(t, b, deadStream) == 1 })
	if n := len(got.all()); n != 0 {
		t.Errorf("it was handled %d times more", n)
	}
}

func TestTheConsumerOfAnEarlierVersionGivesWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := newBroker(t, Config{Dir: dir})
	old.Consume(Consumer{Name: "worker", Kinds: []postil.EventKind{postil.CommentSubmitted}, Handle: new(seen).handle})
	start(t, old)
	publish(t, old, event(1, postil.CommentSubmitted, "p"))
	old.Stop()
	var got seen
	b := newBroker(t, Config{Dir: dir})
	task := b.Consume(checks(got.handle))
	start(t, b)
	run(t, task)
	eventually(t, "its event is handled", func() bool { return len(got.all()) == 1 })
}

func TestMistakesInAConsumerAreToldByRun(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, postil.Event) error { return nil }
	submissions := []postil.EventKind{postil.CommentSubmitted}
	b := newBroker(t, Config{Dir: t.TempDir()})
	b.Consume(checks(ok))
	for name, task := range map[string]Task{
		"no name":            b.Consume(Consumer{Kinds: everything, Handle: ok}),
		"bad name":           b.Consume(Consumer{Name: "a.b", Kinds: everything, Handle: ok}),
		"no kinds":           b.Consume(Consumer{Name: "a", Handle: ok}),
		"unknown kind":       b.Consume(Consumer{Name: "a", Kinds: []postil.EventKind{"x"}, Handle: ok}),
		"no handler":         b.Consume(Consumer{Name: "a", Kinds: everything}),
		"same name":          b.Consume(Consumer{Name: "checks", Kinds: everything, Handle: ok}),
		"second of a queue":  b.Consume(Consumer{Name: "b", Kinds: submissions, Handle: ok}),
		"watch of a queue":   b.Watch(submissions, func(postil.Event) {}, func() {}),
		"watch of nothing":   b.Watch(nil, func(postil.Event) {}, func() {}),
		"watch of an unkind": b.Watch([]postil.EventKind{"x"}, func(postil.Event) {}, func() {}),
	} {
		if err := task.Run(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPausesAreTakenFromTheDeliveryCount(t *testing.T) {
	t.Parallel()
	c := Consumer{Backoff: []time.Duration{1, 2, 3}}
	var got []time.Duration
	for tries := range 6 {
		got = append(got, c.wait(tries))
	}
	if diff := cmp.Diff([]time.Duration{1, 1, 2, 3, 3, 3}, got); diff != "" {
		t.Error(diff)
	}
}
