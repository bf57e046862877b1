package httpapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestAReactionIsUnderstoodHoweverItsEmojiIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t) + blog + "/comments/17/reactions/"
	for _, row := range []struct{ emoji, key string }{
		{"👍", "👍"}, {"%F0%9F%91%8D", "👍"}, {"%f0%9f%91%8d", "👍"},
		{"❤️", "❤"}, {"%E2%9D%A4", "❤"}, {"%E2%9D%A4%EF%B8%8F", "❤"}, {"%e2%9d%a4%EF%B8%8E", "❤"},
	} {
		ask(t, "PUT", url+row.emoji, "").want(t, 200, "")
		ask(t, "DELETE", url+row.emoji, `{"device":"aaaabbbbccccdddd"}`).want(t, 200, "")
		got, want := w.acted[len(w.acted)-2:], []string{"17 " + row.key + "  actor-of-127.0.0.1 true", "17 " + row.key + " aaaabbbbccccdddd actor-of-127.0.0.1 false"}
		if !slices.Equal(got, want) {
			t.Errorf("%s was understood as %q", row.emoji, got)
		}
	}
	if len(w.took) != 14 || w.took[0] != "reactions actor-of-127.0.0.1" {
		t.Errorf("allowances: %q", w.took)
	}
}

func TestAReactionThatCannotBeIsRefusedBeforeItCostsAnything(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t) + blog + "/comments/17/reactions/"
	for _, row := range []struct {
		emoji, body string
		status      int
		field       string
	}{
		{"+1", "", 400, "emoji"}, {"%3Cscript%3E", "", 400, "emoji"}, {"%F0%9F%91", "", 400, "emoji"}, {"👍👍", "", 400, "emoji"}, {"%00", "", 400, "emoji"},
		{"👍", `{"device":"short"}`, 400, "device"}, {"👍", `{"device":7}`, 400, "device"}, {"👍", `[]`, 400, "body"}, {"👍", `{`, 400, "body"},
	} {
		r := ask(t, "PUT", url+row.emoji, row.body).want(t, row.status, "")
		if !strings.Contains(r.text, `"field":"`+row.field+`"`) {
			t.Errorf("%s %s: %s", row.emoji, row.body, r.text)
		}
	}
	ask(t, "PUT", url+"👍", `device=x`, "Content-Type", "application/x-www-form-urlencoded").want(t, 415, "")
	ask(t, "PUT", url+"👍", "", "Origin", "https://evil.example").want(t, 403, "")
	if len(w.took)+len(w.acted) != 0 {
		t.Errorf("took %q, did %q", w.took, w.acted)
	}
}

func TestAReactionToWhatIsNotPublicAnswersLikeOneToWhatIsNot(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	missing := ask(t, "GET", url+"/api/v1/sites/nobody/comments?post=/", "").want(t, 404, "").text
	for _, id := range []string{"18", "4711", "0", "x", "017", "99999999999999999999"} {
		for _, method := range []string{"PUT", "DELETE"} {
			if got := ask(t, method, url+blog+"/comments/"+id+"/reactions/👍", "").want(t, 404, "").text; got != missing {
				t.Errorf("%s of %s: %s", method, id, got)
			}
		}
	}
	if w.refunds != 12 {
		t.Errorf("%d allowances were given back", w.refunds)
	}
	w.ownErr = postil.Refuse("lockdown", "Later.")
	ask(t, "PUT", url+blog+"/comments/17/reactions/👍", "").want(t, 403, "")
}

func TestAPageMayAskForAReactionBeforehand(t *testing.T) {
	t.Parallel()
	w := newWorld()
	r := ask(t, "OPTIONS", w.open(t)+blog+"/comments/17/reactions/👍", "", "Origin", "https://blog.example", "Access-Control-Request-Method", "PUT")
	if got := r.Header.Get("Access-Control-Allow-Methods"); !strings.Contains(got, "PUT") || !strings.Contains(got, "DELETE") {
		t.Errorf("allowed are %q", got)
	}
}
