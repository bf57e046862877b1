package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
		TsconfigRaw:       `{"compilerOptions":{"alwaysStrict":false}}`,
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

// addParts makes what is loaded on demand: a module with a default export for each file of
// widget/parts, and for each language of the widget and of the question box.
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
	return errors.Join(addTexts(web, "lang", partPrefix, made), addTexts(web, "ask", partPrefix+"ask-", made))
}

// addTexts makes a module of each table of texts in a folder of widget/.
func addTexts(web, folder, prefix string, made map[string][]byte) error {
	languages, err := filepath.Glob(filepath.Join(web, "widget", folder, "*.json"))
	if err != nil {
		return err
	}
	for _, path := range languages {
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, source); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name := prefix + strings.TrimSuffix(filepath.Base(path), ".json") + ".js"
		made[name] = fmt.Appendf(nil, "export default%s\n", compact.Bytes())
	}
	return nil
}

// looseSpace is what the minifier leaves in custom properties, where space could mean something; in
// ours it does not.
var looseSpace = regexp.MustCompile(`(--[a-z-]+:|,) `)

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
		text := string(bytes.TrimSpace(looseSpace.ReplaceAll(result.Code, []byte("$1"))))
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
