package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestTheClockOfRequestsKeepsTheLatestMomentThatCanBeWritten(t *testing.T) {
	t.Parallel()
	c := &clock{header: true}
	var at time.Time
	h := c.wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { at = c.now(r.Context()) }))
	ask := func(now string) time.Time {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Postil-Now", now)
		h.ServeHTTP(httptest.NewRecorder(), r)
		return at
	}
	noon := time.UnixMilli(1_700_000_000_000).UTC()
	if got := ask("1700000000000"); !got.Equal(noon) {
		t.Errorf("said noon, happened at %s", got)
	}
	for _, nonsense := range []string{"", "soon", "0", "-1", "1e12", "253402300800000", "9223372036854775807", "9223372036854775808"} {
		if got := ask(nonsense); !got.Equal(noon) {
			t.Errorf("said %q, happened at %s", nonsense, got)
		}
	}
	if _, err := ask("253402300799999").MarshalJSON(); err != nil {
		t.Errorf("the last moment: %v", err)
	}
}
