package main

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// searches are what moderators type: words that many comments have and words
// that none has, phrases, and all of it narrowed. Each is asked with another
// word every time.
func searches() []struct {
	name  string
	query func(i int) string
} {
	word := func(i int) string { return url.QueryEscape(vocabulary[i%len(vocabulary)]) }
	return []struct {
		name  string
		query func(i int) string
	}{
		{"a word of 400,000 comments", word},
		{"two such words", func(i int) string { return word(i) + "+" + word(i*7+3) }},
		{"a phrase of two such words", func(i int) string { return "%22" + word(i) + "+" + word(i*5+1) + "%22" }},
		{"a word that no comment has", func(i int) string { return fmt.Sprintf("nowhere%d", i) }},
		{"a word, in a status that none of its comments has", func(i int) string { return word(i) + "&status=spam" }},
		{"a word, among what waits", func(i int) string { return word(i) + "&queue=open" }},
		{"a word, on one post", func(i int) string { return word(i) + "&site=" + siteKey + "&post=" + url.QueryEscape(spreadPost(i*13)) }},
		{"a word, of one author", func(i int) string { return word(i) + "&author=nobody" }},
		{"a word, in the first hour", func(i int) string { return word(i) + "&to=2026-01-01" }},
		{"a name and a word", func(i int) string { return fmt.Sprintf("%%22reader+%02d%%22+%s", i%25, word(i)) }},
		{"a title that one post has", func(i int) string { return url.QueryEscape(fmt.Sprintf(`"spread %d"`, i*7)) }},
		{"a word with signs", func(i int) string { return url.QueryEscape("example.org/" + vocabulary[i%len(vocabulary)]) }},
		{"signs alone", func(int) string { return "%25%25" }},
	}
}

// measureSearch asks a grown blog, whose index its comments have made.
func measureSearch(ctx context.Context, b *bench) error {
	many := manyComments
	if b.quick {
		many /= 100
	}
	began := time.Now()
	dir, err := b.seeded(ctx, fmt.Sprintf("grown-%d", many), func() (iter.Seq[thread], error) { return grownBlog(many, grownPosts), nil })
	if err != nil {
		return err
	}
	b.report.note("to fill it", time.Since(began).Seconds(), fmt.Sprintf("%.0f s", time.Since(began).Seconds()))
	if info, err := os.Stat(filepath.Join(dir, "postil.db")); err == nil {
		b.report.note("the file", float64(info.Size()), mib(info.Size()))
	}
	s, err := b.start(ctx, dir)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := queueUp(ctx, s); err != nil {
		return err
	}
	c, err := dial(ctx, s.addr)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	var all []time.Duration
	for _, what := range searches() {
		var took []time.Duration
		for i := range 60 {
			asked := time.Now()
			status, err := c.do(get("/api/v1/admin/comments?limit=50&q="+what.query(i), "Authorization: Bearer "+adminKey))
			if err != nil || status != 200 {
				return fmt.Errorf("%s: answered with %d: %w", what.name, status, err)
			}
			took = append(took, time.Since(asked))
		}
		p95 := quantile(took, 0.95)
		b.report.note(what.name, p95.Seconds(), fmt.Sprintf("p50 %s, p95 %s", ms(median(took)), ms(p95)))
		all = append(all, took...)
	}
	p95 := quantile(all, 0.95)
	b.report.judge("all of them, of "+fmt.Sprint(many), p95.Seconds(), fmt.Sprintf("p50 %s, p95 %s", ms(median(all)), ms(p95)), "p95 < 100 ms", p95 < 100*time.Millisecond)
	return nil
}
