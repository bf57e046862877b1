package apptest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/ports"
)

// own are the names of figures of the service in a text.
func own(text string) []string { return regexp.MustCompile(`postil_[a-z_]+`).FindAllString(text, -1) }

func TestEveryFigureOfTheAlertRulesIsMeasured(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	a.Post(t, apptest.Draft{Text: "One."})
	rules, err := os.ReadFile(filepath.Join("..", "..", "deploy", "prometheus-alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Do(t.Context(), "GET", "/metrics", nil)
	if err != nil || got.Status != 200 {
		t.Fatalf("metrics: %d, %v", got.Status, err)
	}
	measured := map[string]bool{}
	for _, name := range own(string(got.Body)) {
		measured[name] = true
	}
	asked := own(regexp.MustCompile(`(?m)^\s*#.*$`).ReplaceAllString(string(rules), ""))
	if len(asked) < 5 {
		t.Fatalf("only %q are asked for", asked)
	}
	for _, name := range asked {
		if !measured[name] {
			t.Errorf("a rule asks for %s, which /metrics does not have", name)
		}
	}
}

func TestProfilesAreForOperatorsOnly(t *testing.T) {
	t.Parallel()
	address := ports.Address(t)
	a := apptest.Start(t, apptest.Options{Prefix: "/comments", Set: func(c *app.Config) { c.AdminListen = address }})
	operators, root := *a.Client, *a.Client
	operators.Base, root.Base = "http://"+address, strings.TrimSuffix(a.Base, "/comments")
	profiles := []string{"/debug/pprof/", "/debug/pprof/heap?debug=1", "/debug/pprof/goroutine?debug=1", "/debug/pprof/cmdline", "/debug/pprof/profile?seconds=1", "/debug/pprof/trace?seconds=1"}
	for _, path := range append(profiles, "/metrics", "/healthz") {
		got, err := operators.Do(t.Context(), "GET", path, nil)
		if err != nil || got.Status != 200 {
			t.Errorf("operators: GET %s: %d, %v", path, got.Status, err)
		}
	}
	for _, path := range append(profiles, "/metrics") {
		for _, public := range []*apptest.Client{a.Client, &root} {
			got, err := public.Do(t.Context(), "GET", path, nil)
			if err != nil || got.Status != 404 {
				t.Errorf("the public: GET %s%s: %d, %v", public.Base, path, got.Status, err)
			}
		}
	}
}

func TestWithoutAnAddressForOperatorsNobodyGetsProfiles(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile?seconds=1"} {
		got, err := a.Do(t.Context(), "GET", path, nil)
		if err != nil || got.Status != 404 || strings.Contains(string(got.Body), "goroutine") {
			t.Errorf("GET %s: %d, %v", path, got.Status, err)
		}
	}
}
