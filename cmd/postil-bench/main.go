// Command postil-bench measures the real binary from outside: how fast it
// starts, how large and how hungry it is, and how long a comment takes to a
// moderator and back. It prints a table of figures beside the goals; it is not
// shipped to users, and it fails only when something cannot be measured.
//
// Every server that it speaks to runs on this machine, started by itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 200, "comments on the way to a moderator and back")
	posters := flag.Int("posters", 100, "clients that post at the same time")
	posting := flag.Duration("posting", 10*time.Second, "how long they post")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, *posters, *posting); err != nil {
		fmt.Fprintln(os.Stderr, "postil-bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds, posters int, posting time.Duration) error {
	binary, remove, err := buildBinary(ctx)
	if err != nil {
		return err
	}
	defer remove()
	var t table
	for _, measure := range []func(context.Context, string, *table) error{
		measureSize,
		measureStart,
		func(ctx context.Context, bin string, t *table) error { return measureTravel(ctx, bin, rounds, t) },
		func(ctx context.Context, bin string, t *table) error {
			return measurePosting(ctx, bin, posters, posting, t)
		},
	} {
		if err := measure(ctx, binary, &t); err != nil {
			return err
		}
	}
	t.print(os.Stdout)
	return nil
}
