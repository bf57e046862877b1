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
