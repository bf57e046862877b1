package moderation

import (
	"fmt"

	"github.com/postil/postil/internal/postil"
)

// AskAfter sets how many different readers must report a comment of a site until
// a person is asked; without it that is postil.ReportThreshold. It is called
// before the door is in use.
func (d *Door) AskAfter(threshold func(postil.SiteID) int) { d.threshold = threshold }

// Reported is the rule for a comment of a site that one more reader has
// reported. It decides nothing: from the threshold on a person is asked, and
// until that person has decided the comment stays public, or a few readers could
// silence anybody.
func (d *Door) Reported(site postil.SiteID) postil.Rule {
	if d.threshold == nil {
		return reportedBy(postil.ReportThreshold)
	}
	return reportedBy(d.threshold(site))
}

func reportedBy(threshold int) postil.Rule {
	return func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		if c.Status != postil.Approved || c.Reports < threshold {
			return nil, nil
		}
		ch := &postil.Change{To: c.Status}
		if c.Reports == threshold {
			ch.Review = postil.OpenReview
		}
		if !c.Checked.IsZero() { // else the checks are under way, and will find it themselves
			ch.Checks = &postil.Conclusion{Verdict: postil.VerdictHold, Findings: withReports(c, c.Findings)}
		}
		return ch, nil
	}
}

const reportedCheck = "reported"

// withReports puts what readers say by now before what the checks have found.
func withReports(c postil.Comment, found []postil.Finding) []postil.Finding {
	all := reportedCheckOf(c)
	for _, f := range found {
		if f.Check != reportedCheck {
			all = append(all, f)
		}
	}
	return all
}

func reportedCheckOf(c postil.Comment) []postil.Finding {
	if c.Reports == 0 {
		return nil
	}
	who := "1 reader"
	if c.Reports > 1 {
		who = fmt.Sprintf("%d readers", c.Reports)
	}
	return []postil.Finding{{Check: reportedCheck, Weight: Objection, Reason: who + " reported this"}}
}

// reported keeps the edit of a comment that readers have reported from being
// published by the checks, which would close the question that they raised.
func reported(s Subject) []postil.Finding { return reportedCheckOf(s.Comment) }
