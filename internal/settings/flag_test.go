package settings

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

func flagRow(name, value string) postil.Setting {
	return postil.Setting{SettingKey: postil.SettingKey{Kind: postil.FlagSetting, Name: name}, Value: json.RawMessage(value), Revision: 1}
}

func valueOf(t testing.TB, s *Snapshot, name string, who postil.FlagSubject) string {
	t.Helper()
	r, ok := s.Evaluate(name, who)
	if !ok {
		t.Fatalf("there is no flag %s", name)
	}
	return string(r.Value)
}

func TestARolloutGrowsAndKeepsWhoeverIsIn(t *testing.T) {
	in := map[string]bool{}
	for _, percent := range []float64{0, 0.5, 1, 10, 33.33, 50, 99, 100} {
		s := compose(quiet, nil, state(flagRow("editor", fmt.Sprintf(`{"type":"boolean","value":true,"rollout":%v}`, percent))), time.Time{})
		n := 0
		for i := range 20_000 {
			user := fmt.Sprintf("user-%d", i)
			on := valueOf(t, s, "editor", postil.FlagSubject{User: user}) == "true"
			if in[user] && !on {
				t.Fatalf("%s was in and is out at %v percent", user, percent)
			}
			if in[user] = on; on {
				n++
			}
		}
		if share := float64(n) / 200; share < percent-1.5 || share > percent+1.5 {
			t.Errorf("at %v percent %v are in", percent, share)
		}
		if on := valueOf(t, s, "editor", postil.FlagSubject{}) == "true"; on != (percent == 100) {
			t.Errorf("at %v percent nobody in particular: %v", percent, on)
		}
	}
}

func TestTwoFlagsDoNotChooseTheSamePeople(t *testing.T) {
	s := compose(quiet, nil, state(flagRow("a", `{"type":"boolean","value":true,"rollout":50}`), flagRow("b", `{"type":"boolean","value":true,"rollout":50}`)), time.Time{})
	same := 0
	for i := range 10_000 {
		who := postil.FlagSubject{User: fmt.Sprint(i)}
		if valueOf(t, s, "a", who) == valueOf(t, s, "b", who) {
			same++
		}
	}
	if same < 4_500 || same > 5_500 {
		t.Errorf("%d of 10000 are in both or in neither, want about half", same)
	}
}

func TestRulesSwitchesRequirementsAndScheduleOfAFlag(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	s := compose(quiet, nil, state(
		flagRow("color", `{"type":"string","value":"blue","off":"grey","rules":[
			{"sites":["blog"],"if":[{"attribute":"plan","in":["pro","team"]}],"value":"gold"},
			{"if":[{"attribute":"country","not_in":["de",""]}],"rollout":0},
			{"if":[{"attribute":"user","in":["ann"]}],"value":"red"}]}`),
		flagRow("killed", `{"type":"number","value":7,"enabled":false,"rules":[{"sites":["blog"],"value":8}]}`),
		flagRow("base", `{"type":"boolean","value":true,"rules":[{"if":[{"attribute":"user","in":["out"]}],"value":false}]}`),
		flagRow("above", `{"type":"json","value":{"a":[1]},"requires":["base"]}`),
		flagRow("planned", `{"type":"boolean","value":true,"enabled":false,"schedule":[{"at":"2026-12-24T18:00:00Z","enabled":true}]}`),
	), now)
	for _, c := range []struct {
		flag   string
		who    postil.FlagSubject
		want   string
		reason string
	}{
		{"color", postil.FlagSubject{}, `"blue"`, "STATIC"},
		{"color", postil.FlagSubject{Site: "blog", Attributes: map[string]string{"plan": "pro"}}, `"gold"`, "TARGETING_MATCH"},
		{"color", postil.FlagSubject{Site: "other", Attributes: map[string]string{"plan": "pro"}}, `"blue"`, "STATIC"},
		{"color", postil.FlagSubject{User: "u", Attributes: map[string]string{"country": "fr"}}, `"grey"`, "SPLIT"},
		{"color", postil.FlagSubject{User: "ann", Attributes: map[string]string{"country": "de"}}, `"red"`, "TARGETING_MATCH"},
		{"killed", postil.FlagSubject{Site: "blog"}, "0", "DISABLED"},
		{"above", postil.FlagSubject{User: "in"}, `{"a":[1]}`, "STATIC"},
		{"above", postil.FlagSubject{User: "out"}, "null", "TARGETING_MATCH"},
		{"planned", postil.FlagSubject{}, "false", "DISABLED"},
	} {
		r, ok := s.Evaluate(c.flag, c.who)
		if !ok || string(r.Value) != c.want || r.Reason != c.reason {
			t.Errorf("%s for %+v: %s, %s; want %s, %s", c.flag, c.who, r.Value, r.Reason, c.want, c.reason)
		}
	}
	if !s.next.Equal(time.Date(2026, 12, 24, 18, 0, 0, 0, time.UTC)) {
		t.Errorf("the next step is due at %s", s.next)
	}
	later := compose(quiet, nil, state(flagRow("planned", `{"type":"boolean","value":true,"enabled":false,"schedule":[{"at":"2026-12-24T18:00:00Z","enabled":true}]}`)), s.next)
	if valueOf(t, later, "planned", postil.FlagSubject{}) != "true" || !later.next.IsZero() {
		t.Error("the step did not come")
	}
	if _, ok := s.Evaluate("nonsense", postil.FlagSubject{}); ok {
		t.Error("an unknown flag has a value")
	}
	if all := s.EvaluateAll(postil.FlagSubject{}); len(all) != 5 || all[0].Name != "above" || all[4].Name != "planned" {
		t.Errorf("all flags: %+v", all)
	}
}

