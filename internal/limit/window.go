package limit

import (
	"time"

	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/common"
)

// window counts the hits since its first one. The zero value is a window that
// has not begun.
type window struct {
	start int64  // unix microseconds of the first hit
	id    uint32 // tells it from the windows before and after it
	count uint32
}

// counters holds all windows of one rule and key, so that they change together.
type counters struct {
	windows [maxRates]window
	keep    time.Duration // the longest period: untouched for so long, nothing of it matters
}

// begun reports whether any window has.
func (c counters) begun() bool { return c.windows != [maxRates]window{} }

// at returns w as it stands at now. A window that is over is replaced by one
// that has not begun.
//
// Clocks are set back. A window that began in the future is moved to begin now,
// so that it never holds longer than its period; when it lies a whole period
// ahead, nothing is known about now and a new one begins.
func (w window) at(now int64, per time.Duration) window {
	length := per.Microseconds()
	switch {
	case w.count == 0, now-w.start >= length, w.start-now >= length:
		return window{}
	case now < w.start:
		w.start = now
	}
	return w
}

// left returns how long w lasts from now on; a whole period when it has not begun.
func (w window) left(now int64, per time.Duration) time.Duration {
	if w.count == 0 {
		return per
	}
	return per - time.Duration(now-w.start)*time.Microsecond
}

// add counts n hits and begins the window with the first, under the identity id.
func (w window) add(n uint32, now int64, id uint32) window {
	if w.count == 0 {
		w.start, w.id = now, id
	}
	w.count += n
	return w
}

// context puts w into ulule's words. more is added to the count first: a
// refused request is over the limit without having been counted.
func (w window) context(now time.Time, rate Rate, more int64) limiter.Context {
	end := now.Add(w.left(now.UnixMicro(), rate.Per))
	return common.GetContextFromState(now, ulule(rate), end, int64(w.count)+more)
}

func ulule(r Rate) limiter.Rate { return limiter.Rate{Period: r.Per, Limit: int64(r.N)} }
