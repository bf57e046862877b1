package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forms are the plural forms that whole numbers take, by language; all others have one and other.
var forms = map[string][]string{
	"ar": {"zero", "one", "two", "few", "many", "other"}, "he": {"one", "two", "other"},
	"pl": {"one", "few", "many", "other"}, "ru": {"one", "few", "many", "other"}, "uk": {"one", "few", "many", "other"},
	"ja": {"other"}, "ko": {"other"}, "zh-hans": {"other"}, "zh-hant": {"other"},
}

// notTranslated are the sentences for whoever embeds the widget, not for readers.
var notTranslated = []string{"blocked", "setup", "unknownSite"}

// problemSlugs are texts that languages have for what the server says in English.
var problemSlugs = map[string]string{"rate-limited": "", "overloaded": "", "not-saved": "", "edit-window-over": "", "too-large": ""}

// englishTexts are the texts of the widget and its parts by key; a text with plural forms is one
// of them.
func englishTexts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	collect := func(path, pattern string) {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(body), -1) {
			all[m[1]] = m[2]
		}
	}
	collect("../widget/english.ts", `(?m)^  (\w+): (.+),$`)
	collect("../widget/parts/own.ts", `say\("(\w+)", "([^"]+)"`)
	collect("../widget/parts/options.ts", `say\("(\w+)", "([^"]+)"`)
	collect("../widget/parts/format.ts", `(?m)^  \["(\w+)", "(\w+)",`)
	for _, reason := range []string{"spam", "abuse", "personal", "illegal", "off-topic", "other"} {
		all["reason_"+reason] = ""
	}
	for slug, text := range problemSlugs {
		all[slug] = text
	}
	return all
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// placeholders returns the {names} of a text, each once.
func placeholders(text string) []string {
	found := placeholder.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

func TestEveryLanguageHasEveryTextAndPluralForm(t *testing.T) {
	english := englishTexts(t)
	paths, err := filepath.Glob("../widget/lang/*.json")
	if err != nil || len(paths) != 17 {
		t.Fatalf("there are %d languages besides English, want 17 (%v)", len(paths), err)
	}
	for _, path := range paths {
		language := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(language, func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]any{}
			if err := json.Unmarshal(raw, &texts); err != nil {
				t.Fatal(err)
			}
			for key, source := range english {
				text, ok := texts[key]
				switch {
				case slices.Contains(notTranslated, key):
				case !ok:
					t.Errorf("%s is missing", key)
				case strings.HasPrefix(source, "{"):
					checkForms(t, language, key, text)
				default:
					if s, _ := text.(string); s == "" || !slices.Equal(placeholders(s), placeholders(source)) {
						t.Errorf("%s is %q for %q", key, text, source)
					}
				}
			}
			for key := range texts {
				if _, known := english[key]; !known {
					t.Errorf("nothing asks for %s", key)
				}
			}
		})
	}
}

func checkForms(t *testing.T, language, key string, text any) {
	t.Helper()
	want := forms[language]
	if want == nil {
		want = []string{"one", "other"}
	}
	got, _ := text.(map[string]any)
	for _, form := range want {
		s, _ := got[form].(string)
		if s == "" {
			t.Errorf("%s has no form %q", key, form)
		}
		if form == "other" && !slices.Equal(placeholders(s), []string{"{n}"}) {
			t.Errorf("%s.%s is %q", key, form, s)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s has the forms %v, want %v", key, got, want)
	}
}

// The question box has its texts in the same languages, and the badge of views its “about”.
func TestTheSmallElementsSpeakEveryLanguage(t *testing.T) {
	source := func(name string) string {
		t.Helper()
		body, err := os.ReadFile(filepath.Join("..", "widget", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	english := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+): "(.+)",$`).FindAllStringSubmatch(source("question.ts"), -1) {
		english[m[1]] = m[2]
	}
	paths, err := filepath.Glob("../widget/lang/*.json")
	if err != nil || len(english) < 10 {
		t.Fatalf("the question box has %d texts (%v)", len(english), err)
	}
	views := source("views.ts")
	for _, path := range paths {
		texts := map[string]string{}
		if err := json.Unmarshal([]byte(source("ask/"+filepath.Base(path))), &texts); err != nil {
			t.Fatal(err)
		}
		for key, text := range english {
			if texts[key] == "" || !slices.Equal(placeholders(texts[key]), placeholders(text)) {
				t.Errorf("%s: %s is %q for %q", path, key, texts[key], text)
			}
		}
		if len(texts) != len(english) {
			t.Errorf("%s has %d texts, want %d", path, len(texts), len(english))
		}
		if language := strings.TrimSuffix(filepath.Base(path), ".json"); !regexp.MustCompile(`\b"?` + language + `"?: "[^"]*\{n\}`).MatchString(views) {
			t.Errorf("views.ts has no “about” in %s", language)
		}
	}
}

// The widget knows which languages there are without asking.
func TestTheWidgetsListOfLanguagesIsWhatThereIs(t *testing.T) {
	body, err := os.ReadFile("../widget/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`const languages = "([^"]+)"`).FindSubmatch(body)
	if list == nil {
		t.Fatal("words.ts has no list of languages")
	}
	var there []string
	paths, _ := filepath.Glob("../widget/lang/*.json")
	for _, path := range paths {
		there = append(there, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	if got := strings.Fields(string(list[1])); !slices.Equal(got, there) {
		t.Errorf("the list is %v, the files are %v", got, there)
	}
}
