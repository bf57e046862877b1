package moderation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/postil/postil/internal/postil"
)

// Conclude is the one policy function: from what the checks found and what the
// site remembers to what happens. Trust comes from an approved comment of the
// same account or device and from nothing that is typed.
func Conclude(m postil.Memory, found []postil.Finding) postil.Conclusion {
	objections, clear, honest := 0, false, false
	for _, f := range found {
		if f.Weight >= Objection {
			objections++
		}
		clear = clear || f.Weight >= Clear
		honest = honest || f.Check == Learned && f.Weight <= -Objection
	}
	site := m.Site
	switch {
	case site.Lockdown:
		return held(found, "lockdown", "comments are paused on this site")
	case site.Policy == postil.HoldAll:
		return held(found, "policy", "everything waits for a person on this site")
	case clear:
		return postil.Conclusion{Verdict: postil.VerdictSpam, Findings: found}
	case objections > 0:
		return postil.Conclusion{Verdict: postil.VerdictHold, Findings: found}
	case site.Policy == postil.Open:
		return postil.Conclusion{Verdict: postil.VerdictApprove, Findings: append(found, postil.Finding{
			Check: "policy", Weight: -Objection, Reason: "nothing was found against it"})}
	case site.Policy == postil.ByScore && honest:
		return postil.Conclusion{Verdict: postil.VerdictApprove, Findings: found}
	case site.Policy == postil.ByScore:
		return held(found, "policy", "not clear enough to decide without a person")
	case m.Record.Approved == 0:
		return held(found, "history", "no comment of this author was approved yet")
	}
	return postil.Conclusion{Verdict: postil.VerdictApprove, Findings: append(found, postil.Finding{
		Check: "history", Weight: -Objection, Reason: fmt.Sprintf("%s of this author approved before", plural(m.Record.Approved, "comment"))})}
}

// held names what speaks for the comment last: a sentence that begins “held:
// reads like an honest comment” would seem to give that as the reason.
func held(found []postil.Finding, check, reason string) postil.Conclusion {
	found = append(slices.Clone(found), postil.Finding{Check: check, Reason: reason})
	slices.SortStableFunc(found, func(a, b postil.Finding) int { return cmp.Compare(forIt(a), forIt(b)) })
	return postil.Conclusion{Verdict: postil.VerdictHold, Findings: found}
}

func forIt(f postil.Finding) int {
	if f.Weight < 0 {
		return 1
	}
	return 0
}
