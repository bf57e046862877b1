//go:build chaos

package chaos

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

var posting = flag.Duration("posting", 8*time.Second, "how long a hundred people post at once")

// TestAHundredPostersLoseNothing has a hundred people post as fast as they are
// answered. None of them is refused, and what is stored is what was
// acknowledged, no more and no less.
func TestAHundredPostersLoseNothing(t *testing.T) {
	const people = 100
	n := newNode(t)
	ctx := context.Background()
	if err := n.start(); err != nil {
		t.Fatal(err)
	}
	if err := n.answers(ctx); err != nil {
		t.Fatal(err)
	}
	acked := make([]map[string]string, people) // id to text
	var all sync.WaitGroup
	end := time.Now().Add(*posting)
	for i := range people {
		acked[i] = map[string]string{}
		all.Go(func() {
			for k := 0; time.Now().Before(end); k++ {
				text := fmt.Sprintf("person %d says thing %d, which was not said before", i, k)
				id, err := n.post(ctx, posts[i%len(posts)], text)
				if err != nil {
					t.Error(err)
					return
				}
				acked[i][id] = text
			}
		})
	}
	all.Wait()
	f := n.settledQuietly(t, patience)
	total := 0
	for _, texts := range acked {
		total += len(texts)
		for id, text := range texts {
			if r := f.byID(id); r == nil || r.text != text {
				t.Fatalf("comment %s was acknowledged with %q and is %+v", id, text, r)
			}
		}
	}
	if total != len(f.rows) || total == 0 {
		t.Errorf("%d comments were acknowledged and %d are stored", total, len(f.rows))
	}
	n.soundLogs(t)
	t.Logf("%d people, %v: %d comments acknowledged and stored, %.0f a second", people, *posting, total, float64(total)/posting.Seconds())
}

// post writes a comment on the first site; anything but 202 is an error.
func (n *node) post(ctx context.Context, post, text string) (id string, err error) {
	var got posted
	status, problem, err := n.ask(ctx, "POST", "/api/v1/sites/"+sites[0]+"/comments", "",
		map[string]any{"post": post, "author": map[string]any{"name": "Somebody"}, "text": text}, &got)
	if err == nil && status != http.StatusAccepted {
		err = fmt.Errorf("POST comments answered %d %s", status, problem)
	}
	return got.Comment.ID, err
}

// settledQuietly waits until every comment is checked, asked about once and
// announced, in a service without Telegram, and returns the file.
func (n *node) settledQuietly(t *testing.T, patience time.Duration) *file {
	t.Helper()
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		f, err := readFile(filepath.Join(n.data, "postil.db"))
		if err != nil {
			t.Fatal(err)
		}
		a := &audit{w: &world{}, file: f}
		a.waiting()
		var ready readiness
		if _, _, err := n.ask(context.Background(), "GET", "/readyz", "", nil, &ready); err != nil || ready.Status != "ok" {
			a.say("stuck", "readyz says %v, %v", ready, err)
		}
		if len(a.found) == 0 {
			t.Logf("settled after %v", time.Since(began).Round(time.Millisecond))
			return f
		}
		if time.Since(began) > patience {
			t.Fatalf("after %v still %d: %v", patience, len(a.found), a.found[:min(len(a.found), 5)])
		}
	}
}

// soundLogs fails the test for words that no log may contain.
func (n *node) soundLogs(t *testing.T) {
	t.Helper()
	bad, err := n.complaints("panic", "locked", "SQLITE", `"status":500`)
	if err != nil {
		t.Error(err)
	}
	for _, line := range bad[:min(len(bad), 10)] {
		t.Errorf("the log says: %s", line)
	}
}
