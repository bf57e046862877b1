package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/postil/postil/internal/apptest/edge"
)

const edgeConf = "deploy/nginx-edge.conf"

// measureEdge lets nginx with the shipped configuration answer readers of the
// hot thread while comments are approved into it.
func measureEdge(ctx context.Context, b *bench) error {
	if _, err := exec.LookPath("nginx"); err != nil {
		b.report.note("nginx", 0, "is not installed, so the edge was not measured")
		return nil
	}
	s, err := b.library(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	dir, err := b.dir("nginx")
	if err != nil {
		return err
	}
	if err := os.Chmod(b.scratch, 0o711); err != nil {
		return err
	}
	listen, err := freeAddress()
	if err != nil {
		return err
	}
	front, err := edge.Start(ctx, edgeConf, dir, listen, s.addr)
	if err != nil {
		return err
	}
	defer front.Stop()
	worker, err := front.Worker()
	if err != nil {
		return err
	}
	st := newStorm(s, 8, 2)
	reader := load{addr: front.Addr, conns: readers, next: always(get(threadURI(hotPost), gzipWanted))}
	if _, err := reader.run(ctx, 100*time.Millisecond); err != nil {
		return err
	}
	var got *sent
	var used time.Duration
	grown, err := s.grown(ctx, func() error {
		return st.around(ctx, func() error {
			before, err := cpuOf(worker)
			if err != nil {
				return err
			}
			if got, err = reader.run(ctx, b.slice(6*time.Second)); err != nil {
				return err
			}
			after, err := cpuOf(worker)
			used = after - before
			return err
		})
	})
	if err != nil {
		return err
	}
	reached := grown(hits) + grown(stales) + grown(misses)
	each := reached / got.took.Seconds()
	b.report.note("requests/s at the edge, while comments are approved", got.rate(), fmt.Sprintf("%.0f, p99 %s, %d errors", got.rate(), ms(got.quantile(0.99)), got.others(200)))
	b.report.judge("requests/s that reach the service, one thread and coding", each, fmt.Sprintf("%.1f", each), "≤ 2", each <= 2)
	b.report.note("edge requests per service request", float64(got.n)/max(reached, 1), fmt.Sprintf("%.0f", float64(got.n)/max(reached, 1)))
	b.report.note("requests/s per core of the edge", float64(got.n)/used.Seconds(), fmt.Sprintf("%.0f (%.1f µs of nginx for each)", float64(got.n)/used.Seconds(), float64(used.Microseconds())/float64(got.n)))
	return nil
}
