package moderation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Every check with what it must find and what it must leave alone. found is a
// part of the reason, "" when nothing may be found.
func TestEachCheckFindsWhatItShouldAndNothingElse(t *testing.T) {
	t.Parallel()
	type row struct {
		check   string
		subject Subject
		found   string
	}
	words := func(text string) Subject {
		return Subject{Text: text, Memory: postil.Memory{Site: postil.Site{Blocked: []string{"ass", "спам", "spam", "casino.example", "cheap pills"}}}}
	}
	by := func(name, website string) Subject {
		s := words("fine")
		s.Comment.Author = postil.Author{Name: name, Website: website}
		return s
	}
	plain := func(text string) Subject { return Subject{Text: text} }
	linked := func(n int) Subject {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "https://site%d.example/ ", i)
		}
		return Subject{Text: b.String(), Comment: postil.Comment{Author: postil.Author{Website: "https://own.example/"}}, Memory: postil.Memory{Site: postil.Site{MaxLinks: 2}}}
	}
	filled := func(f postil.FormState) Subject { return Subject{Comment: postil.Comment{FormState: f}} }
	for _, r := range []row{
		// UNI-08: whole words in every script, whatever the case, the invisible characters and the markup.
		{"words", words("class"), ""}, {"words", words("спаметь"), ""}, {"words", words("СПАМ"), "спам"}, {"words", words("s\u200bpam"), "spam"},
		{"words", words("kick ASS!"), "ass"}, {"words", words("s**p**am"), "spam"}, {"words", words("sp<!-- -->am is typed"), ""}, {"words", words("ｓｐａｍ"), "spam"},
		{"words", words("cheap\n**pills**"), "cheap pills"}, {"words", words("cheaper pills"), ""}, {"words", words("[here](https://casino.example/win)"), "in the text"},
		{"words", words("see https://casino.example/"), "casino.example"}, {"words", by("S P A M", ""), ""}, {"words", by("Mr Spam", ""), "in the name"},
		{"words", by("Ann", "https://casino.example/"), "in the website"}, {"words", plain("spam without a list"), ""},
		{"links", linked(2), ""}, {"links", linked(3), "three links"}, {"links", plain("none"), ""}, {"links", plain("[a](https://a.example)"), "one link"},
		{"lookalike", plain("Привет, мир and hello"), ""}, {"lookalike", plain("pаypal"), "“pаypal” mixes"}, {"lookalike", by("Аdmin", ""), "“Аdmin” mixes"},
		{"lookalike", plain("abc\u202etxt.exe"), "direction"}, {"lookalike", plain("שלום עולם"), ""},
		{"invisible", plain("in\u200bvisi\u2060ble"), "two invisible"}, {"invisible", plain("👨\u200d👩\u200d👧 नमस्ते می\u200cخواهم"), ""},
		{"length", plain(strings.Repeat("é", longText)), ""}, {"length", plain(strings.Repeat("é", longText+1)), "5,001 characters"},
		{"repeated", Subject{Memory: postil.Memory{}}, ""}, {"repeated", Subject{Memory: postil.Memory{SameText: 1}}, "one time"},
		{"repeated", Subject{Memory: postil.Memory{SameText: 3}}, "three times"}, {"repeated", Subject{Memory: postil.Memory{SameText: 3, SpamTexts: 1}}, "marked as spam"},
		{"form", filled(postil.FormState{}), ""}, {"form", filled(postil.FormState{Token: "ok", Filled: time.Minute}), ""}, {"form", filled(postil.FormState{Token: "ok", Filled: fastest}), ""},
		{"form", filled(postil.FormState{Token: "ok", Filled: time.Second}), "1.0 seconds"}, {"form", filled(postil.FormState{Token: "missing"}), "without the form"},
		{"form", filled(postil.FormState{Token: "expired"}), "more than a day"}, {"form", filled(postil.FormState{Token: "reused"}), "sent before"},
		{"form", filled(postil.FormState{Token: "foreign"}), "another page"}, {"form", filled(postil.FormState{Token: "of a newer version"}), "another page"},
		{"form", filled(postil.FormState{Token: "ok", Filled: time.Minute, Trap: true}), "cannot see"},
		{"form", filled(postil.FormState{Token: "ok", Filled: time.Minute, Work: "ok"}), ""}, {"form", filled(postil.FormState{Token: "ok", Filled: time.Minute, Work: "missing"}), "is missing"},
		{"form", filled(postil.FormState{Token: "ok", Filled: time.Minute, Work: "wrong"}), "is wrong"},
		{"proxy", filled(postil.FormState{}), ""}, {"proxy", filled(postil.FormState{Proxy: "a program, says the proxy"}), "a program"},
	} {
		r.subject.HTML = markup.Render(r.subject.Text)
		found := Examine([]NamedCheck{named(t, r.check)}, r.subject)
		switch {
		case r.found == "" && len(found) > 0:
			t.Errorf("UNI-08 %s: %.60q is held for %v", r.check, r.subject.Text, found)
		case r.found != "" && (len(found) != 1 || !strings.Contains(found[0].Reason, r.found) || found[0].Weight < Objection || found[0].Check != r.check):
			t.Errorf("UNI-08 %s: %.60q: %v, and not for %q", r.check, r.subject.Text, found, r.found)
		}
	}
}

