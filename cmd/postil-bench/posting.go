package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// measurePosting lets many clients post as fast as they can and counts what
// was acknowledged against what is there afterwards.
func measurePosting(ctx context.Context, binary string, posters int, d time.Duration, t *table) error {
	s, err := start(ctx, binary)
	if err != nil {
		return err
	}
	defer s.stop()
	ctx, cancel := context.WithTimeout(ctx, d+time.Minute)
	defer cancel()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = posters
	var acked, failed atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	end := time.Now().Add(d)
	for p := range posters {
		wg.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				began := time.Now()
				if _, err := s.post(ctx, "bench", fmt.Sprintf("/p%d", i%20), fmt.Sprintf("poster %d says thing number %d", p, i)); err != nil {
					failed.Add(1)
					continue
				}
				acked.Add(1)
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	stored, err := s.count(ctx)
	if err != nil {
		return err
	}
	rss, err := s.memory()
	if err != nil {
		return err
	}
	t.add(fmt.Sprintf("%d clients posting for %s", posters, d), fmt.Sprintf("%.0f/s acknowledged, %s", float64(acked.Load())/d.Seconds(), spread(took)), "")
	t.add("  acknowledged, stored, refused", fmt.Sprintf("%d, %d, %d", acked.Load(), stored, failed.Load()), "equal, equal, 0")
	t.add("  memory afterwards", mib(rss), "")
	return nil
}

// count pages through all comments by the admin API.
func (s *server) count(ctx context.Context) (n int, err error) {
	for cursor := ""; ; {
		r, err := http.NewRequestWithContext(ctx, "GET", s.base+"/api/v1/admin/comments?limit=200&cursor="+cursor, nil)
		if err != nil {
			return n, err
		}
		r.Header.Set("Authorization", "Bearer "+adminKey)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return n, err
		}
		raw, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return n, fmt.Errorf("the list was answered with %d: %s %w", res.StatusCode, raw, err)
		}
		var page struct {
			Comments []json.RawMessage
			Next     *string `json:"next_cursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return n, err
		}
		n += len(page.Comments)
		if page.Next == nil || *page.Next == "" {
			return n, nil
		}
		cursor = *page.Next
	}
}
