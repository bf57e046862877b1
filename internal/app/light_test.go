package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// lightNode is the real binary behind a trusted proxy, with a broker that does
// not answer: the light backend needs none.
func lightNode(t *testing.T) *apptest.Process {
	t.Helper()
	return apptest.RunBinary(t, apptest.Options{}, "POSTIL_TRUSTED_PROXIES=127.0.0.1", "POSTIL_NATS_URL=nats://127.0.0.1:1")
}

// read opens a page as readers from..to-1, each at an address of their own.
func read(t *testing.T, p *apptest.Process, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		a, err := p.Do(t.Context(), "POST", "/api/view", map[string]string{"path": "/posts/kv"}, "X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", 100+i/200, i%200))
		if err != nil || a.Status != 202 {
			t.Fatalf("reader %d: %d %s, %v", i, a.Status, a.Body, err)
		}
	}
}

func reads(t *testing.T, p *apptest.Process) (n int) {
	t.Helper()
	a, err := p.Do(t.Context(), "GET", "/api/views?path=/posts/kv", nil)
	if err != nil || a.Status != 200 {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
	var v struct{ Count int }
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatal(err)
	}
	return v.Count
}

func TestAStopLosesNoViewAndAKillOnlyTheLatest(t *testing.T) {
	t.Parallel()
	p := lightNode(t)
	read(t, p, 0, 50)
	if n := reads(t, p); n != 50 {
		t.Fatalf("%d reads before the stop", n)
	}
	if code := p.Stop(t); code != 0 {
		t.Fatalf("the stop ended with %d", code)
	}
	p.Start(t)
	if n := reads(t, p); n != 50 {
		t.Fatalf("%d reads after the stop", n)
	}
	read(t, p, 50, 60)
	p.Kill(t)
	p.Start(t)
	if n := reads(t, p); n < 50 || n > 60 {
		t.Errorf("%d reads after the kill, of 60", n)
	}
}

func TestAQuestionThatWasAcceptedSurvivesAKill(t *testing.T) {
	t.Parallel()
	p := lightNode(t)
	a, err := p.Do(t.Context(), "POST", "/api/qlog", []byte(`{"question":" Why? "}`), "Content-Type", "text/plain;charset=UTF-8")
	if err != nil || a.Status != 201 {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
	p.Kill(t)
	p.Start(t)
	kept := p.Admin(t, "GET", "qlog/export", nil)
	if kept.Status != 200 || !strings.Contains(string(kept.Body), `"question":"Why?"`) || strings.Contains(string(kept.Body), "127.0.0.1") {
		t.Errorf("%d %s", kept.Status, kept.Body)
	}
}
