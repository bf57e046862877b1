package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// measureInside runs benchmarks of packages: what cannot be seen from outside
// the process, or only together with everything else.
func measureInside(ctx context.Context, b *bench) error {
	for _, m := range []struct {
		pkg, name, unit string
		what, goal      string
		most            float64 // 0 for no goal
	}{
		{"cache", "BenchmarkHit", "ns/op", "an answer from memory", "", 0},
		{"httpapi", "BenchmarkHotRead/200_br", "allocs/op", "allocations of a hot read", "", 0},
		{"settings", "BenchmarkEvaluate", "ns/op", "a flag of 200 with 10 rules each", "< 1,000 ns", 1_000},
		{"settings", "BenchmarkEvaluate", "allocs/op", "its allocations", "0", 0.5},
		{"settings", "BenchmarkChangeOnThreeNodes", "p99-ms", "a changed flag is on all of three nodes, p99", "< 50 ms", 50},
		{"classifier", "BenchmarkScore", "ns/op", "a verdict", "< 1 ms", 1e6},
	} {
		v, err := packageBenchmark(ctx, m.pkg, m.name, m.unit)
		if err != nil {
			return err
		}
		measured := fmt.Sprintf("%g %s", v, m.unit)
		if m.goal == "" {
			b.report.note(m.what, v, measured)
			continue
		}
		b.report.judge(m.what, v, measured, m.goal, v < m.most)
	}
	return nil
}

var figure = regexp.MustCompile(`([0-9.]+) (\S+)`)

// packageBenchmark runs a benchmark of a package below internal and returns one
// of its figures.
func packageBenchmark(ctx context.Context, pkg, name, unit string) (float64, error) {
	out, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^"+name+"$", "-benchmem", "./internal/"+pkg).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s of %s: %w\n%s", name, pkg, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, name) {
			continue
		}
		for _, m := range figure.FindAllStringSubmatch(strings.ReplaceAll(line, "\t", " "), -1) {
			if m[2] == unit {
				return strconv.ParseFloat(m[1], 64)
			}
		}
	}
	return 0, fmt.Errorf("%s of %s says no %s:\n%s", name, pkg, unit, out)
}
