package main

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"time"
)

// quantile returns the q-quantile of values, the zero value for none.
func quantile[T cmp.Ordered](values []T, q float64) (zero T) {
	if len(values) == 0 {
		return zero
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func median[T cmp.Ordered](values []T) T { return quantile(values, 0.5) }

// ratios divides two series round by round.
func ratios(a, b []float64) []float64 {
	out := make([]float64, 0, len(a))
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			out = append(out, a[i]/b[i])
		}
	}
	return out
}

// around says a median with the lowest and the highest value.
func around(format string, values []float64) string {
	if len(values) == 0 {
		return "nothing"
	}
	return fmt.Sprintf(format+" ("+format+"–"+format+")", median(values), slices.Min(values), slices.Max(values))
}

func mib(n int64) string        { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func spread(ds []time.Duration) string {
	return fmt.Sprintf("p50 %s, p99 %s", ms(median(ds)), ms(quantile(ds, 0.99)))
}

// histogram counts durations in buckets that are 6 % wide, so that measuring
// costs next to nothing.
type histogram struct {
	buckets [64 * 16]uint64
	n       uint64
}

func (h *histogram) add(d time.Duration) {
	h.buckets[bucketOf(d)]++
	h.n++
}

func (h *histogram) merge(o *histogram) {
	for i, n := range o.buckets {
		h.buckets[i] += n
	}
	h.n += o.n
}

// quantile returns the upper end of the bucket in which the q-quantile lies.
func (h *histogram) quantile(q float64) time.Duration {
	want, seen := uint64(q*float64(h.n)), uint64(0)
	for i, n := range h.buckets {
		if seen += n; n > 0 && seen > want {
			return bucketEnd(i)
		}
	}
	return 0
}

// bucketOf cuts each power of two into sixteen parts.
func bucketOf(d time.Duration) int {
	ns := uint64(max(d, 1))
	if ns < 16 {
		return int(ns)
	}
	e := bits.Len64(ns) - 5
	return (e+1)*16 + int(ns>>e) - 16
}

func bucketEnd(i int) time.Duration {
	if i < 16 {
		return time.Duration(i)
	}
	e := i/16 - 1
	return time.Duration(uint64(i%16+17) << e)
}
