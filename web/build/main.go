// Command build bundles the widget and the admin page's script and style with esbuild's Go API, so
// that neither Node nor a package manager is needed to build or to change it. It does not check types; `tsc --noEmit -p web` does.
//
// The result, web/dist, is committed: whoever builds the binary embeds exactly what was reviewed.
// A newcomer would forget to run it after a change; `-check` (and the package's test) says so.
//
//	go run ./web/build          write web/dist
//	go run ./web/build -check   fail when web/dist is not what the sources give
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// maxGzip is the budget, in bytes, for all that is transferred until a comment has been read,
// previewed, replied to and sent in English: widget.js and nothing else. What it loads on demand
// (toolbar, panels, languages, proof of work) is reported beside it.
const maxGzip = 15_000

// names are the files that hold the widget. A versioned address stays alive for pages that pinned
// it, so a name is never removed from this list; an incompatible widget adds one.
var names = []string{"widget.js", "widget.v1.js"}

// small are the elements beside the widget, each a bundle of its own.
var small = []string{"count", "views", "question"}

// partPrefix begins the names of the parts that a widget of this version loads on demand.
const partPrefix = "widget.v1."

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	check := flags.Bool("check", false, "rebuild in memory and fail when the dist folder differs")
	web := flags.String("web", "web", "the folder that holds widget/ and dist/")
	if err := flags.Parse(args); err != nil {
		return err
	}
	made, err := build(*web)
	if err != nil {
		return err
	}
	if err := report(made, out); err != nil {
		return err
	}
	dist := filepath.Join(*web, "dist")
	if *check {
		return errors.Join(compare(dist, made), admin(*web, true, out))
	}
	return errors.Join(write(dist, made), admin(*web, false, out))
}

// build returns all files of dist by name.
func build(web string) (map[string][]byte, error) {
	abs, err := filepath.Abs(web)
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	widget, err := script(abs, "widget/index.ts")
	for _, name := range names {
		made[name] = widget
	}
	for _, name := range small {
		body, wrong := script(abs, "widget/"+name+".ts")
		made[name+".js"] = body
		err = errors.Join(err, wrong)
	}
	types, wrong := os.ReadFile(filepath.Join(abs, "widget", "postil.d.ts"))
	made["postil.d.ts"] = types
	return made, errors.Join(err, wrong, addParts(abs, made))
}

func report(made map[string][]byte, out io.Writer) error {
	var widget int
	for _, name := range slices.Sorted(maps.Keys(made)) {
		zipped, err := gzipSize(made[name])
		if err != nil {
			return err
		}
		if name == names[0] {
			widget = zipped
		}
		fmt.Fprintf(out, "%-22s %6d bytes, %5d gzip\n", name, len(made[name]), zipped)
	}
	fmt.Fprintf(out, "until a comment is read, previewed, replied to and sent: %d bytes gzip (at most %d)\n", widget, maxGzip)
	if widget > maxGzip {
		return fmt.Errorf("the widget has %d bytes gzip, %d are allowed: make it smaller before it is shipped", widget, maxGzip)
	}
	return nil
}

func gzipSize(body []byte) (int, error) {
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(body); err != nil {
		return 0, err
	}
	err = w.Close()
	return zipped.Len(), err
}

func write(dist string, made map[string][]byte) error {
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	for name, body := range made {
		if err := os.WriteFile(filepath.Join(dist, name), body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare fails with the command to run when a file of dist is not the bundle.
func compare(dist string, made map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(made)) {
		kept, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil || !bytes.Equal(kept, made[name]) {
			return fmt.Errorf("%s is not what web/widget gives: run `go run ./web/build` and commit the result", filepath.Join(dist, name))
		}
	}
	return nil
}
