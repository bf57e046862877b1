package telegram

import (
	"time"

	"github.com/postil/postil/internal/postil"
)

// became are the words for a status that somebody decided.
var became = map[postil.Status]string{
	postil.Approved: "✅ Approved",
	postil.Rejected: "🚫 Rejected",
	postil.Spam:     "🗑 Spam",
	postil.Deleted:  "🗑 Deleted",
	postil.Pending:  "↩️ Waits again",
}

// standing says who decided what and when, "" while nobody has.
func standing(d postil.Detail) string {
	c := d.Comment
	if len(d.History) == 0 {
		if c.Status == postil.Pending {
			return ""
		}
		return became[c.Status]
	}
	last := d.History[len(d.History)-1]
	words := became[c.Status]
	if last.Verb == postil.UndoneVerb && c.Status != postil.Pending {
		words += " again: taken back"
	}
	return words + " " + whose(last.By) + " · " + clock(last.At, c.Created)
}

// whose says by whom, in words that follow "Approved".
func whose(by postil.By) string {
	switch {
	case by.Channel == postil.ByCheck:
		return "automatically"
	case by.Channel == postil.ByAuthor:
		return "by its author"
	case line(by.Name, nameUnits) == "":
		return "by a moderator"
	}
	return "by " + line(by.Name, nameUnits)
}

// clock says when, with the day where it is not that of near.
func clock(at, near time.Time) string {
	at, near = at.UTC(), near.UTC()
	if at.Format(time.DateOnly) == near.Format(time.DateOnly) {
		return at.Format("15:04 UTC")
	}
	return at.Format("2 Jan 2006, 15:04 UTC")
}

// already says how a comment stood before somebody pressed in vain.
func already(out postil.Outcome, now time.Time) string {
	words := map[postil.Status]string{
		postil.Approved: "approved", postil.Rejected: "rejected", postil.Spam: "marked as spam", postil.Deleted: "deleted", postil.Pending: "waiting",
	}[out.Status]
	if out.Decision.ID == 0 {
		return "Already " + words + "."
	}
	return "Already " + words + " " + whose(out.Decision.By) + " at " + clock(out.Decision.At, now) + "."
}
