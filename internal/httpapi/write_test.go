package httpapi

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

func TestASubmissionArrivesWhole(t *testing.T) {
	t.Parallel()
	w := newWorld()
	body := `{"post":"/p","parent_id":"17","author":{"name":"Cy","email":"cy@mail.example","website":"cy.example"},"text":"T",` +
		`"title":"Title","url":"https://blog.example/p","notify":true,"device":"0123456789abcdef","form":{"token":"tok","trap":"","solution":"42"}}`
	ask(t, "POST", w.open(t)+blog+"/comments", body, "Idempotency-Key", "idem-1", "User-Agent", "<img src=x onerror=1>").want(t, 202, "")
	want := postil.Submission{
		Site: "blog", Post: "/p", ParentID: "17", Name: "Cy", Email: "cy@mail.example", Website: "cy.example", Text: "T", Title: "Title",
		URL: "https://blog.example/p", Device: "0123456789abcdef", Notify: true, HasForm: true, Token: "tok", Solution: "42",
		IdempotencyKey: "idem-1", BodyHash: w.sent[0].BodyHash, Actor: "actor-of-127.0.0.1", Network: "network-of-127.0.0.1", Bucket: "bucket-of-127.0.0.1", UserAgent: "<img src=x onerror=1>",
	}
	if diff := cmp.Diff(want, w.sent[0]); diff != "" || len(want.BodyHash) != 64 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAWriterIsToldPendingWhateverBecameOfIt_MOD_08_MOD_10(t *testing.T) {
	t.Parallel()
	for _, status := range postil.Statuses() {
		w := newWorld()
		w.stored.Status = status
		r := ask(t, "POST", w.open(t)+blog+"/comments", newComment).want(t, 202, "").wantHeader(t, "Cache-Control", "no-store")
		if !strings.Contains(r.text, `"status":"pending"`) || strings.Contains(r.text, "deleted") {
			t.Errorf("%s: %s", status, r.text)
		}
		for _, secret := range []string{"private.example", "hash", "nonce", "findings", "onerror", "links"} {
			if strings.Contains(r.text, secret) {
				t.Errorf("the answer tells %q: %s", secret, r.text)
			}
		}
	}
}

func TestTheBlogsAuthorPostsWithAKey(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.stored.Status = postil.Approved
	url := w.open(t)
	post := func(authorization string, headers ...string) reply {
		return ask(t, "POST", url+blog+"/comments", newComment, append(headers, "Authorization", authorization)...)
	}
	r := post("Bearer author-key").want(t, 201, "")
	if !strings.Contains(r.text, `"status":"approved"`) || w.sent[0].As == nil || w.sent[0].As.By.Actor != "key:7" {
		t.Errorf("%s by %+v", r.text, w.sent[0].As)
	}
	post("bearer author-key", "Origin", "https://anywhere.example").want(t, 201, "").wantHeader(t, "Access-Control-Allow-Origin", "")
	post("Bearer author-key", "Origin", "https://blog.example").want(t, 201, "").wantHeader(t, "Access-Control-Allow-Origin", "https://blog.example")
	post("Bearer other-site-key").want(t, 403, "forbidden")
	post("Bearer nonsense").want(t, 401, "key-required").wantHeader(t, "WWW-Authenticate", `Bearer realm="postil"`)
	post("Basic YTpi").want(t, 401, "key-required")
	post("Bearer ").want(t, 401, "key-required")
	if len(w.sent) != 3 || w.took[0] != "comments key:7" {
		t.Errorf("%d came through, taken from %v", len(w.sent), w.took)
	}
}

func TestLimitsComeAfterCheapValidationAndBeforeWork_RL_07(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.refusal = &postil.Error{Kind: postil.Throttled, RetryAfter: 7 * time.Second, Limit: 3, Sentence: "Too much at once."}
	url := w.open(t)
	for _, c := range []struct{ method, path, good, bad, rule string }{
		{"POST", "/comments", newComment, `{"author":{"name":"A"},"text":""}`, RuleComments},
		{"POST", "/preview", `{"text":"x"}`, `{"text":"\u200b"}`, RulePreview},
		{"POST", "/comments/own", `{"keys":[]}`, `{"keys":[` + strings.Repeat(`"k",`, 50) + `"k"]}`, RuleOwn},
		{"PATCH", "/comments/23", `{"text":"x"}`, `{"text":"` + strings.Repeat("y", 8001) + `"}`, RuleEdit},
		{"GET", "/form?post=/", "", "", RuleForm},
	} {
		w.took = nil
		headers := []string{}
		if c.method == "PATCH" {
			headers = []string{"Authorization", "Bearer edit-key-23"}
		}
		if c.bad != "" {
			ask(t, c.method, url+blog+c.path, c.bad, headers...).want(t, 400, "invalid")
		}
		if len(w.took) != 0 {
			t.Errorf("%s: a slip took from the allowance", c.path)
		}
		ask(t, c.method, url+blog+c.path, c.good, headers...).want(t, 429, "rate-limited").
			wantHeader(t, "Retry-After", "7", "RateLimit", `"comments";r=2;t=10`, "RateLimit-Policy", `"comments";q=3;w=10`)
		if diff := cmp.Diff([]string{c.rule + " actor-of-127.0.0.1"}, w.took); diff != "" {
			t.Errorf("%s took: %s", c.path, diff)
		}
	}
	if w.refunds != 0 {
		t.Errorf("%d refunds of what was never taken", w.refunds)
	}
}

func TestWhatIsRefusedAfterTheLimitGivesItsAllowanceBack_RL_07(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		postil.Refuse("post-closed", "Closed."), &postil.Error{Kind: postil.Conflict, Slug: "idempotency-mismatch", Sentence: "Other body."}, errors.New("disk full"),
	} {
		w := newWorld()
		w.accept = err
		r := ask(t, "POST", w.open(t)+blog+"/comments", newComment)
		if r.StatusCode < 400 || w.refunds != 1 || len(w.took) != 1 {
			t.Errorf("%v: status %d, took %v, %d refunds", err, r.StatusCode, w.took, w.refunds)
		}
	}
	w := newWorld()
	ask(t, "POST", w.open(t)+blog+"/comments", newComment).want(t, 202, "").wantHeader(t, "RateLimit", `"comments";r=2;t=10`, "RateLimit-Policy", `"comments";q=3;w=10`)
	if w.refunds != 0 {
		t.Error("an accepted comment gave its allowance back")
	}
}

