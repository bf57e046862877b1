package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/postil/postil/internal/classifier"
)

// row is a submission with the owner's decision.
type row struct {
	Seq       int64  `json:"seq"`
	Stream    string `json:"stream"`
	T         int64  `json:"t"`
	Page      string `json:"page"`
	Author    string `json:"author"`
	Website   string `json:"website"`
	AuthorKey string `json:"author_key"`
	Reply     bool   `json:"reply"`
	Text      string `json:"text"`
	Spam      int    `json:"spam"`
}

type submission struct {
	classifier.Sample
	spam bool
}

type stream struct {
	name string
	rows []submission
}

// family is what streams share that are parts of one.
func (s stream) family() string {
	f, _, _ := strings.Cut(s.name, "_")
	return f
}

func (s stream) mixed() bool {
	for _, r := range s.rows {
		if r.spam != s.rows[0].spam {
			return true
		}
	}
	return false
}

func readStreams(files []string) (all []stream, err error) {
	for _, file := range files {
		s, err := readStream(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func readStream(file string) (s stream, err error) {
	f, err := os.Open(file)
	if err != nil {
		return s, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return s, fmt.Errorf("line %d: %w", len(s.rows)+1, err)
		}
		s.name = r.Stream
		s.rows = append(s.rows, submission{classifier.Sample{ID: int64(len(s.rows) + 1), Page: r.Page, Name: r.Author, Website: r.Website,
			Author: r.AuthorKey, Text: r.Text, Reply: r.Reply, At: time.Unix(r.T, 0)}.Prepared(), r.Spam == 1})
	}
	return s, lines.Err()
}

func readTuning(s string) (classifier.Tuning, error) {
	t := classifier.DefaultTuning()
	if s == "" {
		return t, nil
	}
	return t, json.Unmarshal([]byte(s), &t)
}
