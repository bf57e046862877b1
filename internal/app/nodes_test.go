package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/cluster"
	"github.com/postil/postil/internal/token"
)

// nodes are services at a broker each of one cluster, which count together.
func nodes(t *testing.T, n int) (all []*apptest.App, c *cluster.Cluster) {
	t.Helper()
	c = cluster.Start(t, n)
	for i := range n {
		all = append(all, apptest.Start(t, apptest.Options{Set: func(cfg *app.Config) {
			cfg.NATSURL, cfg.LimitStore, cfg.Secret = c.URL(i), "broker", token.NewSecret(strings.Repeat("one secret ", 4))
			cfg.TrustedProxies = []string{"127.0.0.1"}
		}}))
	}
	for i, a := range all {
		eventually(t, fmt.Sprint("node ", i, " has a broker"), func() bool { return brokerOf(t, a) == "ok" })
	}
	return all, c
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen in time: %s", what)
		}
	}
}

func brokerOf(t *testing.T, a *apptest.App) string {
	t.Helper()
	var r struct{ Checks map[string]string }
	a.Must(t, 200, "GET", "/readyz", nil).JSON(t, &r)
	return r.Checks["broker"]
}

func ask(t *testing.T, a *apptest.App, who, question string) apptest.Answer {
	t.Helper()
	answer, err := a.Do(t.Context(), "POST", "/api/qlog", map[string]string{"question": question}, "X-Forwarded-For", who)
	if err != nil {
		t.Error(err)
	}
	return answer
}

func TestTenQuestionsAMinutePassThroughThreeNodesTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster of three servers")
	}
	all, _ := nodes(t, 3)
	for _, who := range []string{"198.51.100.7", "198.51.100.8"} {
		var kept, refused atomic.Int64
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				switch a := ask(t, all[i%len(all)], who, fmt.Sprint("Question ", i)); a.Status {
				case 201:
					kept.Add(1)
				case 429:
					refused.Add(1)
					if a.Header.Get("Retry-After") == "" {
						t.Error("a refusal says not when to come again")
					}
				default:
					t.Errorf("%d %s", a.Status, a.Body)
				}
			})
		}
		wg.Wait()
		if kept.Load() != 10 || refused.Load() != 54 {
			t.Errorf("%s: %d of 64 questions are kept and %d refused", who, kept.Load(), refused.Load())
		}
	}
}

func TestWithoutTheSharedBrokerViewsGoOnAndQuestionsAndCommentsAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster of three servers")
	}
	all, c := nodes(t, 3)
	a := all[0]
	if answer := ask(t, a, "198.51.100.7", "Before?"); answer.Status != 201 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	for _, ns := range c.Servers {
		ns.Shutdown()
		ns.WaitForShutdown()
	}
	eventually(t, "the node sees that its broker is gone", func() bool { return brokerOf(t, a) != "ok" })
	for i := range 5 {
		answer, err := a.Do(t.Context(), "POST", "/api/view", map[string]string{"path": "/a"}, "X-Forwarded-For", fmt.Sprint("198.51.100.", i))
		if err != nil || answer.Status != http.StatusAccepted {
			t.Errorf("a view is answered %d %s, %v", answer.Status, answer.Body, err)
		}
	}
	if answer := ask(t, a, "198.51.100.7", "Away?"); answer.Status != 503 || string(answer.Body) != `{"error":"temporarily_unavailable"}` || answer.Header.Get("Retry-After") == "" {
		t.Errorf("a question is answered %d %s", answer.Status, answer.Body)
	}
	answer, err := a.Do(t.Context(), "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/a", "author": map[string]string{"name": "Ann"}, "text": "Away"}, "X-Forwarded-For", "198.51.100.7")
	if err != nil || answer.Status != 503 || answer.Header.Get("Retry-After") == "" || !strings.Contains(string(answer.Body), "overloaded") {
		t.Errorf("a comment is answered %d %s, %v", answer.Status, answer.Body, err)
	}
	if answer, err := a.Do(t.Context(), "GET", "/api/v1/sites/blog/comments?post=/a", nil); err != nil || answer.Status != 200 {
		t.Errorf("reading is answered %d, %v", answer.Status, err)
	}
	var kept struct{ Questions []any }
	if a.Admin(t, "GET", "qlog?site=blog", nil).JSON(t, &kept); len(kept.Questions) != 1 {
		t.Errorf("the log has %d questions, not the one that was accepted", len(kept.Questions))
	}
}
