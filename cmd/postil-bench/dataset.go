package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

// thread is a post with its comments; a comment comes before its replies.
type thread struct {
	post     string
	comments []entry
}

type entry struct {
	Parent *int   `json:"parent"` // index of the comment that is answered
	Author string `json:"author"`
	Body   string `json:"body"`
}

const (
	hotPost   = "/posts/hot"
	zipfPosts = 200
)

func numbered(i int) string { return fmt.Sprintf("/posts/p%03d", i) }

// dataset returns the threads that reading is measured on: a hot one of 100
// comments, a small one of 20, and 200 of five.
func (b *bench) dataset() ([]thread, error) {
	if b.data != "" {
		return readDataset(b.data)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	all := []thread{{hotPost, conversation(rng, 100, 47)}, {"/posts/small", conversation(rng, 20, 10)}}
	for i := range zipfPosts {
		all = append(all, thread{numbered(i), conversation(rng, 5, 3)})
	}
	return all, nil
}

func readDataset(path string) ([]thread, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var posts map[string][]entry
	if err := json.Unmarshal(raw, &posts); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []thread
	for _, post := range slices.Sorted(maps.Keys(posts)) {
		all = append(all, thread{post, posts[post]})
	}
	if len(posts[hotPost]) == 0 {
		return nil, fmt.Errorf("%s has no %s", path, hotPost)
	}
	return all, nil
}

// deepest is how deep replies of a generated conversation go.
const deepest = 5

// conversation makes n comments, of which roots answer nobody.
func conversation(rng *rand.Rand, n, roots int) []entry {
	list, depth := make([]entry, 0, n), make([]int, 0, n)
	for i := range n {
		e := entry{Author: fmt.Sprintf("reader %02d", rng.IntN(25)), Body: paragraph(rng)}
		level := 0
		// As many of the rest are roots as are still missing.
		if missing := roots - count(depth, 0); i > 0 && rng.IntN(n-i) >= missing {
			if parent := rng.IntN(i); depth[parent] < deepest {
				e.Parent, level = &parent, depth[parent]+1
			}
		}
		list, depth = append(list, e), append(depth, level)
	}
	return list
}

func count(values []int, wanted int) (n int) {
	for _, v := range values {
		if v == wanted {
			n++
		}
	}
	return n
}

var vocabulary = strings.Fields(`about after again answer argue author because before better between blog build careful change
	choose clear code compare cost could different doubt edge error every example explain fast finally garden good harbour idea
	interesting kitchen later letter light maybe measure memory mistake morning mountain never notice often order paper perhaps
	question quiet rather reader reason record reply river simple slow still story summer surely test thanks thread train tried
	under weather window winter without wonder word work would write wrong year yesterday`)

// paragraph writes ten to seventy words, with some Markdown here and there.
func paragraph(rng *rand.Rand) string {
	words := make([]string, 10+rng.IntN(61))
	for i := range words {
		w := vocabulary[rng.IntN(len(vocabulary))]
		switch rng.IntN(60) {
		case 0:
			w = "**" + w + "**"
		case 1:
			w = "`" + w + "`"
		case 2:
			w = "[" + w + "](https://example.org/" + w + ")"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}
