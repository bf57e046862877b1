package httpapi

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/postil/postil/internal/postil"
)

// buttons returns name and value of the buttons of the forms in n, with where
// each form goes.
func buttons(n *html.Node) (all []string) {
	for _, f := range find(n, "form") {
		for _, b := range find(f, "button") {
			all = append(all, attr(f, "action")+" "+attr(b, "name")+"="+attr(b, "value"))
		}
	}
	return all
}

// press sends a button of a reaction form, as a browser without scripts does.
func press(t *testing.T, address, query, name, emoji string, headers ...string) reply {
	t.Helper()
	return ask(t, "POST", address+"/thread/blog"+query, url.Values{name: {emoji}}.Encode(), append([]string{"Content-Type", formType}, headers...)...)
}

const reactTo17 = "?post=%2Fposts%2Fhello&react=17"

func TestReactionsNeedNoScript(t *testing.T) {
	t.Parallel()
	w := newWorld()
	address := w.open(t)
	root := inspect(t, ask(t, "GET", address+pagePath, "").text)
	var want []string
	for _, emoji := range postil.DefaultReactions() {
		want = append(want, reactTo17+" emoji="+emoji)
	}
	if got := buttons(byID(root, "postil-17")); !slices.Equal(got, want) {
		t.Errorf("the buttons are %q, want %q", got, want)
	}
	if got := text(find(byID(root, "postil-17"), "button")[0]); got != "👍 2" {
		t.Errorf("the first button says %q", got)
	}
	if got := buttons(byID(root, "postil-18")); len(got) != 0 {
		t.Errorf("a removed comment takes %q", got)
	}

	r := press(t, address, reactTo17+"&sort=newest&limit=5", "emoji", "❤️").want(t, 303, "")
	back := "?post=%2Fposts%2Fhello&sort=newest&limit=5&focus=17&reacted=1&v=43#postil-17"
	r.wantHeader(t, "Location", back, "Cache-Control", "no-store", "Set-Cookie", "", "Access-Control-Allow-Origin", "")
	root = inspect(t, ask(t, "GET", address+"/thread/blog"+strings.TrimSuffix(back, "#postil-17"), "").want(t, 200, "").wantHeader(t, "Cache-Control", "no-store").text)
	taken := "?post=%2Fposts%2Fhello&sort=newest&limit=5&react=17 back=👍"
	if got := buttons(byID(root, "postil-17")); !slices.Contains(got, taken) {
		t.Errorf("nothing takes a reaction back: %q", got)
	}
	if got := buttons(byID(root, "postil-21")); len(got) != len(want) {
		t.Errorf("the comment that nobody pressed has %q", got)
	}
	press(t, address, reactTo17, "back", "👍").want(t, 303, "").wantHeader(t, "Location", "?post=%2Fposts%2Fhello&focus=17&v=44#postil-17")
	if want := []string{"17 ❤  actor-of-127.0.0.1 true", "17 👍  actor-of-127.0.0.1 false"}; !slices.Equal(w.acted, want) {
		t.Errorf("it did %q, want %q", w.acted, want)
	}
	if want := []string{"reactions actor-of-127.0.0.1", "reactions actor-of-127.0.0.1"}; !slices.Equal(w.took, want) {
		t.Errorf("it took %q, want %q", w.took, want)
	}
}

func TestAReactionWithoutScriptIsRefusedAsAnyOther_AUTH_04(t *testing.T) {
	t.Parallel()
	w := newWorld()
	address := w.open(t)
	for name, c := range map[string]struct {
		query, field, emoji string
		headers             []string
		status              int
	}{
		"an emoji that is none": {reactTo17, "emoji", "<b>", nil, 400},
		"no emoji":              {reactTo17, "text", "Hello", nil, 400},
		"an unknown comment":    {"?post=%2Fposts%2Fhello&react=18", "emoji", "👍", nil, 404},
		"no comment":            {"?post=%2Fposts%2Fhello&react=", "emoji", "👍", nil, 404},
		"no post":               {"?react=17", "emoji", "👍", nil, 400},
		"another site's post":   {"?post=https%3A%2F%2Fother.example%2F&react=17", "emoji", "👍", nil, 400},
		"a foreign page":        {reactTo17, "emoji", "👍", []string{"Origin", "https://evil.example"}, 403},
		"a page without origin": {reactTo17, "emoji", "👍", []string{"Origin", "null"}, 403},
		"a page that hides":     {reactTo17, "emoji", "👍", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"text/plain":            {reactTo17, "emoji", "👍", []string{"Content-Type", "text/plain"}, 415},
	} {
		r := press(t, address, c.query, c.field, c.emoji, c.headers...)
		if r.StatusCode != c.status {
			t.Errorf("%s: answered with %d, want %d", name, r.StatusCode, c.status)
		}
		inspect(t, r.text)
	}
	if slices.ContainsFunc(w.acted, func(s string) bool { return !strings.HasPrefix(s, "18 ") }) {
		t.Errorf("it did %q", w.acted)
	}
	w.refusal = &postil.Error{Kind: postil.Throttled, RetryAfter: 7 * time.Second, Sentence: "That was a little too much at once."}
	r := press(t, address, reactTo17, "emoji", "👍").want(t, 429, "").wantHeader(t, "Retry-After", "7")
	if !strings.Contains(text(inspect(t, r.text)), "a little too much at once") {
		t.Errorf("too often: %s", r.text)
	}
}

func TestWhereNobodyCanReactTheNumbersStay(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for name, change := range map[string]func(){"fragment": func() {}, "lockdown": func() { w.thread.Lockdown = true }} {
		change()
		path := pagePath
		if name == "fragment" {
			path += "&fragment=1"
		}
		root := inspect(t, ask(t, "GET", w.open(t)+path, "").text)
		if got := buttons(byID(root, "postil-17")); len(got) != 0 || !strings.Contains(text(byID(root, "postil-17")), "👍 2") {
			t.Errorf("%s: %q in %s", name, got, text(byID(root, "postil-17")))
		}
		if got := text(byID(root, "postil-21")); strings.Contains(got, "React") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
