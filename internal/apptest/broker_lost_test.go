package apptest

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What the broker holds is a copy: the store has everything, and a comment that
// was on its way sets out again.
func TestNothingIsLostWithTheBrokersDirectory(t *testing.T) {
	t.Parallel()
	for _, end := range []struct {
		name string
		stop func(*Process)
	}{
		{"after a stop", func(p *Process) { p.Stop(t) }},
		{"after a kill", func(p *Process) { p.Kill(t) }},
	} {
		t.Run(end.name, func(t *testing.T) {
			t.Parallel()
			p := RunBinary(t, Options{Telegram: true})
			p.leaveTraces(t)
			before := p.traces(t)
			waiting := p.Post(t, Draft{Text: "Who waits for a person?"}).Comment.ID
			end.stop(p)
			if err := os.RemoveAll(filepath.Join(p.Data, "nats")); err != nil {
				t.Fatal(err)
			}
			p.Start(t)
			before["received"]++
			Eventually(t, 2*time.Minute, "everything is there", func() bool { return maps.Equal(before, p.traces(t)) })
			p.AwaitAsked(t, 4*time.Minute, waiting)
			p.Bot.Card(t, 4*time.Minute, "Who waits for a person?")
			var flag struct{ Flags map[string]bool }
			p.Must(t, 200, "GET", "/api/v1/flags?user=ann", nil).JSON(t, &flag)
			if !flag.Flags["editor"] {
				t.Errorf("the flag counts no more: %v", flag)
			}
		})
	}
}

// leaveTraces puts one thing of each kind into the store.
func (p *Process) leaveTraces(t *testing.T) {
	t.Helper()
	p.Admin(t, "PUT", "flags/editor", map[string]any{"type": "boolean", "value": true})
	p.Admin(t, "PUT", "config/limits.text", map[string]any{"value": 4321})
	p.Must(t, 201, "POST", "/api/qlog", []byte(`{"question":"Is this kept?"}`), "Origin", p.Base)
	p.Must(t, 202, "POST", "/api/view", []byte(`{"path":"/read"}`), "Origin", p.Base)
	id := p.Post(t, Draft{Text: "Who is approved?"}).Comment.ID
	p.AwaitAsked(t, 2*time.Minute, id)
	p.Decide(t, id, "approve")
	Eventually(t, 2*time.Minute, "all of it is there", func() bool {
		got := p.traces(t)
		return got["views"] == 1 && got["received"] == 1 && got["decided"] == 1
	})
	time.Sleep(flushed)
}

// flushed is longer than page views wait in memory: a kill takes those along.
const flushed = 6 * time.Second

// traces counts what leaveTraces left.
func (p *Process) traces(t *testing.T) map[string]int {
	t.Helper()
	var flags struct{ Flags []struct{ Name string } }
	p.Admin(t, "GET", "flags", nil).JSON(t, &flags)
	var config struct{ Value int }
	p.Admin(t, "GET", "config/limits.text", nil).JSON(t, &config)
	var questions struct{ Questions []struct{ ID string } }
	p.Admin(t, "GET", "qlog", nil).JSON(t, &questions)
	var views struct{ Count int }
	p.Must(t, 200, "GET", "/api/views?path=/read", nil).JSON(t, &views)
	out := map[string]int{"flags": len(flags.Flags), "text": config.Value, "questions": len(questions.Questions), "views": views.Count}
	for name, kind := range map[string]string{"received": "comment.received", "decided": "comment.decided"} {
		var s struct{ Signals []struct{ Comment string } }
		p.Admin(t, "GET", "signals?kind="+kind, nil).JSON(t, &s)
		out[name] = len(s.Signals)
	}
	return out
}
