package limit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/ulule/limiter/v3"

	"github.com/postil/postil/internal/postil"
)

// Counters are numbers that all nodes count together.
type Counters interface {
	// Add adds to a number, which begins at 0, and returns the sum.
	Add(ctx context.Context, name string, delta int64, keep time.Duration) (int64, error)
	// Value returns a number; it may be a moment old.
	Value(ctx context.Context, name string, keep time.Duration) (int64, error)
	// Agree says value under a name unless stay wants what was said before to
	// stay, and returns what is said then. A nil value says nothing.
	Agree(ctx context.Context, name string, value []byte, keep time.Duration, stay func(said []byte) bool) ([]byte, error)
}

// Shared counts for several nodes and is a limiter.Store: exact, one fixed
// window a key. The nodes agree when a window began; then each counts by adding
// one, and whoever finds more than the limit takes it back and refuses. So
// nobody waits for anybody, and as many pass as the window allows.
//
// A refusal may be a few milliseconds out of date when another node has just
// given something back. Time is what each node's clock says: the windows of
// nodes whose clocks differ overlap by the difference.
type Shared struct {
	now   func(context.Context) time.Time
	far   Counters
	name  func(parts ...string) string
	known *otter.Cache[place, span]
}

var _ limiter.Store = (*Shared)(nil)

// NewShared returns a store over counters. name makes the name of a counter; it
// is the same on every node and tells nobody else whose counter it is. At most
// size windows (0: 200,000) are remembered without asking.
func NewShared(now func(context.Context) time.Time, far Counters, name func(parts ...string) string, size int) *Shared {
	if size <= 0 {
		size = defaultSize
	}
	return &Shared{now: now, far: far, name: name, known: otter.Must(&otter.Options[place, span]{
		MaximumSize:      size,
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[place, span]) time.Duration { return e.Value.keep }),
		Clock:            steady{time.Now()},
	})}
}

// place is where one window of a rule and key is counted.
type place struct {
	entry
	window int
}

// span is a window as it was agreed upon. Its counter has the name of place and
// span together, so that a later window begins at 0.
type span struct {
	said string // the beginning in unix microseconds and a random number
	keep time.Duration
	seen int64 // what the last answer was; a hint, never a reason to allow
}

// window returns what the span says, with a count of n at least one, as it
// stands at now; one that has not begun when it is over.
func (s span) window(now time.Time, n int64) window {
	start, id, _ := strings.Cut(s.said, "_")
	from, err := strconv.ParseInt(start, 36, 64)
	number, err2 := strconv.ParseUint(id, 36, 32)
	if err != nil || err2 != nil {
		return window{}
	}
	w := window{start: from, id: uint32(number), count: uint32(min(max(n, 1), math.MaxUint32))}
	return w.at(now.UnixMicro(), s.keep)
}

// newSpan begins at start.
func newSpan(start time.Time, per time.Duration) span {
	return span{said: strconv.FormatInt(start.UnixMicro(), 36) + "_" + strconv.FormatUint(uint64(rand.Uint32()), 36), keep: per}
}

func (s *Shared) placeName(p place) string { return s.name(p.rule, p.key, strconv.Itoa(p.window)) }

// open returns the window of p that is running, and begins one if need be and
// asked for. ok is false when none runs.
func (s *Shared) open(ctx context.Context, p place, per time.Duration, now time.Time, begin bool) (sp span, ok bool, err error) {
	running := func(sp span) bool { sp.keep = per; return sp.window(now, 1).count > 0 }
	if sp, ok = s.known.GetIfPresent(p); ok && running(sp) {
		sp.keep = per
		return sp, true, nil
	}
	var next []byte
	if begin {
		next = []byte(newSpan(now, per).said)
	}
	said, err := s.far.Agree(ctx, s.placeName(p), next, per, func(said []byte) bool { return running(span{said: string(said)}) })
	if err != nil {
		return span{}, false, err
	}
	sp = span{said: string(said), keep: per}
	if said == nil || !running(sp) {
		return span{}, false, nil
	}
	s.known.Set(p, sp)
	return sp, true, nil
}

// counter is the name of what a window is counted by.
func (s *Shared) counter(p place, sp span) string { return s.placeName(p) + "." + sp.said }

