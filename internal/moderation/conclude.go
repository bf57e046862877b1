package moderation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/postil/postil/internal/postil"
)

// Conclude is the one policy function: from what the checks found and what the
// site remembers to what happens. Trust comes from an approved comment of the
// same account or device, or from a moderator's word about one, and from
// nothing that is typed; it does not reach to links that its author never sent
// before.
func Conclude(m postil.Memory, found []postil.Finding) postil.Conclusion {
	w := weigh(found)
	site := m.Site
	switch {
	case w.banned:
		return postil.Conclusion{Verdict: postil.VerdictSpam, Findings: found}
	case site.Lockdown:
		return held(found, "lockdown", "comments are paused on this site")
	case site.Policy == postil.HoldAll:
		return held(found, "policy", "everything waits for a person on this site")
	case w.clear && w.allowed:
		return postil.Conclusion{Verdict: postil.VerdictHold, Findings: found}
	case w.clear:
		return postil.Conclusion{Verdict: postil.VerdictSpam, Findings: found, Doubt: doubtOf(found)}
	case w.objects:
		if !m.NameSeen && m.Record.Approved == 0 {
			found = append(slices.Clone(found), postil.Finding{Check: "name", Reason: "name not seen before"})
		}
		return postil.Conclusion{Verdict: postil.VerdictHold, Findings: found}
	case trusted(m):
		return approved(found, "trust", "a moderator trusts this author")
	case site.Policy == postil.Open:
		return approved(found, "policy", "nothing was found against it")
	case site.Policy == postil.ByScore && w.honest:
		return postil.Conclusion{Verdict: postil.VerdictApprove, Findings: found}
	case site.Policy == postil.ByScore:
		return held(found, "policy", "not clear enough to decide without a person")
	case m.Record.Approved == 0:
		return held(found, "history", "no comment of this author was approved yet")
	case w.newLinks:
		return postil.Conclusion{Verdict: postil.VerdictHold, Findings: found}
	}
	return approved(found, "history", fmt.Sprintf("%s of this author approved before", plural(m.Record.Approved, "comment")))
}

// balance is what findings come to.
type balance struct {
	banned   bool // by a person, whatever the policy
	clear    bool // one of the findings is enough to stop it
	allowed  bool // but somebody wants to see it first
	objects  bool // it is not published without a person
	honest   bool // the learned opinion speaks for it
	newLinks bool // trust does not reach so far
}

// weigh adds up findings. Doubts count together: two of them are an objection.
func weigh(found []postil.Finding) (b balance) {
	against := 0.0
	for _, f := range found {
		against += max(f.Weight, 0)
		b.objects = b.objects || f.Weight >= Objection
		b.clear = b.clear || f.Weight >= Clear
		b.banned = b.banned || f.Check == Banned && f.Weight >= Clear
		b.allowed = b.allowed || f.Check == Allowed
		b.honest = b.honest || f.Check == Learned && f.Weight <= -Objection
		b.newLinks = b.newLinks || f.Check == NewLinks
	}
	b.objects = b.objects || against >= Objection
	return b
}

// doubtOf says how likely a stop is wrong: not at all when somebody's rule or an
// earlier decision asked for it, else as likely as the learned opinion says.
func doubtOf(found []postil.Finding) (doubt float64) {
	for _, f := range found {
		switch {
		case f.Weight < Clear:
		case f.P == 0:
			return 0
		default:
			doubt = 1 - f.P
		}
	}
	return doubt
}

// trusted reports whether a moderator has vouched for the author.
func trusted(m postil.Memory) bool {
	return slices.ContainsFunc(m.Rulings, func(r postil.Ruling) bool { return r.Effect == postil.EffectTrust })
}

// approved names what spoke for the comment.
func approved(found []postil.Finding, check, reason string) postil.Conclusion {
	found = append(slices.Clone(found), postil.Finding{Check: check, Weight: -Objection, Reason: reason})
	return postil.Conclusion{Verdict: postil.VerdictApprove, Findings: found}
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