func TestFlagsThatMeanNothingAreRefusedWithTheirField(t *testing.T) {
	l := New(quiet, nil, Options{})
	l.Apply(flagRow("base", `{"type":"boolean","value":true}`))
	l.Apply(flagRow("upon", `{"type":"boolean","value":true,"requires":["base"]}`))
	for _, c := range []struct{ name, value, field string }{
		{"bad name", `{"type":"boolean","value":true}`, "name"},
		{"a..b", `{"type":"boolean","value":true}`, "name"},
		{"f", `[]`, "value"},
		{"f", `{"type":"colour","value":1}`, "type"},
		{"f", `{"type":"boolean"}`, "value"},
		{"f", `{"type":"boolean","value":"true"}`, "value"},
		{"f", `{"type":"boolean","value":true,"off":1}`, "off"},
		{"f", `{"type":"boolean","value":true,"rollout":101}`, "rollout"},
		{"f", `{"type":"boolean","value":true,"rollout":-1}`, "rollout"},
		{"f", `{"type":"boolean","value":true,"rules":[{"value":true}]}`, "rules[0]"},
		{"f", `{"type":"boolean","value":true,"rules":[{"if":[{"attribute":"plan"}]}]}`, "rules[0].if"},
		{"f", `{"type":"boolean","value":true,"rules":[{"sites":["blog"],"value":3}]}`, "rules[0].value"},
		{"f", `{"type":"boolean","value":true,"requires":["nobody"]}`, "requires"},
		{"f", `{"type":"boolean","value":true,"requires":["f"]}`, "requires"},
		{"base", `{"type":"boolean","value":true,"requires":["upon"]}`, "requires"},
		{"base", `null`, "requires"}, // another flag needs it
		{"f", `{"type":"boolean","value":true,"schedule":[{"enabled":true}]}`, "schedule"},
	} {
		_, err := l.checked(postil.SettingChange{SettingKey: postil.SettingKey{Kind: postil.FlagSetting, Name: c.name}, Value: json.RawMessage(c.value)})
		if e, ok := err.(*postil.Error); !ok || e.Kind != postil.Invalid || e.Field != c.field || !strings.HasSuffix(e.Sentence, ".") {
			t.Errorf("%s = %s: %v, want a sentence about %s", c.name, c.value, err, c.field)
		}
	}
}

// manyFlags are 200 of 10 rules each, none of which fits.
func manyFlags() *Snapshot {
	rows := map[postil.SettingKey]postil.Setting{}
	for i := range 200 {
		rules := make([]string, 10)
		for j := range rules {
			rules[j] = fmt.Sprintf(`{"if":[{"attribute":"plan","in":["p%d"]},{"attribute":"country","in":["de","at","ch"]}],"value":false}`, j)
		}
		v := flagRow(fmt.Sprintf("flag-%d", i), `{"type":"boolean","value":true,"rollout":50,"rules":[`+strings.Join(rules, ",")+`]}`)
		rows[v.SettingKey] = v
	}
	return compose(quiet, nil, rows, time.Time{})
}

var reader = postil.FlagSubject{User: "user-7", Site: "blog", Attributes: map[string]string{"plan": "free", "country": "de"}}

func TestEvaluatingAFlagAllocatesNothing(t *testing.T) {
	s := manyFlags()
	if n := testing.AllocsPerRun(1000, func() { s.Evaluate("flag-123", reader) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	s := manyFlags()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Evaluate("flag-123", reader); !ok {
			b.Fatal("no flag")
		}
	}
}