func TestABrokenLimiterOpensNoDoor(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.outage = errors.New("no counters")
	url := w.open(t)
	ask(t, "POST", url+blog+"/comments", newComment).want(t, 503, "overloaded").wantHeader(t, "Retry-After", "5")
	ask(t, "GET", url+helloPath, "").want(t, 200, "")
}

func TestWhatCannotBeSavedIsNeverCalledSaved_UX_01(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.accept = errors.New("database is locked")
	r := ask(t, "POST", w.open(t)+blog+"/comments", newComment).want(t, 503, "not-saved").wantHeader(t, "Retry-After", "5")
	if strings.Contains(r.text, "locked") || !strings.Contains(w.log.String(), "database is locked") {
		t.Errorf("the cause belongs into the log alone: %s", r.text)
	}
}

func TestAnIdempotencyKeyHasALimit(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	ask(t, "POST", url+blog+"/comments", newComment, "Idempotency-Key", strings.Repeat("k", 255)).want(t, 202, "")
	ask(t, "POST", url+blog+"/comments", newComment, "Idempotency-Key", strings.Repeat("k", 256)).want(t, 400, "invalid")
}

func TestOnlyTheRightKeyChangesAComment_AUTH_13(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	var wrong string
	for _, c := range []struct {
		id, authorization string
		status            int
		slug              string
	}{
		{"23", "", 401, "key-required"}, {"23", "Basic eA==", 401, "key-required"}, {"23", "edit-key-23", 401, "key-required"},
		{"23", "Bearer wrong", 403, "forbidden"}, {"24", "Bearer edit-key-23", 403, "forbidden"}, {"abc", "Bearer edit-key-23", 403, "forbidden"},
		{"99999999999999999999", "Bearer x", 403, "forbidden"}, {"0", "Bearer x", 403, "forbidden"}, {"-23", "Bearer edit-key-23", 403, "forbidden"}, {"023", "Bearer edit-key-23", 403, "forbidden"},
	} {
		for method, body := range map[string]string{"PATCH": `{"text":"x"}`, "DELETE": ""} {
			r := ask(t, method, url+blog+"/comments/"+c.id, body, "Authorization", c.authorization).want(t, c.status, c.slug)
			if c.status != 403 {
				continue
			}
			if wrong == "" {
				wrong = r.text
			}
			if r.text != wrong {
				t.Errorf("%s %s tells more than others: %s", method, c.id, r.text)
			}
		}
	}
	ask(t, "PATCH", url+blog+"/comments/23", `{"text":"x"}`, "Authorization", "Bearer edit-key-23", "Origin", "https://blog.example").want(t, 200, "")
	w.ownErr = postil.Refuse("edit-window-over", "The time for changes is over.")
	ask(t, "DELETE", url+blog+"/comments/23", "", "Authorization", "Bearer edit-key-23").want(t, 403, "edit-window-over")
}

