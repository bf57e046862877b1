package telegram

import (
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// signs stand before what became of a comment.
var signs = map[postil.Status]string{postil.Approved: "✅ ", postil.Rejected: "🚫 ", postil.Spam: "🗑 ", postil.Deleted: "🗑 ", postil.Pending: "↩️ "}

// standing says who decided what and when, "" while nobody has.
func standing(d postil.Detail, say words.Speech) string {
	c := d.Comment
	if len(d.History) == 0 {
		if c.Status == postil.Pending {
			return ""
		}
		return signs[c.Status] + say.Say("did."+string(c.Status))
	}
	last := d.History[len(d.History)-1]
	key := "status." + string(c.Status)
	if last.Verb == postil.UndoneVerb && c.Status != postil.Pending {
		key += ".again"
	}
	return signs[c.Status] + say.Say(key, "by", whose(last.By, say), "when", clock(last.At, c.Created))
}

// whose says by whom, in words that follow "Approved".
func whose(by postil.By, say words.Speech) string {
	switch {
	case by.Channel == postil.ByCheck:
		return say.Say("by.checks")
	case by.Channel == postil.ByAuthor:
		return say.Say("by.author")
	case line(by.Name, nameUnits) == "":
		return say.Say("by.somebody")
	}
	return say.Say("by.name", "name", line(by.Name, nameUnits))
}

// clock says when, with the day where it is not that of near.
func clock(at, near time.Time) string {
	at, near = at.UTC(), near.UTC()
	if at.Format(time.DateOnly) == near.Format(time.DateOnly) {
		return at.Format("15:04 UTC")
	}
	return at.Format("2006-01-02 15:04 UTC")
}

// already says how a comment stood before somebody pressed in vain.
func already(out postil.Outcome, now time.Time, say words.Speech) string {
	if out.Decision.ID == 0 {
		return signs[out.Status] + say.Say("did."+string(out.Status))
	}
	return say.Say("already."+string(out.Status), "by", whose(out.Decision.By, say), "when", clock(out.Decision.At, now))
}
