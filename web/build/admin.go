package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// maxAdminGzip is the budget, in bytes, for the script and the style sheet of the admin page.
const maxAdminGzip = 20_000

// buildAdmin returns the files of the admin page by their names in dist.
func buildAdmin(web string) (map[string][]byte, error) {
	abs, err := filepath.Abs(web)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, entry := range map[string]string{"admin.js": "admin/index.ts", "admin.css": "admin/style.css"} {
		result := api.Build(api.BuildOptions{
			AbsWorkingDir:     abs,
			EntryPoints:       []string{entry},
			Bundle:            true,
			Format:            api.FormatIIFE,
			Target:            api.ES2022,
			Charset:           api.CharsetUTF8,
			MinifyWhitespace:  true,
			MinifyIdentifiers: true,
			MinifySyntax:      true,
			LegalComments:     api.LegalCommentsNone,
			Loader:            map[string]api.Loader{".css": api.LoaderCSS},
			LogLevel:          api.LogLevelSilent,
		})
		if err := problems(result.Errors); err != nil {
			return nil, err
		}
		files[name] = result.OutputFiles[0].Contents
	}
	return files, nil
}

// admin builds the admin page's files and writes them, or with check compares them with what is
// there. It reports their size.
func admin(web string, check bool, out io.Writer) error {
	files, err := buildAdmin(web)
	if err != nil {
		return err
	}
	total := 0
	var errs []error
	for _, name := range []string{"admin.css", "admin.js"} {
		zipped, err := gzipSize(files[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d bytes, %d gzip\n", name, len(files[name]), zipped)
		total += zipped
		path := filepath.Join(web, "dist", name)
		if !check {
			errs = append(errs, os.WriteFile(path, files[name], 0o644))
			continue
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, files[name]) {
			errs = append(errs, fmt.Errorf("%s is not what web/admin gives: run `go run ./web/build` and commit the result", path))
		}
	}
	if total > maxAdminGzip {
		errs = append(errs, fmt.Errorf("the admin page's files have %d bytes gzip, %d are allowed: make them smaller before they are shipped", total, maxAdminGzip))
	}
	return errors.Join(errs...)
}
