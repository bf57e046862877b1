package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
)

// The threads that are probed in a generated database, whatever its size.
const (
	hundredPost = "/posts/hundred" // 100 comments
	longPost    = "/posts/long"    // as many as longest says
	longest     = 10_000
)

// runGenerate makes a data directory: "postil-bench generate -comments N
// -posts M DIR" spreads N comments over M posts, beside the probed threads.
func runGenerate(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	comments := flags.Int("comments", 100_000, "comments, beside those of the probed threads")
	posts := flags.Int("posts", 20_000, "posts over which they are spread")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *comments < 1 || *posts < 1 {
		return errors.New("generate: name the directory to make, and at least one comment and post")
	}
	dir := flags.Arg(0)
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("generate: %s is there already", dir)
	}
	return seed(ctx, dir, grownBlog(*comments, *posts))
}

func spreadPost(i int) string { return fmt.Sprintf("/spread/%d", i) }

// grownBlog yields the probed threads and then the others, of which the later
// ones are empty when there are more posts than comments.
func grownBlog(comments, posts int) iter.Seq[thread] {
	rng := rand.New(rand.NewPCG(3, 4))
	return func(yield func(thread) bool) {
		if !yield(thread{hundredPost, conversation(rng, 100, 47)}) || !yield(thread{longPost, conversation(rng, longest, longest*2/5)}) {
			return
		}
		for i := range posts {
			n := comments / posts
			if i < comments%posts {
				n++
			}
			if !yield(thread{spreadPost(i), conversation(rng, n, (n+1)/2)}) {
				return
			}
		}
	}
}