func TestOwnCommentsAreNeverCached(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	r := ask(t, "POST", url+blog+"/comments/own", `{"keys":["nonsense"]}`).want(t, 200, "").wantHeader(t, "Cache-Control", "no-store", "Etag", "")
	if r.text != `{"comments":[]}` {
		t.Errorf("got %s", r.text)
	}
	ask(t, "POST", url+blog+"/comments/own", `{}`).want(t, 200, "")
}

func TestThePreviewIsTheRoomsOwnRendering_XSS_01(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	r := ask(t, "POST", url+blog+"/preview", `{"text":"<details open ontoggle=alert(1)>"}`).want(t, 200, "")
	if strings.Contains(r.text, "<details") {
		t.Errorf("the preview passed the text on unrendered: %s", r.text)
	}
}

func TestWritesCarryTheirSafetyHeaders(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for _, r := range []reply{
		ask(t, "POST", url+blog+"/comments", newComment), ask(t, "POST", url+blog+"/comments", "{}"),
		ask(t, "GET", url+blog+"/form?post=/", ""), ask(t, "GET", url+"/healthz", ""),
	} {
		r.wantHeader(t, "X-Content-Type-Options", "nosniff", "Cache-Control", "no-store", "Referrer-Policy", "no-referrer",
			"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'", "Set-Cookie", "")
	}
}

func TestARequestIDIsTakenOrMade_SEC_05(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for sent, kept := range map[string]bool{"abc-123_X.y": true, "": false, "a b": false, "\x1b[31m": false, strings.Repeat("x", 65): false, "a=b,c": false} {
		if strings.ContainsRune(sent, '\x1b') {
			continue // no client can send it; the pattern refuses it all the same
		}
		got := ask(t, "POST", url+blog+"/comments", newComment, "X-Request-Id", sent).Header.Get("X-Request-Id")
		if (got == sent) != kept || got == "" {
			t.Errorf("sent %q, got %q", sent, got)
		}
		if !strings.Contains(w.log.String(), "request_id="+got) {
			t.Errorf("%q is not in the log", got)
		}
	}
	ask(t, "GET", url+"/nothing%0a%0dlevel=ERROR%1b%5b31m", "").want(t, 404, "not-found")
	if strings.Contains(w.log.String(), "31m") {
		t.Error("an address got into the log")
	}
	if strings.Contains(w.log.String(), "127.0.0.1") || strings.Contains(w.log.String(), "Well *said*") {
		t.Errorf("the log tells private things: %s", w.log.String())
	}
}
