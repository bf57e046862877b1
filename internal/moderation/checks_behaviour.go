package moderation

import (
	"fmt"
	"time"

	"github.com/postil/postil/internal/postil"
)

// fastest is how quickly a person can fill in the form.
const fastest = 2 * time.Second

// repeated compares with what was said on this site within the last day.
func repeated(s Subject) []postil.Finding {
	switch m := s.Memory; {
	case m.SpamTexts > 0:
		return []postil.Finding{{Weight: Clear, Reason: "the same text was marked as spam"}}
	case m.SameText > 0:
		return objection("the same text was posted before, " + plural(m.SameText, "time"))
	}
	return nil
}

// form tells what the embedded form saw. None of it refuses anybody: slow
// networks, autofill and pages without scripts do the same.
func form(s Subject) []postil.Finding {
	switch f := s.Comment.FormState; {
	case f.Trap:
		return objection("a field that people cannot see was filled in")
	case f.Token != "" && f.Token != "ok":
		return objection(map[string]string{
			"missing": "sent without the form of this blog",
			"expired": "the form was more than a day old",
			"reused":  "the form had been sent before",
			"foreign": "the form belongs to another page",
		}[f.Token])
	case f.Token == "ok" && f.Filled < fastest:
		return objection(fmt.Sprintf("filled in within %.1f seconds", f.Filled.Seconds()))
	}
	return nil
}
