package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/postil/postil/internal/classifier"
)

// board plays games and prints their table.
type board struct {
	streams []stream
	tuning  classifier.Tuning
	wrong   bool
	weights map[string]classifier.Weights // by the family that they have not seen
}

func newBoard(streams []stream, t classifier.Tuning, wrong bool) *board {
	b := &board{streams: streams, tuning: t, wrong: wrong, weights: map[string]classifier.Weights{}}
	for _, s := range streams {
		if _, ok := b.weights[s.family()]; !ok {
			b.weights[s.family()] = fit(streams, s.family())
		}
	}
	return b
}

func (b *board) play(out io.Writer) error {
	fmt.Fprintln(out, "| stream | rows | spam stopped | honest stopped | honest public at once | queue | spam published |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	blogs := []string{"d1", "d2", "d3", "d4", "d5"}
	b.group(out, "d1–d5, mean (honest pooled)", blogs, rules{})
	b.group(out, "d1 and d5 after 300 decisions", []string{"d1", "d5"}, rules{first: 300})
	b.group(out, "d6, short comments", []string{"d6"}, rules{})
	b.group(out, "d7, Russian", []string{"d7"}, rules{})
	b.group(out, "d8, honest only", []string{"d8"}, rules{})
	b.group(out, "d1–d5, owner wrong in 3 %", blogs, rules{careless: 0.03})
	var rest []string
	for _, s := range b.streams {
		if f := s.family(); !slices.Contains(rest, f) && !slices.Contains([]string{"d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"}, f) {
			rest = append(rest, f)
		}
	}
	b.group(out, "others", rest, rules{})
	return nil
}

// group plays the streams of some families and sums them up. Shares that
// concern spam and the queue are means over streams for the blogs, all others
// are over all comments.
func (b *board) group(out io.Writer, title string, families []string, r rules) {
	var results []result
	var sum result
	for _, s := range b.streams {
		if !slices.Contains(families, s.family()) {
			continue
		}
		w := b.weights[s.family()]
		res := play(s, classifier.Options{Weights: &w, Tuning: &b.tuning}, r, func(at int, sub submission, sc classifier.Score) {
			if b.wrong {
				fmt.Fprintf(out, "%s %d: spam %t, %s at %.2f (shipped %.2f, local %.2f): %s\n", s.name, at+1, sub.spam, sc.Verdict, sc.Logit, sc.Shipped, sc.Local, names(sc.Reasons))
			}
		})
		results = append(results, res)
		sum.add(res)
		if len(families) > 1 && r.careless == 0 {
			line(out, s.name, res, share(res.stopped, res.spam), share(res.queue, res.spam+res.honest), share(res.spamPublic, res.spam))
		}
	}
	if len(results) == 0 {
		return
	}
	stopped, queue, published := share(sum.stopped, sum.spam), share(sum.queue, sum.spam+sum.honest), share(sum.spamPublic, sum.spam)
	if strings.Contains(title, "d1–d5") {
		stopped, queue, published = 0, 0, 0
		n := float64(len(results))
		for _, res := range results {
			stopped += share(res.stopped, res.spam) / n
			queue += share(res.queue, res.spam+res.honest) / n
			published += share(res.spamPublic, res.spam) / n
		}
	}
	line(out, "**"+title+"**", sum, stopped, queue, published)
}

func line(out io.Writer, title string, r result, stopped, queue, published float64) {
	fmt.Fprintf(out, "| %s | %d | %.1f %% | %d (%.2f %%) | %.1f %% | %.1f %% | %.1f %% |\n", title, r.spam+r.honest, stopped,
		r.wrong, share(r.wrong, r.honest), share(r.public, r.honest), queue, published)
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func names(rs []classifier.Reason) string {
	var all []string
	for _, r := range rs {
		all = append(all, fmt.Sprintf("%s %+.1f", r.Name, r.Weight))
	}
	return strings.Join(all, ", ")
}
