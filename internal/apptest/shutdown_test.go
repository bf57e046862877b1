package apptest_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// acknowledged collects the ids of the comments that were answered with 202,
// by their texts.
type acknowledged struct {
	mu  sync.Mutex
	ids map[string]string
}

func (a *acknowledged) note(text, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids[text] = id
}

func (a *acknowledged) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ids)
}

func TestLOAD_05_AStopWithFiveHundredStreamsAndPostsInFlightLosesNothing(t *testing.T) {
	t.Parallel()
	const streams = 500
	p := apptest.RunBinary(t, apptest.Options{}, "POSTIL_LIMITS=off", "POSTIL_LOG_LEVEL=warn")
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var open, told, ended sync.WaitGroup
	var mu sync.Mutex
	hints := 0
	client := &http.Client{Transport: &http.Transport{}}
	for range streams {
		open.Add(1)
		ended.Go(func() {
			r, err := http.NewRequestWithContext(ctx, "GET", p.Base+"/api/v1/sites/blog/stream?post=/post", nil)
			if err != nil {
				t.Error(err)
				open.Done()
				return
			}
			res, err := client.Do(r)
			open.Done()
			if err != nil {
				t.Errorf("a stream: %v", err)
				return
			}
			defer res.Body.Close()
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				if strings.Contains(lines.Text(), "come back") {
					mu.Lock()
					hints++
					mu.Unlock()
				}
			}
		})
	}
	open.Wait()
	saved := &acknowledged{ids: map[string]string{}}
	posting, stopPosting := context.WithCancel(ctx)
	defer stopPosting()
	for n := range 16 {
		told.Go(func() {
			for i := 0; posting.Err() == nil; i++ {
				text := fmt.Sprintf("Comment %d of writer %d, said while the service stops.", i, n)
				a, err := p.Send(posting, apptest.Draft{Text: text, Post: "/post"})
				if err != nil {
					return // the service has gone
				}
				if a.Status == http.StatusAccepted {
					var posted apptest.Posted
					a.JSON(t, &posted)
					saved.note(text, posted.Comment.ID)
				}
			}
		})
	}
	apptest.Eventually(t, time.Minute, "comments are being written", func() bool { return saved.count() > 50 })
	began := time.Now()
	if code := p.Stop(t); code != 0 {
		t.Errorf("asked to end, the service ended with %d", code)
	}
	t.Logf("it ended %v after the signal, with %d comments acknowledged", time.Since(began).Round(time.Millisecond), saved.count())
	stopPosting()
	told.Wait()
	ended.Wait()
	if hints < streams*9/10 {
		t.Errorf("%d of %d streams were told to come back", hints, streams)
	}
	p.Start(t)
	seen := map[string]int{}
	for path := "comments?limit=200"; path != ""; {
		var page struct {
			Comments []struct{ ID, Text string }
			Next     *string `json:"next_cursor"`
		}
		p.Admin(t, "GET", path, nil).JSON(t, &page)
		for _, c := range page.Comments {
			seen[c.Text]++
			if id := saved.ids[c.Text]; id != "" && id != c.ID {
				t.Errorf("%q was acknowledged as %s and is %s", c.Text, id, c.ID)
			}
		}
		path = ""
		if page.Next != nil && *page.Next != "" {
			path = "comments?limit=200&cursor=" + *page.Next
		}
	}
	for text, id := range saved.ids {
		if seen[text] != 1 {
			t.Errorf("%q, acknowledged as %s, is there %d times", text, id, seen[text])
		}
	}
}

func TestReadyTellsAScriptHowItIs(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	if code, out, said := p.Command(t, nil, "ready"); code != 0 || !strings.Contains(out, "ok") {
		t.Errorf("of a running server: %d, %s%s", code, out, said)
	}
	p.Stop(t)
	if code, _, said := p.Command(t, nil, "ready"); code != 1 || !strings.Contains(said, "No server runs") {
		t.Errorf("of none: %d, %s", code, said)
	}
}