func named(t *testing.T, name string) NamedCheck {
	for _, c := range Checks() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no check %q", name)
	return NamedCheck{}
}

// A person may have marked one "Thanks!" as spam; the next one is nobody's
// fault. What comes with a link is an advertisement again, and nobody hits upon
// the same long sentence.
func TestMOD_14_TheSameTextStopsOnlyWhatNobodyHitsUponByChance(t *testing.T) {
	t.Parallel()
	known := postil.Memory{SameText: 2, SpamTexts: 2}
	for _, r := range []struct {
		text, website string
		weight        float64
	}{
		{"Thanks!", "", Objection},
		{"Thanks! https://pills.example/", "", Clear},
		{"Thanks!", "https://pills.example/", Clear},
		{"Great post, thanks for sharing!", "", Objection},
		{"Cheap watches, only today, only here.", "", Clear},
	} {
		s := Subject{Text: r.text, HTML: markup.Render(r.text), Memory: known}
		s.Comment.Author.Website = r.website
		if found := repeated(s); len(found) != 1 || found[0].Weight != r.weight {
			t.Errorf("%q with the website %q: %v", r.text, r.website, found)
		}
	}
}

func TestEveryCheckHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Checks() {
		if c.Name == "" || seen[c.Name] {
			t.Errorf("%q is no name of its own", c.Name)
		}
		seen[c.Name] = true
	}
}

func TestACheckThatFailsHoldsAndTheOthersStillSpeak(t *testing.T) {
	t.Parallel()
	broken := NamedCheck{"broken", func(Subject) []postil.Finding { panic("a bug") }}
	spam := NamedCheck{"spam", func(Subject) []postil.Finding { return []postil.Finding{{Weight: Clear, Reason: "known"}} }}
	trusted := postil.Memory{Site: postil.Site{Policy: postil.FirstComment}, Record: postil.AuthorRecord{Approved: 5}}
	found := Examine([]NamedCheck{broken}, Subject{})
	if c := Conclude(trusted, found); c.Verdict != postil.VerdictHold || !strings.Contains(postil.Why(c.Verdict, c.Findings), "one of the checks failed") {
		t.Errorf("a check fails: %+v", c)
	}
	if c := Conclude(trusted, Examine([]NamedCheck{broken, spam}, Subject{})); c.Verdict != postil.VerdictSpam || len(c.Findings) != 2 {
		t.Errorf("a check fails beside one that is sure: %+v", c)
	}
}
