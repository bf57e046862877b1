// Command postil-bench measures the real binary from outside and prints every
// figure beside its goal: how fast it starts, how large it is, how a hot thread
// compares with the least that net/http can do, what a storm of writes, a
// crawler and an overload do to readers, how many comments a second it takes,
// what a stream costs, and how all that grows. It is not shipped to users, and
// it fails only when something cannot be measured.
//
//	postil-bench                     everything that fits into five minutes
//	postil-bench -only hot,storm     some scenarios; "growth" and "search" run only when they are named
//	postil-bench generate -comments 1000000 -posts 20000 DIR
//
// Absolute numbers are those of the machine and the hour. What is judged are
// ratios: both sides of each run by turns, the order swapped in each round.
//
// To add a scenario: write a func(context.Context, *bench) error and give it a
// row in scenarios. Every server that a scenario speaks to it starts itself,
// on this machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// scenario is one thing that is measured.
type scenario struct {
	name    string
	usual   bool // part of a run without -only
	measure func(context.Context, *bench) error
}

func scenarios() []scenario {
	return []scenario{
		{"size", true, measureSize},
		{"start", true, measureStart},
		{"travel", true, measureTravel},
		{"hot", true, measureHot},
		{"hot304", true, measureHot304},
		{"zipf", true, measureZipf},
		{"storm", true, measureStorm},
		{"loads", true, measureLoads},
		{"cold", true, measureCold},
		{"crawler", true, measureCrawler},
		{"overload", true, measureOverload},
		{"memory", true, measureMemory},
		{"posting", true, measurePosting},
		{"streams", true, measureStreams},
		{"views", true, measureViews},
		{"inside", true, measureInside},
		{"edge", true, measureEdge},
		{"growth", false, measureGrowth},
		{"search", false, measureSearch},
	}
}

// bench is one run.
type bench struct {
	binary  string // of the service
	scratch string // for everything that is made on the way
	data    string // a data set of somebody else's, "" for our own
	profile string // where profiles of the service go, "" for none
	quick   bool
	wrk     bool
	report  *report
	stored  map[string]string // data directories by what they hold, made once
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "postil-bench:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "ceiling":
			return runCeiling(ctx, args[1:])
		case "generate":
			return runGenerate(ctx, args[1:])
		case "serve":
			return runService(ctx, args)
		}
	}
	return runBench(ctx, args)
}

func runBench(ctx context.Context, args []string) error {
	b := &bench{report: newReport(), stored: map[string]string{}}
	flags := flag.NewFlagSet("postil-bench", flag.ContinueOnError)
	only := flags.String("only", "", "scenarios, separated by commas, instead of all: "+strings.Join(names(), " "))
	into := flags.String("json", "", "also write the figures to this `file`")
	flags.StringVar(&b.data, "data", "", "a JSON `file` of threads, {post: [{parent, author, body}…]} with a /posts/hot, instead of generated ones")
	flags.StringVar(&b.profile, "profile", "", "write CPU and heap profiles of the service into this `directory`; profiling costs, so compare nothing then")
	flags.BoolVar(&b.quick, "quick", false, "short rounds and few of them: whether it works, not how fast it is")
	flags.BoolVar(&b.wrk, "wrk", false, "let wrk, which must be installed, confirm the ratios of hot threads")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	if b.scratch, err = os.MkdirTemp("", "postil-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	if b.binary, err = buildBinary(ctx, b.scratch); err != nil {
		return err
	}
	err = b.run(ctx, chosen)
	b.report.print(os.Stdout)
	if *into != "" && err == nil {
		err = b.report.write(*into)
	}
	return err
}

func names() (all []string) {
	for _, s := range scenarios() {
		all = append(all, s.name)
	}
	return all
}

// choose returns the scenarios that are named, or the usual ones.
func choose(only string) (chosen []scenario, err error) {
	wanted := strings.FieldsFunc(only, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range wanted {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	for _, s := range scenarios() {
		if slices.Contains(wanted, s.name) || len(wanted) == 0 && s.usual {
			chosen = append(chosen, s)
		}
	}
	return chosen, nil
}

// run measures one scenario after the other. One that fails does not take the
// figures of the others along.
func (b *bench) run(ctx context.Context, chosen []scenario) error {
	var failed []string
	for _, s := range chosen {
		began := time.Now()
		b.report.scenario = s.name
		if err := s.measure(ctx, b); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(os.Stderr, "%s: %v\n", s.name, err)
			failed = append(failed, s.name)
		}
		fmt.Fprintf(os.Stderr, "%-9s %5.1f s\n", s.name, time.Since(began).Seconds())
	}
	if len(failed) > 0 {
		return fmt.Errorf("could not be measured: %s", strings.Join(failed, ", "))
	}
	return nil
}

// rounds returns how often both sides of a comparison run.
func (b *bench) rounds(usual int) int {
	if b.quick {
		return min(usual, 2)
	}
	return usual
}

// slice returns how long one side runs at a time.
func (b *bench) slice(usual time.Duration) time.Duration {
	if b.quick {
		return usual / 3
	}
	return usual
}

// dir makes a new empty directory.
func (b *bench) dir(name string) (string, error) {
	return os.MkdirTemp(b.scratch, filepath.Base(name)+"-")
}
