// Command build bundles the widget and the admin page's script and style with esbuild's Go API, so that neither Node nor a package
// manager is needed to build or to change it. It does not check types; `tsc --noEmit -p web` does.
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
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// maxGzip is the budget, in bytes, for all that a reader downloads to read and write comments.
const maxGzip = 15_000

// names are the files that hold the bundle. A versioned address stays alive for pages that pinned
// it, so a name is never removed from this list; an incompatible widget adds one.
var names = []string{"widget.js", "widget.v1.js"}

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
	bundle, err := build(*web)
	if err != nil {
		return err
	}
	zipped, err := gzipSize(bundle)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "widget.js: %d bytes, %d gzip (at most %d)\n", len(bundle), zipped, maxGzip)
	if zipped > maxGzip {
		return fmt.Errorf("the widget has %d bytes gzip, %d are allowed: make it smaller before it is shipped", zipped, maxGzip)
	}
	dist := filepath.Join(*web, "dist")
	if *check {
		return errors.Join(compare(dist, bundle), admin(*web, true, out))
	}
	return errors.Join(write(dist, bundle), admin(*web, false, out))
}

// build returns the minified bundle of web/widget: one immediately invoked function, which runs
// the same as a classic script and as a module.
func build(web string) ([]byte, error) {
	abs, err := filepath.Abs(web)
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     abs,
		EntryPoints:       []string{"widget/index.ts"},
		Bundle:            true,
		Format:            api.FormatIIFE,
		Target:            api.ES2020,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Plugins:           []api.Plugin{styleAsText},
		LogLevel:          api.LogLevelSilent,
	})
	if err := problems(result.Errors); err != nil {
		return nil, err
	}
	return result.OutputFiles[0].Contents, nil
}

// styleAsText makes `import css from "./style.css"` the minified text of the style sheet. The text
// goes into a constructed sheet, which needs no permission from the page's security policy.
var styleAsText = api.Plugin{Name: "style as text", Setup: func(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		source, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		result := api.Transform(string(source), api.TransformOptions{
			Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		})
		if err := problems(result.Errors); err != nil {
			return api.OnLoadResult{}, err
		}
		text := string(bytes.TrimSpace(result.Code))
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderText}, nil
	})
}}

func problems(messages []api.Message) error {
	var errs []error
	for _, text := range api.FormatMessages(messages, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
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

func write(dist string, bundle []byte) error {
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dist, name), bundle, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare fails with the command to run when a file of dist is not the bundle.
func compare(dist string, bundle []byte) error {
	for _, name := range names {
		kept, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil || !bytes.Equal(kept, bundle) {
			return fmt.Errorf("%s is not what web/widget gives: run `go run ./web/build` and commit the result", filepath.Join(dist, name))
		}
	}
	return nil
}
