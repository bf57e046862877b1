package app

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// clock tells when something happens. The system's clock is the normal one;
// the other lets a measuring program say so with each request.
type clock struct {
	header bool
	latest atomic.Int64 // unix ms, the largest that was said; 0 before the first
}

// endOfTime is the last moment that RFC 3339 can write, in unix ms. A later one
// would be the largest that was said, and nothing could be stored any more.
const endOfTime = 253402300799999

type atKey struct{}

// now returns the time at which what is done in ctx happens.
func (c *clock) now(ctx context.Context) time.Time {
	if !c.header {
		return time.Now().UTC()
	}
	if at, ok := ctx.Value(atKey{}).(time.Time); ok {
		return at
	}
	if ms := c.latest.Load(); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Now().UTC()
}

// wrap makes a request happen when its X-Postil-Now says. It is in nobody's
// way while the system's clock is used.
func (c *clock) wrap(next http.Handler) http.Handler {
	if !c.header {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ms, err := strconv.ParseInt(r.Header.Get("X-Postil-Now"), 10, 64)
		if err == nil && ms > 0 && ms <= endOfTime {
			for old := c.latest.Load(); ms > old && !c.latest.CompareAndSwap(old, ms); old = c.latest.Load() {
			}
			r = r.WithContext(context.WithValue(r.Context(), atKey{}, time.UnixMilli(ms).UTC()))
		}
		next.ServeHTTP(w, r)
	})
}
