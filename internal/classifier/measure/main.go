// Command measure derives the shipped weights of the classifier from labelled
// streams of submissions, and plays such streams against a fresh site:
//
//	go run ./internal/classifier/measure weights STREAM… > internal/classifier/weights.go
//	go run ./internal/classifier/measure game STREAM…
//
// A stream is a file with one JSON object a line, in the order in which the
// submissions came: seq, stream, t (unix seconds), page, author, website,
// author_key, reply, text, spam (1 or 0). What is printed holds numbers and
// names of signals, never a word of a text.
//
// The game measures each stream with weights that were derived without it.
// Streams whose names begin with the same letters up to the first "_" are parts
// of one.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	wrong := flag.Bool("wrong", false, "list what was decided wrongly, by place in the stream and signals")
	tuning := flag.String("tuning", "", "JSON with constants other than the shipped ones")
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() < 2 {
		usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Args()[1:], *tuning, *wrong); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: measure [-wrong] [-tuning JSON] weights|game STREAM…")
	flag.PrintDefaults()
}

func run(verb string, files []string, tuning string, wrong bool) error {
	streams, err := readStreams(files)
	if err != nil {
		return err
	}
	switch verb {
	case "weights":
		return printWeights(os.Stdout, fit(streams, ""))
	case "game":
		t, err := readTuning(tuning)
		if err != nil {
			return err
		}
		return newBoard(streams, t, wrong).play(os.Stdout)
	}
	return fmt.Errorf("there is no %q; say weights or game", verb)
}
