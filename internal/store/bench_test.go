package store

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// spent returns the processor time of this process so far. On a shared machine
// it says more than the time that passes.
func spent() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAPostAndItsConclusion is what the writer does for a comment that
// then waits for a person, with 64 posters at a time.
func BenchmarkAPostAndItsConclusion(b *testing.B) {
	s := open(b, Options{})
	var serial atomic.Int64
	before := spent()
	b.ResetTimer()
	var posters sync.WaitGroup
	for range 64 {
		posters.Go(func() {
			for n := serial.Add(1); n <= int64(b.N); n = serial.Add(1) {
				postOne(b, s, n)
			}
		})
	}
	posters.Wait()
	b.StopTimer()
	b.ReportMetric(float64(spent()-before)/float64(b.N)/1e3, "cpu-µs/op")
}

func postOne(b testing.TB, s *Store, n int64) {
	c := benchComment(n)
	out, err := s.AddComment(ctx, c, nil)
	if err != nil {
		b.Error(err)
		return
	}
	_, err = s.Conclude(ctx, out.Comment.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: postil.Pending, Checks: &postil.Conclusion{Verdict: postil.VerdictHold}, Review: postil.OpenReview}, nil
	})
	if err != nil {
		b.Error(err)
	}
}

func benchComment(n int64) postil.NewComment {
	c := request(fmt.Sprintf("This is what somebody has to say about thing number %d", n))
	c.Post.ID = postil.PostID(fmt.Sprintf("/posts/%d", n%200))
	c.Origin = postil.Origin{Actor: fmt.Sprint("actor", n%64), Network: "network", Device: fmt.Sprint("device", n%64), UserAgent: "bench"}
	c.Replay.Twin, c.TextHash = fmt.Sprintf("%x", uint64(n)*0x9E3779B97F4A7C15), fmt.Sprintf("%x", uint64(n)*0xBF58476D1CE4E5B9)
	return c
}
