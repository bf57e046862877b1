package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAHistogramKnowsQuantilesToSevenPercent(t *testing.T) {
	t.Parallel()
	var h histogram
	var all []time.Duration
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		d := time.Duration(rng.ExpFloat64() * float64(3*time.Millisecond))
		all = append(all, d)
		h.add(d)
	}
	for _, q := range []float64{0.01, 0.5, 0.99, 0.999} {
		want, got := float64(quantile(all, q)), float64(h.quantile(q))
		if got < want*0.999 || got > want*1.07 {
			t.Errorf("quantile %v: %v, but it is %v", q, time.Duration(got), time.Duration(want))
		}
	}
}

func TestAConversationHasTheShapeThatWasAskedFor(t *testing.T) {
	t.Parallel()
	list := conversation(rand.New(rand.NewPCG(1, 2)), 100, 47)
	parts := levels(list)
	if len(list) != 100 || len(parts) > deepest+1 || len(parts[0]) != 47 {
		t.Errorf("%d comments on %d levels, %d of them roots", len(list), len(parts), len(parts[0]))
	}
	for i, e := range list {
		if e.Parent != nil && *e.Parent >= i {
			t.Errorf("comment %d answers %d, which comes later", i, *e.Parent)
		}
	}
}

func TestADataSetOfSomebodyElseIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data.json")
	if err := os.WriteFile(path, []byte(`{"/posts/hot": [{"parent": null, "author": "a", "body": "b"}, {"parent": 0, "author": "c", "body": "d"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	threads, err := (&bench{data: path}).dataset()
	if err != nil || len(threads) != 1 || len(threads[0].comments) != 2 || *threads[0].comments[1].Parent != 0 {
		t.Errorf("%+v, %v", threads, err)
	}
}

func TestALoadCountsWhatItGets(t *testing.T) {
	t.Parallel()
	var n int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n%2 == 0 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "hello")
	}))
	defer s.Close()
	got, err := load{addr: strings.TrimPrefix(s.URL, "http://"), conns: 1, next: each(10, func(int) []byte { return get("/") })}.run(t.Context(), time.Minute)
	if err != nil || got.n != 10 || got.statuses[200] != 5 || got.statuses[503] != 5 || got.hinted != 5 || got.cut != 0 {
		t.Errorf("%d answers, %v, %d hinted, %d cut, %v", got.n, got.statuses, got.hinted, got.cut, err)
	}
}

func TestALongAnswerInChunksIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			io.WriteString(w, strings.Repeat("a", 5000))
			w.(http.Flusher).Flush()
		}
	}))
	defer s.Close()
	got, err := load{addr: strings.TrimPrefix(s.URL, "http://"), conns: 1, next: each(5, func(int) []byte { return get("/") }),
		seen: func(c *client, _ int) {
			if n := strings.Count(string(c.body), "a"); n < 500_000 {
				t.Errorf("%d bytes", n)
			}
		}}.run(t.Context(), time.Minute)
	if err != nil || got.n != 5 || got.cut != 0 {
		t.Errorf("%d answers, %d cut, %v", got.n, got.cut, err)
	}
}

func TestTheCeilingAnswersAsTheServiceDoes(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"x"`)
		w.Header().Set("Cache-Control", "public")
		if r.Header.Get("If-None-Match") == `"x"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "packed")
	}))
	defer s.Close()
	c, err := copyAnswer(context.Background(), s.URL+"/a", "")
	if err != nil {
		t.Fatal(err)
	}
	top := httptest.NewServer(&copies{only: c})
	defer top.Close()
	for _, etag := range []string{"", `"x"`} {
		theirs, body, err := fetch(t.Context(), s.URL+"/a", etag)
		if err != nil {
			t.Fatal(err)
		}
		ours, copied, err := fetch(t.Context(), top.URL+"/a", etag)
		if err != nil {
			t.Fatal(err)
		}
		names := func(h http.Header) (list []string) {
			for name, values := range h {
				if name != "Date" {
					list = append(list, name+": "+strings.Join(values, ","))
				}
			}
			slices.Sort(list)
			return list
		}
		if ours.StatusCode != theirs.StatusCode || string(copied) != string(body) || !slices.Equal(names(ours.Header), names(theirs.Header)) {
			t.Errorf("%d %v %q, but the service answers %d %v %q", ours.StatusCode, names(ours.Header), copied, theirs.StatusCode, names(theirs.Header), body)
		}
	}
}

func TestOnlyScenariosThatExistCanBeChosen(t *testing.T) {
	t.Parallel()
	if _, err := choose("hot,warm"); err == nil {
		t.Error("warm was chosen")
	}
	usual, err := choose("")
	if err != nil || slices.ContainsFunc(usual, func(s scenario) bool { return s.name == "growth" }) {
		t.Errorf("growth is not for every day (%v)", err)
	}
}
