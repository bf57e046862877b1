package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

func measureSize(_ context.Context, b *bench) error {
	fi, err := os.Stat(b.binary)
	if err != nil {
		return err
	}
	mb := float64(fi.Size()) / 1e6
	b.report.judge("stripped static binary", mb, fmt.Sprintf("%.1f MB", mb), "< 45 MB", mb < 45)
	return nil
}

// measureStart starts on an empty directory and waits for the first answer,
// then lets the process rest and looks at its memory.
func measureStart(ctx context.Context, b *bench) error {
	var starts []time.Duration
	times := b.rounds(5)
	for i := range times {
		began := time.Now()
		s, err := b.start(ctx, "")
		if err != nil {
			return err
		}
		starts = append(starts, time.Since(began))
		if i == times-1 {
			time.Sleep(b.slice(3 * time.Second))
			rss, err := s.memory()
			if err != nil {
				return err
			}
			b.report.judge("idle memory (resident)", float64(rss), mib(rss), "< 48 MiB", rss < 48<<20)
		}
		s.stop()
	}
	first := median(starts)
	b.report.judge("start on an empty directory to first 200", first.Seconds(), "median "+ms(first), "< 300 ms", first < 300*time.Millisecond)
	return nil
}
