package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/intake"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/token"
)

// newBoard is a service of which the settings and flags are real.
func newBoard(t *testing.T) string {
	t.Helper()
	now := (&office{}).now
	s := runningStore(t, now)
	for _, id := range []postil.SiteID{"blog", "other"} {
		if _, err := s.AddSite(ctx, postil.NewSite(id), setup); err != nil {
			t.Fatal(err)
		}
	}
	live := settings.New(quiet, s, settings.Options{})
	desk := settings.NewDesk(live, s)
	keys, sites := token.NewKeys(token.NewSecret(strings.Repeat("s", 32))), intake.NewDirectory(s)
	in := intake.New(s, nil, sites, keys, now, 0, nil)
	server, err := httpapi.New(quiet, httpapi.Config{PublicURL: "https://talk.example/comments/"}, httpapi.Deps{
		Sites: sites, Intake: in, Authors: in,
		Read:    func(context.Context, postil.View, int64) (httpapi.Page, error) { return nil, postil.Missing() },
		Streams: noStreams{}, Posts: s, Limiter: noLimits{}, Clients: oneClient{}, Flags: desk,
		Ready: func(context.Context) httpapi.Report { return httpapi.Report{Status: "ok", Accepting: true} },
		Admin: httpapi.Admin{Authenticator: auth.NewKeys(quiet, s, token.NewSecret(bootstrap), now), Sites: s, Settings: desk, Plans: settings.NewPlanner(quiet, desk.Live, s),
			Forget: func(postil.SiteID) { _ = live.Load(ctx) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	hs := httptest.NewServer(server.Handler())
	t.Cleanup(hs.Close)
	return hs.URL
}

// exchange sends a request and returns the answer with its body.
func exchange(t *testing.T, method, url, body string, h ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bootstrap)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(h); i += 2 {
		r.Header.Set(h[i], h[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

func TestAdminsReadChangeAndTakeBackTheConfiguration(t *testing.T) {
	t.Parallel()
	url := newBoard(t) + adminAt
	for _, c := range []struct {
		method, path, body string
		status             int
		has                string
	}{
		{"GET", "/config", "", 200, `"name":"policy.mode"`},
		{"GET", "/config/policy.max_links", "", 200, `"default":2,"value":2,"site":null,"sites":{},"revision":0`},
		{"GET", "/config/nonsense", "", 404, "not-found"},
		{"PUT", "/config/nonsense", `{"value":1}`, 404, "not-found"},
		{"PUT", "/config/policy.max_links", `{"value":101}`, 400, `"field":"value"`},
		{"PUT", "/config/policy.max_links", `{}`, 400, `"field":"value"`},
		{"PUT", "/config/retention.spam_days", `{"value":9,"site":"blog"}`, 400, `"field":"site"`},
		{"PUT", "/config/policy.max_links", `{"value":3,"site":"nowhere"}`, 400, `"field":"site"`},
		{"PUT", "/config/policy.max_links", `{"value":5,"reason":"a link party"}`, 200, `"value":5`},
		{"PUT", "/config/policy.max_links", `{"value":0,"site":"blog"}`, 200, `"value":0,"site":"blog","sites":{"blog":0}`},
		{"GET", "/config/policy.max_links?site=other", "", 200, `"value":5`},
		{"GET", "/sites/blog", "", 200, `"max_links":0`},
		{"GET", "/sites/other", "", 200, `"max_links":5`},
		{"PATCH", "/sites/other", `{"policy":"score"}`, 200, `"policy":"score"`},
		{"GET", "/config/policy.mode?site=other", "", 200, `"value":"score"`},
		{"GET", "/config/policy.max_links/history", "", 200, `"before":null,"after":5,"by":"admin","channel":"rest","reason":"a link party"`},
		{"POST", "/config/policy.max_links/rollback", `{"reason":"enough"}`, 200, `"before":5,"after":null`},
		{"GET", "/config/policy.max_links", "", 200, `"value":2`},
		{"POST", "/config/limits.text/rollback", "", 404, "not-found"},
		{"PUT", "/config/policy.lockdown", `{"value":true}`, 200, `"value":true`},
		{"GET", "/sites/blog", "", 200, `"lockdown":true`},
		{"PUT", "/config/policy.lockdown", `{"value":null}`, 200, `"value":false`},
	} {
		resp, body := exchange(t, c.method, url+c.path, c.body)
		if resp.StatusCode != c.status || !strings.Contains(body, c.has) {
			t.Errorf("%s %s %s: %d %s, want %d with %s", c.method, c.path, c.body, resp.StatusCode, body, c.status, c.has)
		}
	}
	if resp, _ := exchange(t, "PUT", url+"/config/policy.max_links", `{"value":1}`, "Authorization", "Bearer nonsense"); resp.StatusCode != 401 {
		t.Errorf("a stranger got %d", resp.StatusCode)
	}
}

func TestFlagsAreMadeAskedForAndTakenBack(t *testing.T) {
	t.Parallel()
	url := newBoard(t)
	const ofrep = "/ofrep/v1/evaluate/flags"
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // the whole body, or a part after "…"
	}{
		{"GET", "/api/v1/flags?user=ann", "", 200, `{"flags":{}}`},
		{"PUT", adminAt + "/flags/editor", `{"type":"boolean","value":"yes"}`, 400, `…"field":"value"`},
		{"PUT", adminAt + "/flags/editor", `{"type":"boolean","value":true,"rules":[{"if":[{"attribute":"plan","in":["pro"]}]}],"rollout":0,"reason":"try it"}`, 200, `…"name":"editor","flag":{"type":"boolean","value":true,"off":false,`},
		{"PUT", adminAt + "/flags/color", `{"type":"string","value":"blue"}`, 200, `…"revision":`},
		{"GET", "/api/v1/flags?user=ann", "", 200, `{"flags":{"color":"blue","editor":false}}`},
		{"GET", "/comments/api/v1/flags?user=ann&plan=pro", "", 200, `{"flags":{"color":"blue","editor":true}}`},
		{"GET", "/api/v1/flags?user=%zz", "", 400, `…"field":"query"`},
		{"POST", ofrep + "/editor", `{"context":{"targetingKey":"ann","plan":"pro"}}`, 200, `{"key":"editor","value":true,"reason":"TARGETING_MATCH","variant":"rule-1"}`},
		{"POST", ofrep + "/editor", `{"context":{"targetingKey":"ann"}}`, 200, `{"key":"editor","value":false,"reason":"SPLIT","variant":"off"}`},
		{"POST", ofrep + "/none", `{"context":{}}`, 404, `{"key":"none","errorCode":"FLAG_NOT_FOUND","errorDetails":"There is no flag of this name."}`},
		{"POST", ofrep + "/editor", `{"context":`, 400, `…{"key":"editor","errorCode":"PARSE_ERROR","errorDetails":`},
		{"POST", ofrep, `{"context":{"targetingKey":7}}`, 400, `…{"errorCode":"INVALID_CONTEXT"`},
		{"POST", ofrep, `{"context":{"targetingKey":"ann"}}`, 200, `{"flags":[{"key":"color","value":"blue","reason":"STATIC","variant":"on"},{"key":"editor","value":false,"reason":"SPLIT","variant":"off"}]}`},
		{"PUT", adminAt + "/flags/editor", `{"type":"boolean","value":true,"enabled":false}`, 200, `…"enabled":false`},
		{"GET", "/api/v1/flags?plan=pro", "", 200, `{"flags":{"color":"blue","editor":false}}`},
		{"POST", adminAt + "/flags/editor/rollback", "", 200, `…"undoes":`},
		{"GET", "/api/v1/flags?plan=pro", "", 200, `{"flags":{"color":"blue","editor":true}}`},
		{"GET", adminAt + "/flags/editor/history", "", 200, `…"reason":"try it"`},
		{"GET", adminAt + "/flags", "", 200, `…{"flags":[{"name":"color"`},
		{"DELETE", adminAt + "/flags/color", "", 204, ``},
		{"DELETE", adminAt + "/flags/color", "", 404, `…not-found`},
		{"GET", adminAt + "/flags/color", "", 404, `…not-found`},
		{"GET", "/api/v1/flags", "", 200, `{"flags":{"editor":false}}`},
	} {
		resp, body := exchange(t, c.method, url+c.path, c.body)
		part, partly := strings.CutPrefix(c.want, "…")
		if resp.StatusCode != c.status || partly && !strings.Contains(body, part) || !partly && body != c.want {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, resp.StatusCode, body, c.status, c.want)
		}
	}
	resp, _ := exchange(t, "GET", url+"/api/v1/flags?user=ann", "")
	tag := resp.Header.Get("ETag")
	if again, body := exchange(t, "GET", url+"/api/v1/flags?user=ann", "", "If-None-Match", tag); again.StatusCode != 304 || body != "" {
		t.Errorf("the same flags: %d %q", again.StatusCode, body)
	}
	if bulk, _ := exchange(t, "POST", url+ofrep, `{}`); bulk.Header.Get("ETag") == "" || bulk.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the headers of a bulk evaluation: %v", bulk.Header)
	}
	other, _ := exchange(t, "GET", url+"/api/v1/flags?plan=pro", "", "If-None-Match", tag)
	if other.StatusCode != 200 {
		t.Errorf("other flags: %d", other.StatusCode)
	}
}
