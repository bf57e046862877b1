//go:build soak

package soak

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/ports"
)

var (
	length = flag.Duration("length", 10*time.Minute, "how long the service is kept at work")
	heaps  = flag.String("heaps", "", "a directory for what is in memory after a half and at the end, for go tool pprof -base")
)

func TestMain(m *testing.M) { apptest.Main(m) }

// sample is what the service used at one moment.
type sample struct{ memory, goroutines, files float64 }

var figure = regexp.MustCompile(`(?m)^(process_resident_memory_bytes|go_goroutines|process_open_fds) (\S+)$`)

func measure(t *testing.T, operators string) (s sample) {
	t.Helper()
	body := fetch(t, "http://"+operators+"/metrics")
	for _, m := range figure.FindAllStringSubmatch(string(body), -1) {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		switch m[1] {
		case "process_resident_memory_bytes":
			s.memory = v
		case "go_goroutines":
			s.goroutines = v
		default:
			s.files = v
		}
	}
	return s
}

func TestNothingGrowsWhileTheServiceIsAtWork(t *testing.T) {
	operators := ports.Address(t)
	p := apptest.RunBinary(t, apptest.Options{Telegram: true}, "POSTIL_LIMITS=off", "POSTIL_LOG_LEVEL=warn", "POSTIL_ADMIN_LISTEN="+operators)
	ctx, stop := context.WithTimeout(t.Context(), *length)
	defer stop()
	var work sync.WaitGroup
	for n := range 4 {
		work.Go(func() { reader(ctx, t, p, n) })
	}
	work.Go(func() { writer(ctx, t, p) })
	work.Go(func() { listener(ctx, p) })
	var all []sample
	each := time.NewTicker(max(time.Second, *length/120))
	defer each.Stop()
	for done := false; !done; {
		select {
		case <-each.C:
			if all = append(all, measure(t, operators)); len(all) == 60 {
				keepHeap(t, operators, "half")
			}
		case <-ctx.Done():
			done = true
		}
	}
	work.Wait()
	keepHeap(t, operators, "end")
	judge(t, all)
}

// keepHeap writes what is in the memory of the service, when it is asked for.
func keepHeap(t *testing.T, operators, name string) {
	t.Helper()
	if *heaps == "" {
		return
	}
	raw := fetch(t, "http://"+operators+"/debug/pprof/heap?gc=1")
	if err := os.WriteFile(filepath.Join(*heaps, name+".heap"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

func fetch(t *testing.T, url string) []byte {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, res.StatusCode, err)
	}
	return body
}

// reader looks at posts, most of which are known by then.
func reader(ctx context.Context, t *testing.T, p *apptest.Process, n int) {
	for i := n; ctx.Err() == nil; i++ {
		post := url.QueryEscape(fmt.Sprintf("/post-%d", i%50))
		for _, path := range []string{"comments?post=" + post, "counts?post=" + post, "form?post=" + post, "recent", "feed.atom?post=" + post} {
			if a, err := p.Do(ctx, "GET", "/api/v1/sites/blog/"+path, nil); err == nil && a.Status != 200 && a.Status != 503 {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
		// Not ever new ones: answers in memory have a budget, and what fills it is no leak.
		if _, err := p.Do(ctx, "GET", fmt.Sprintf("/api/v1/sites/blog/comments?post=/nobody-%d", i%1000), nil); err != nil {
			return
		}
		rest(ctx, 5*time.Millisecond)
	}
}

// writer posts, has decided, and takes away, so that the store stays small.
func writer(ctx context.Context, t *testing.T, p *apptest.Process) {
	for i := 0; ctx.Err() == nil; i++ {
		a, err := p.Send(ctx, apptest.Draft{Post: fmt.Sprintf("/post-%d", i%50), Text: fmt.Sprint("Comment number ", i, " of this soak.")})
		if err != nil || a.Status != 202 {
			if ctx.Err() == nil && a.Status != 503 {
				t.Errorf("posting: %d %s, %v", a.Status, a.Body, err)
			}
			continue
		}
		var posted apptest.Posted
		a.JSON(t, &posted)
		for _, verb := range []string{"approve", "delete"} {
			_, _ = p.Do(ctx, "POST", "/api/v1/admin/comments/"+posted.Comment.ID+"/decision", map[string]any{"decision": verb}, "Authorization", "Bearer "+apptest.AdminKey)
		}
		rest(ctx, 50*time.Millisecond)
	}
}

// listener opens streams and leaves them.
func listener(ctx context.Context, p *apptest.Process) {
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		_, _ = p.Do(short, "GET", "/api/v1/sites/blog/stream?post=/post-1", nil)
		cancel()
	}
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// judge compares the second quarter with the last.
func judge(t *testing.T, all []sample) {
	t.Helper()
	if len(all) < 20 {
		t.Fatalf("only %d samples were taken; give it longer", len(all))
	}
	quarter := len(all) / 4
	for name, of := range map[string]struct {
		get   func(sample) float64
		slack float64
	}{
		"bytes of memory": {func(s sample) float64 { return s.memory }, 8 << 20},
		"goroutines":      {func(s sample) float64 { return s.goroutines }, 10},
		"open files":      {func(s sample) float64 { return s.files }, 10},
	} {
		early, late := median(all[quarter:2*quarter], of.get), median(all[len(all)-quarter:], of.get)
		t.Logf("%s: %.0f, and at the end %.0f", name, early, late)
		if late > early*1.1+of.slack {
			t.Errorf("the service uses more and more %s: %.0f, and at the end %.0f", name, early, late)
		}
	}
}

func median(part []sample, get func(sample) float64) float64 {
	var values []float64
	for _, s := range part {
		values = append(values, get(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
