package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func measureSize(_ context.Context, binary string, t *table) error {
	fi, err := os.Stat(binary)
	if err != nil {
		return err
	}
	t.add("stripped static binary", fmt.Sprintf("%.1f MB", float64(fi.Size())/1e6), "under 45 MB")
	return nil
}

// measureStart starts on an empty directory and waits for the first answer,
// then lets the process rest and looks at its memory.
func measureStart(ctx context.Context, binary string, t *table) error {
	var starts []time.Duration
	for range 5 {
		began := time.Now()
		s, err := start(ctx, binary)
		if err != nil {
			return err
		}
		starts = append(starts, time.Since(began))
		if len(starts) == 5 {
			time.Sleep(3 * time.Second)
			rss, err := s.memory()
			if err != nil {
				return err
			}
			t.add("idle memory (resident)", mib(rss), "under 48 MiB")
		}
		s.stop()
	}
	t.add("start on an empty directory to first 200", "median "+ms(quantile(starts, 0.5)), "under 300 ms")
	return nil
}
