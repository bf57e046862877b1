package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// table collects figures beside what they should be.
type table struct{ rows [][3]string }

func (t *table) add(what, figure, goal string) {
	t.rows = append(t.rows, [3]string{what, figure, goal})
}

func (t *table) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "what\tmeasured\tgoal")
	for _, r := range t.rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", r[0], r[1], r[2])
	}
	tw.Flush()
}

// quantile returns the q-quantile of durations, 0 for none.
func quantile(ds []time.Duration, q float64) time.Duration {
	if len(ds) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(ds))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func spread(ds []time.Duration) string {
	return fmt.Sprintf("p50 %s, p99 %s", ms(quantile(ds, 0.5)), ms(quantile(ds, 0.99)))
}
