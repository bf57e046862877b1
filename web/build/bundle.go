package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// settings are what every bundle is made with. Members that end in an underscore are ours alone
// and get short names; what the server, the browser, storage or a part that is loaded on demand
// knows must not end in one.
func settings(web, entry string, format api.Format) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:     web,
		EntryPoints:       []string{entry},
		Bundle:            true,
		Format:            format,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		MangleProps:       "[^_]_$",
		LegalComments:     api.LegalCommentsNone,
		Plugins:           []api.Plugin{styleAsText},
		LogLevel:          api.LogLevelSilent,
	}
}

// script returns the bundle of an entry as one immediately invoked function, which runs the same
// as a classic script and as a module.
func script(web, entry string) ([]byte, error) { return bundle(settings(web, entry, api.FormatIIFE)) }

func bundle(o api.BuildOptions) ([]byte, error) {
	result := api.Build(o)
	if err := problems(result.Errors); err != nil {
		return nil, err
	}
	return result.OutputFiles[0].Contents, nil
}

// addParts makes what the widget loads on demand: a module with a default export for each file of
// widget/parts, and for each language in widget/lang.
func addParts(web string, made map[string][]byte) error {
	parts, err := filepath.Glob(filepath.Join(web, "widget", "parts", "*.ts"))
	if err != nil {
		return err
	}
	for _, path := range parts {
		name := partPrefix + strings.TrimSuffix(filepath.Base(path), ".ts") + ".js"
		body, err := bundle(settings(web, path, api.FormatESModule))
		if err != nil {
			return err
		}
		made[name] = body
	}
	languages, err := filepath.Glob(filepath.Join(web, "widget", "lang", "*.json"))
	if err != nil {
		return err
	}
	for _, path := range languages {
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var small bytes.Buffer
		if err := json.Compact(&small, source); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name := partPrefix + strings.TrimSuffix(filepath.Base(path), ".json") + ".js"
		made[name] = fmt.Appendf(nil, "export default%s\n", small.Bytes())
	}
	return nil
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
