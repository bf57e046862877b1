package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestAlertRulesAreReadableAndAskForFiguresThatExist(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", "prometheus-alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			rules++
			if r.Alert == "" || r.Expr == "" || r.For == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["action"] == "" {
				t.Errorf("the rule %+v is incomplete", r)
			}
			for _, name := range regexp.MustCompile(`postil_[a-z_]+`).FindAllString(r.Expr, -1) {
				if !strings.Contains(string(source), `"`+name+`"`) {
					t.Errorf("%s asks for %s, which nobody measures", r.Alert, name)
				}
			}
		}
	}
	if rules < 5 {
		t.Errorf("only %d rules were found", rules)
	}
}
