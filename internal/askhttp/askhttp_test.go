package askhttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

var secret = token.NewSecret("a shared secret")

func now(context.Context) time.Time { return time.Unix(1_700_000_000, 0) }

func client(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(url, secret, now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func said(text string) postil.Comment {
	return postil.Comment{ID: 17, Site: "blog", Post: "/p", Parent: 3, Author: postil.Author{Name: "A\"nn\n", Email: "ann@private.example"}, Text: text,
		Origin: postil.Origin{Actor: "actor", Network: "network", Device: "device"}}
}

func TestSEC_08_ARequestIsSignedJSONAndHoldsNothingPrivate(t *testing.T) {
	t.Parallel()
	const text = "\"quotes\", \\ backslashes,\nnewlines, @everyone and <!channel>"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in request
		if err := json.Unmarshal(body, &in); err != nil || in.Comment.Text != text || in.Comment.ID != "17" || *in.Comment.ParentID != "3" || len(in.Comment.Links) != 1 {
			t.Errorf("%v: %s", err, body)
		}
		if got := r.Header.Get("Postil-Signature"); got != "sha256="+Sign(secret, "1700000000", body) || r.Header.Get("Postil-Timestamp") != "1700000000" {
			t.Errorf("signature %q", got)
		}
		for _, private := range []string{"private.example", "actor", "network", "device"} {
			if strings.Contains(string(body), private) {
				t.Errorf("%q is sent: %s", private, body)
			}
		}
		_, _ = io.WriteString(w, `{"verdict":"spam","reason":"reads like\n an advert\u202e"}`)
	}))
	defer s.Close()
	a, err := client(t, s.URL).Ask(t.Context(), said(text), text, []string{"https://a.example/"})
	if err != nil || a != (Answer{postil.VerdictSpam, "reads like an advert"}) {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"SEC-04 elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		},
		"no JSON":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"no verdict": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"verdict":"approve"}`) },
		"silence":    func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(answer)
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if a, err := client(t, s.URL).Ask(ctx, said("x"), "x", nil); err == nil {
				t.Errorf("%+v", a)
			}
			s.CloseClientConnections()
		})
	}
}

func TestANameThatLeadsInsideIsNotCalled(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	defer s.Close()
	c := client(t, strings.Replace(s.URL, "127.0.0.1", "localhost.", 1)) // a name, whatever it means
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := c.Ask(ctx, said("x"), "x", nil); err == nil {
		t.Error("a name that leads to this machine was called")
	}
	for _, bad := range []string{"", "ftp://a.example", "https://", "https://user:pass@a.example/"} {
		if _, err := New(bad, secret, now); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if _, err := New("https://a.example/", token.Secret{}, now); err == nil {
		t.Error("no secret is taken")
	}
}