// saw remembers how full a window was.
func (s *Shared) saw(p place, sp span, n int64) {
	sp.seen = n
	s.known.Set(p, sp)
}

// hit counts one request in a window, unless it is full. w has the count after
// it.
func (s *Shared) hit(ctx context.Context, p place, rate Rate, now time.Time) (sp span, w window, ok bool, err error) {
	sp, running, err := s.open(ctx, p, rate.Per, now, true)
	if err != nil || !running {
		return sp, w, false, errors.Join(err, notRunning(running))
	}
	name := s.counter(p, sp)
	if sp.seen >= int64(rate.N) { // whoever is refused over and over costs a look, and writes nothing
		n, err := s.far.Value(ctx, name, rate.Per)
		if err != nil || n >= int64(rate.N) {
			return sp, sp.window(now, int64(rate.N)), false, err
		}
	}
	n, err := s.far.Add(ctx, name, 1, rate.Per)
	if err != nil {
		return sp, w, false, err
	}
	s.saw(p, sp, n)
	if n > int64(rate.N) {
		// While this one is too many nothing else can pass, so nobody is refused
		// for it; what fails here leaves a full window a little fuller.
		_, _ = s.far.Add(ctx, name, -1, rate.Per)
		return sp, sp.window(now, int64(rate.N)), false, nil
	}
	return sp, sp.window(now, n), true, nil
}

func notRunning(running bool) error {
	if running {
		return nil
	}
	return errors.New("no window is agreed upon")
}

// look tells how a window stands and counts nothing.
func (s *Shared) look(ctx context.Context, p place, per time.Duration, now time.Time) (w window, err error) {
	sp, ok, err := s.open(ctx, p, per, now, false)
	if err != nil || !ok {
		return window{}, err
	}
	n, err := s.far.Value(ctx, s.counter(p, sp), per)
	if err != nil || n <= 0 {
		return window{}, err
	}
	return sp.window(now, n), nil
}

// take is Limiter.Take.
func (s *Shared) take(ctx context.Context, rule Rule, e entry, now time.Time) (Result, error) {
	ctx = context.WithoutCancel(ctx) // a client that leaves must not leave half of it counted
	result, state := Result{Allowed: true, rule: rule, entry: e}, counters{}
	for i, rate := range rule.Rates {
		p := place{e, i}
		var err error
		if result.Allowed {
			var sp span
			if sp, state.windows[i], result.Allowed, err = s.hit(ctx, p, rate, now); result.Allowed {
				result.far[i] = s.counter(p, sp)
			}
		} else {
			state.windows[i], err = s.look(ctx, p, rate.Per, now)
		}
		if err != nil {
			_ = s.giveBack(ctx, result)
			return Result{}, postil.Busy("overloaded", "We cannot take that at the moment. Nothing was lost; try again in a few seconds.", 5*time.Second, err)
		}
		if int(state.windows[i].count) >= rate.N && !result.Allowed {
			result.RetryAfter = max(result.RetryAfter, state.windows[i].left(now.UnixMicro(), rate.Per))
		}
	}
	refused := int64(0)
	if !result.Allowed {
		refused = 1
		_ = s.giveBack(ctx, result) // what fails makes the window a little fuller
		for i := range result.far {
			if result.far[i] != "" {
				state.windows[i].count--
			}
			result.far[i] = ""
		}
	}
	result.bind(state, now, refused)
	return result, nil
}

// giveBack takes back what was counted in windows.
func (s *Shared) giveBack(ctx context.Context, r Result) (err error) {
	for i, name := range r.far {
		if name != "" {
			_, e := s.far.Add(context.WithoutCancel(ctx), name, -1, r.rule.Rates[i].Per)
			err = errors.Join(err, e)
		}
	}
	return err
}

// refund is Limiter.Refund. A window that is over has another counter than the
// next one, so nothing is added to that.
func (s *Shared) refund(ctx context.Context, taken Result) error { return s.giveBack(ctx, taken) }

// count returns how much of the first window of e is used.
func (s *Shared) count(ctx context.Context, e entry, per time.Duration, now time.Time) (int, error) {
	w, err := s.look(ctx, place{e, 0}, per, now)
	return int(w.count), err
}

func (s *Shared) size() int { return s.known.EstimatedSize() }
