package app_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// list asks for something with a key, n times at once, and returns how many
// were answered. Whoever is refused is told when to come again.
func list(t *testing.T, p *apptest.Process, key string, n int) int {
	t.Helper()
	var answered atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			a, err := p.Do(t.Context(), "GET", "/api/v1/admin/comments", nil, "Authorization", "Bearer "+key)
			if err != nil {
				t.Error(err)
				return
			}
			if a.Header.Get("RateLimit") == "" || a.Header.Get("RateLimit-Policy") != `"keys";q=20;w=60, "keys-day";q=30;w=86400` {
				t.Errorf("%d: RateLimit %q, RateLimit-Policy %q", a.Status, a.Header.Get("RateLimit"), a.Header.Get("RateLimit-Policy"))
			}
			switch again, _ := strconv.Atoi(a.Header.Get("Retry-After")); {
			case a.Status == 200:
				answered.Add(1)
			case a.Status != 429 || again < 1:
				t.Errorf("%d, Retry-After %d: %s", a.Status, again, a.Body)
			}
		})
	}
	wg.Wait()
	return int(answered.Load())
}

func TestAKeyHasExactlyItsMinuteAndItsDayWhichAKillDoesNotRefill(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	for name, n := range map[string]int{"minute": 20, "day": 30} {
		p.Admin(t, "PUT", "config/limits.keys."+name, map[string]int{"value": n})
	}
	var made struct{ Secret string }
	p.Admin(t, "POST", "keys", map[string]string{"name": "bot", "role": "admin"}).JSON(t, &made)
	if n := list(t, p, made.Secret, 64); n != 20 {
		t.Errorf("%d of 64 requests pass in the first minute, not 20", n)
	}
	p.Kill(t)
	p.Start(t)
	if n := list(t, p, made.Secret, 64); n != 10 {
		t.Errorf("after a kill %d requests pass, not the 10 that were left of the day", n)
	}
	for range 50 { // the key of the settings, which automation begins with, is not limited
		p.Admin(t, "GET", "comments", nil)
	}
}
