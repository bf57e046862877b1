package moderation

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/postil/postil/internal/postil"
)

// fastest is how quickly a person can fill in the form.
const fastest = 2 * time.Second

// chance is up to how many characters two people may say the same without
// knowing of each other: "Great post, thanks for sharing!"
const chance = 32

// repeated compares with what was said on this site lately. A text that anybody
// may hit upon is not stopped for having been spam once, unless it advertises.
func repeated(s Subject) []postil.Finding {
	weight := Objection
	if len(hostsOf(s)) > 0 || utf8.RuneCountInString(s.Text) > chance {
		weight = Clear
	}
	switch m := s.Memory; {
	case m.SpamTexts == 1:
		return []postil.Finding{{Weight: weight, Reason: "the same text was marked as spam " + day(m.SpamAt, s.Comment.Created)}}
	case m.SpamTexts > 1:
		return []postil.Finding{{Weight: weight, Reason: number(m.SpamTexts) + " comments with this text were marked as spam, the last " + day(m.SpamAt, s.Comment.Created)}}
	case m.SameText > 0:
		return objection("the same text was posted before, " + plural(m.SameText, "time"))
	}
	return nil
}

// day says when something was, as seen from a comment.
func day(at, from time.Time) string {
	midnight := func(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
	switch days := int(midnight(from).Sub(midnight(at)).Hours() / 24); {
	case at.IsZero():
		return "before"
	case days <= 0:
		return "today"
	case days == 1:
		return "yesterday"
	default:
		return number(days) + " days before"
	}
}

// crowd is how many comments of one network in ten minutes are a crowd, and
// nearbySpam how many marked as spam within a day a bad neighbourhood.
const (
	crowd      = 12
	nearbySpam = 2
)

// neighbourhood tells what else came from the network. Neighbours are not
// answerable for each other: it is a doubt.
func neighbourhood(s Subject) []postil.Finding {
	var reasons []string
	if t := s.Memory.Traces; t.Nearby >= nearbySpam {
		reasons = append(reasons, number(t.Nearby)+" comments from this network were marked as spam within a day")
	}
	if t := s.Memory.Traces; t.Crowded >= crowd {
		reasons = append(reasons, number(t.Crowded)+" comments came from this network within ten minutes")
	}
	if len(reasons) == 0 || known(s) {
		return nil
	}
	return []postil.Finding{{Weight: Doubt, Reason: strings.Join(reasons, " and ")}}
}

// known reports whether the network or the author is one that somebody vouched for.
func known(s Subject) bool {
	for _, r := range s.Memory.Rulings {
		if r.Effect == postil.EffectAllow || r.Effect == postil.EffectTrust {
			return true
		}
	}
	return false
}

// proxy tells what a trusted proxy has against the sender. It knows programs and
// countries and no comments: it can hold and nothing else.
func proxy(s Subject) []postil.Finding {
	if s.Comment.FormState.Proxy == "" {
		return nil
	}
	return objection(s.Comment.FormState.Proxy)
}

// form tells what the embedded form saw. None of it refuses anybody: slow
// networks, autofill and pages without scripts do the same.
func form(s Subject) []postil.Finding {
	switch f := s.Comment.FormState; {
	case f.Trap:
		return objection("a field that people cannot see was filled in")
	case f.Token == "missing":
		return objection("sent without the form of this blog")
	case f.Token == "expired":
		return objection("the form was more than a day old")
	case f.Token == "reused":
		return objection("the form had been sent before")
	case f.Token != "" && f.Token != "ok":
		return objection("the form belongs to another page")
	case f.Work == "missing":
		return objection("the proof of work that was asked for is missing")
	case f.Work == "wrong":
		return objection("the proof of work is wrong")
	case f.Token == "ok" && f.Filled < fastest:
		return objection(fmt.Sprintf("filled in within %.1f seconds", f.Filled.Seconds()))
	}
	return nil
}
