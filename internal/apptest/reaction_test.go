package apptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
)

type reacted struct {
	Score     int            `json:"score"`
	Reactions map[string]int `json:"reactions"`
	Mine      []string       `json:"mine"`
	Bookmark  int64          `json:"bookmark"`
}

func react(t testing.TB, a *apptest.App, method, id, emoji, device string) (r reacted) {
	t.Helper()
	got, err := a.Do(t.Context(), method, "/api/v1/sites/blog/comments/"+id+"/reactions/"+emoji, map[string]string{"device": device})
	if err != nil || got.Status != http.StatusOK {
		t.Fatalf("%s of %s was answered with %d: %s (%v)", method, emoji, got.Status, got.Body, err)
	}
	got.JSON(t, &r)
	return r
}

func approved(t testing.TB, a *apptest.App, text string) string {
	t.Helper()
	id := a.Post(t, apptest.Draft{Text: text}).Comment.ID
	a.Decide(t, id, "approve")
	return id
}

func TestAReactionReachesEveryReaderAndTellsNobodyWhose_CACHE_07(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	id := approved(t, a, "a comment that people like")
	stream := a.Stream(t, "/post")
	ann, bob := "device-of-ann-0001", "device-of-bob-0002"
	react(t, a, "PUT", id, "👍", ann)
	first := react(t, a, "PUT", id, "👍", ann)
	if first.Score != 1 || first.Reactions["👍"] != 1 || len(first.Mine) != 1 {
		t.Errorf("twice the same from Ann: %+v", first)
	}
	second := react(t, a, "PUT", id, "%F0%9F%91%8D", bob)
	if second.Score != 2 || second.Reactions["👍"] != 2 {
		t.Errorf("after Bob: %+v", second)
	}
	if f := stream.Next(t, 10*time.Second, "comment.updated"); !strings.Contains(f.Data, `"id":"`+id+`"`) {
		t.Errorf("the stream says %+v", f)
	}
	path := "/api/v1/sites/blog/comments?post=/post&v=" + strconv.FormatInt(second.Bookmark, 10)
	var bodies []string
	for _, device := range []string{ann, bob, ""} {
		got, err := a.Do(t.Context(), "GET", path, nil, "X-Device", device, "Cookie", "device="+device)
		if err != nil || got.Status != 200 {
			t.Fatal(got.Status, err)
		}
		bodies = append(bodies, got.Header.Get("ETag")+string(got.Body))
	}
	if bodies[0] != bodies[1] || bodies[1] != bodies[2] {
		t.Errorf("readers see different threads: %q", bodies)
	}
	if !strings.Contains(bodies[0], `"score":2,"reactions":{"👍":2}`) || strings.Contains(bodies[0], "mine") {
		t.Errorf("readers see %s", bodies[0])
	}
	if last := react(t, a, "DELETE", id, "👍", ann); last.Score != 1 || len(last.Mine) != 0 {
		t.Errorf("after Ann took it back: %+v", last)
	}
}

var loads = regexp.MustCompile(`(?m)^postil_thread_loads_total (\d+)`)

func threadLoads(t testing.TB, a *apptest.App) int {
	t.Helper()
	got, err := a.Do(t.Context(), "GET", "/metrics", nil)
	m := loads.FindSubmatch(got.Body)
	if err != nil || m == nil {
		t.Fatalf("no metrics: %d, %v", got.Status, err)
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

func TestAStormOfReactionsCostsTheStoreTenLoadsASecond(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) { c.Limits = "off" }})
	id := approved(t, a, "a comment in a storm")
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if got, err := a.Do(ctx, "GET", "/api/v1/sites/blog/comments?post=/post", nil); err == nil && got.Status != 200 {
					t.Errorf("a reader got %d", got.Status)
				}
			}
		})
	}
	before, began := threadLoads(t, a), time.Now()
	var people sync.WaitGroup
	for p := range 4 {
		people.Go(func() {
			for i := range 100 {
				react(t, a, "PUT", id, "🎉", fmt.Sprintf("device-of-a-crowd-%d-%d", p, i))
			}
		})
	}
	people.Wait()
	took, n := time.Since(began), threadLoads(t, a)-before
	stop()
	readers.Wait()
	if most := int(took.Seconds()*10) + 10; n > most {
		t.Errorf("400 reactions in %v cost %d loads, more than %d", took, n, most)
	}
	last := react(t, a, "PUT", id, "🎉", "device-of-the-last-one")
	res, err := a.HTTP.Get(a.Base + "/api/v1/sites/blog/comments?post=/post&v=" + strconv.FormatInt(last.Bookmark, 10))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	var thread struct {
		Comments []reacted `json:"comments"`
	}
	if err != nil || json.Unmarshal(body, &thread) != nil || len(thread.Comments) != 1 || thread.Comments[0].Score != 401 {
		t.Errorf("after the storm readers see %s (%v)", body, err)
	}
}
