package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

// A data directory is filled by the store itself: what is measured is what the
// service would have written, only sooner.

// seed fills a new data directory with approved comments.
func seed(ctx context.Context, dir string, threads iter.Seq[thread]) (err error) {
	s, err := store.Open(ctx, slog.New(slog.NewTextHandler(io.Discard, nil)), filepath.Join(dir, "postil.db"), store.Options{Queue: 4096})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	writing, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(writing) }()
	defer func() { stop(); err = errors.Join(err, <-done) }()

	_, err = s.AddSite(ctx, postil.Site{ID: siteKey, Name: siteKey, Policy: postil.FirstComment, MaxLinks: 2, Origins: []string{"https://bench.example"}}, seeder)
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(256) // threads at once, so that the writer has full batches
	for t := range threads {
		g.Go(func() error { return sow(gctx, s, t) })
	}
	return errors.Join(g.Wait(), settle(ctx, s))
}

var seeder = postil.By{Channel: postil.ByREST, Actor: "bench", Name: "bench"}

// sow adds the comments of one thread, one after the other. A long thread goes
// in by its levels, whose comments need not wait for each other.
func sow(ctx context.Context, s *store.Store, t thread) error {
	const long = 500
	ids := make([]postil.CommentID, len(t.comments))
	if len(t.comments) < long {
		for i := range t.comments {
			if err := sowOne(ctx, s, t, ids, i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, level := range levels(t.comments) {
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(256)
		for _, i := range level {
			g.Go(func() error { return sowOne(gctx, s, t, ids, i) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func sowOne(ctx context.Context, s *store.Store, t thread, ids []postil.CommentID, i int) error {
	e := t.comments[i]
	n := postil.NewComment{Site: siteKey, Post: postil.PostRef{ID: postil.PostID(t.post)}, Author: postil.Author{Name: e.Author},
		Text: e.Body, HTML: markup.Render(e.Body), Nonce: "bench", TextHash: markup.Fingerprint(e.Body)}
	if e.Parent != nil {
		n.Parent = ids[*e.Parent]
	}
	out, err := s.AddComment(ctx, n, approved)
	ids[i] = out.Comment.ID
	return err
}

// levels returns the indexes of comments by their depth.
func levels(comments []entry) (out [][]int) {
	depth := make([]int, len(comments))
	for i, e := range comments {
		if e.Parent != nil {
			depth[i] = depth[*e.Parent] + 1
		}
		if depth[i] == len(out) {
			out = append(out, nil)
		}
		out[depth[i]] = append(out[depth[i]], i)
	}
	return out
}

func approved(postil.Comment, postil.Decision) (*postil.Change, error) {
	return &postil.Change{Verb: postil.Approve, To: postil.Approved, By: seeder, Checks: &postil.Conclusion{Verdict: postil.VerdictApprove}}, nil
}

// settle marks every event as published: nobody is to be told of the past.
func settle(ctx context.Context, s *store.Store) error {
	for after := postil.EventID(0); ; {
		pending, err := s.PendingEvents(ctx, after, 10_000)
		if err != nil || len(pending) == 0 {
			return err
		}
		ids := make([]postil.EventID, len(pending))
		for i, ev := range pending {
			ids[i] = ev.ID
		}
		if err := s.MarkPublished(ctx, ids); err != nil {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// seeded returns a new data directory that holds the named threads,
// which are made once.
func (b *bench) seeded(ctx context.Context, name string, threads func() (iter.Seq[thread], error)) (string, error) {
	if b.stored[name] == "" {
		dir, err := b.dir(name)
		if err != nil {
			return "", err
		}
		list, err := threads()
		if err != nil {
			return "", err
		}
		if err := seed(ctx, dir, list); err != nil {
			return "", err
		}
		b.stored[name] = dir
	}
	parent, err := b.dir(name)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(parent, "data")
	return dir, os.CopyFS(dir, os.DirFS(b.stored[name]))
}
