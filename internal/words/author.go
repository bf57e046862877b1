package words

import (
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// History says in a few words what a site remembers of the author of c.
func (s Speech) History(c postil.Comment, r postil.AuthorRecord) string {
	switch {
	case c.Origin.Device == "" && c.UserID == "":
		return s.Say("history.unknown")
	case r.FirstSeen.IsZero():
		return s.Say("history.first")
	}
	var parts []string
	for _, n := range []struct {
		count int
		key   string
	}{{r.Approved, "history.approved"}, {r.Rejected, "history.rejected"}, {r.Spam, "history.spam"}} {
		if n.count > 0 {
			parts = append(parts, s.Count(n.key, n.count))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, s.Say("history.none"))
	}
	return strings.Join(append(parts, s.Say("history.since", "date", r.FirstSeen.UTC().Format(time.DateOnly))), ", ")
}

// Ago says how long something has lasted.
func (s Speech) Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return s.Say("ago.less")
	case d < 2*time.Hour:
		return s.Count("ago.minutes", int(d.Minutes()))
	case d < 48*time.Hour:
		return s.Count("ago.hours", int(d.Hours()))
	}
	return s.Count("ago.days", int(d.Hours()/24))
}

// Why says in one sentence what the checks found; "" for nothing.
func (s Speech) Why(verdict postil.Verdict, findings []postil.Finding) string {
	reasons := make([]string, 0, len(findings))
	for _, f := range findings {
		reasons = append(reasons, f.Reason)
	}
	if len(reasons) == 0 {
		return ""
	}
	why := strings.Join(reasons, ", ")
	switch verdict {
	case postil.VerdictHold, postil.VerdictSpam, postil.VerdictApprove:
		return s.Say("verdict."+string(verdict), "why", why)
	}
	return why
}
