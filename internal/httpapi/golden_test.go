package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

var update = flag.Bool("update", false, "write testdata/*.json anew")

const newComment = `{"post":"/posts/hello","parent_id":"17","author":{"name":"Cy","email":"cy@private.example"},"text":"Well *said*."}`

// The golden files are the contract: the widget's tests read the same ones.
func TestEveryEndpointAnswersAsItsGoldenFileSays(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	key := []string{"Authorization", "Bearer edit-key-23"}
	for _, c := range []struct {
		file, method, path, body string
		headers                  []string
		status                   int
	}{
		{"thread", "GET", blog + "/comments?post=/posts/hello", "", nil, 200},
		{"thread_empty", "GET", blog + "/comments?post=/nothing/here/", "", nil, 200},
		{"counts", "GET", blog + "/counts?post=/posts/hello&post=/quiet", "", nil, 200},
		{"recent", "GET", blog + "/recent?limit=5", "", nil, 200},
		{"posted", "POST", blog + "/comments", newComment, nil, 202},
		{"preview", "POST", blog + "/preview", `{"text":"a <b>"}`, nil, 200},
		{"own", "POST", blog + "/comments/own", `{"keys":["edit-key-23"]}`, nil, 200},
		{"edited", "PATCH", blog + "/comments/23", `{"text":"Better."}`, key, 200},
		{"removed", "DELETE", blog + "/comments/23", "", key, 200},
		{"reacted", "PUT", blog + "/comments/17/reactions/👍", `{"device":"aaaabbbbccccdddd"}`, nil, 200},
		{"unreacted", "DELETE", blog + "/comments/17/reactions/👍", "", nil, 200},
		{"problem_reaction", "PUT", blog + "/comments/17/reactions/🦀", "", nil, 400},
		{"form", "GET", blog + "/form?post=/posts/hello", "", nil, 200},
		{"healthz", "GET", "/healthz", "", nil, 200},
		{"readyz", "GET", "/readyz", "", nil, 200},
		{"problem_invalid", "POST", blog + "/comments", `{"author":{"name":7}}`, nil, 400},
		{"problem_too_long", "POST", blog + "/preview", `{"text":"` + string(bytes.Repeat([]byte("é"), 8001)) + `"}`, nil, 400},
		{"problem_key_required", "DELETE", blog + "/comments/23", "", nil, 401},
		{"problem_forbidden", "DELETE", blog + "/comments/24", "", key, 403},
		{"problem_origin", "POST", blog + "/comments", newComment, []string{"Origin", "https://evil.example"}, 403},
		{"problem_not_found", "GET", "/api/v1/sites/nobody/comments?post=/", "", nil, 404},
		{"problem_method", "PUT", blog + "/comments", "", nil, 405},
		{"problem_json_required", "POST", blog + "/comments", newComment, []string{"Content-Type", "text/plain"}, 415},
	} {
		t.Run(c.file, func(t *testing.T) {
			golden(t, c.file, ask(t, c.method, url+c.path, c.body, c.headers...).want(t, c.status, ""))
		})
	}
}

func TestRefusalsAnswerAsTheirGoldenFilesSay(t *testing.T) {
	t.Parallel()
	for file, prepare := range map[string]func(*world){
		"problem_rate_limited": func(w *world) {
			w.refusal = &postil.Error{Kind: postil.Throttled, Limit: 3, RetryAfter: 6_500_000_000, Sentence: "That was a little too much at once."}
		},
		"problem_not_saved": func(w *world) { w.accept = os.ErrClosed },
		"problem_conflict": func(w *world) {
			w.accept = &postil.Error{Kind: postil.Conflict, Slug: "idempotency-mismatch", Sentence: "This key was used for another text."}
		},
		"problem_closed": func(w *world) { w.check = postil.Refuse("post-closed", "Comments on this post are closed.") },
	} {
		t.Run(file, func(t *testing.T) {
			w := newWorld()
			prepare(w)
			golden(t, file, ask(t, "POST", w.open(t)+blog+"/comments", newComment))
		})
	}
}

func TestAFormThatAsksForWorkAnswersAsItsGoldenFileSays(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.work = &postil.Work{Challenge: "Zm9ybS1jaGFsbGVuZ2UtMjI", Bits: 16}
	golden(t, "form_challenge", ask(t, "GET", w.open(t)+blog+"/form?post=/posts/hello", ""))
}

// golden compares an answer with testdata/NAME.json, which is indented so that
// people can read it.
func golden(t *testing.T, name string, r reply) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(r.text), "", "  "); err != nil {
		t.Fatalf("answer is no JSON: %v: %s", err, r.text)
	}
	b.WriteByte('\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
