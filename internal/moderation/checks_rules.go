package moderation

import (
	"fmt"
	"strings"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Doubt is the weight of what decides nothing alone; doubts that together reach
// Objection do.
const Doubt = Objection / 2

// Banned is the name of the check that tells of bans: they count whatever the
// policy is, since a person has decided.
const Banned = "ban"

// bans tells what was laid down about the author.
func bans(s Subject) (found []postil.Finding) {
	for _, r := range s.Memory.Rulings {
		if r.Effect != postil.EffectBan {
			continue
		}
		reason := map[postil.SubjectKind]string{postil.OnNetwork: "this network is banned", postil.OnName: "this name is banned"}[r.Subject.Kind]
		if reason == "" {
			reason = "this author is banned"
		}
		if !r.Until.IsZero() {
			reason += " until " + r.Until.UTC().Format("2 January 2006")
		}
		if r.Reason != "" {
			reason += " (" + r.Reason + ")"
		}
		found = append(found, postil.Finding{Weight: Clear, Reason: reason})
	}
	return found
}

// authorRules tells the rules about the author that are no bans.
func authorRules(s Subject) (found []postil.Finding) {
	for _, r := range s.Memory.Rulings {
		if r.Effect == postil.EffectBan {
			continue
		}
		what := "this author"
		if r.Subject.Kind == postil.OnNetwork {
			what = "this network"
		}
		if f, ok := findingOf(r, what); ok {
			found = append(found, f)
		}
	}
	return found
}

// findingOf says what a rule does to a comment in which what was met.
func findingOf(r postil.Ruling, what string) (postil.Finding, bool) {
	where := "the block list"
	if r.List != "" {
		where = "the list “" + r.List + "”"
	}
	switch r.Effect {
	case postil.EffectSpam:
		return postil.Finding{Weight: Clear, Reason: what + " is on " + where}, true
	case postil.EffectHold:
		if r.Subject.Kind == postil.OnDevice || r.Subject.Kind == postil.OnUser {
			return postil.Finding{Weight: Objection, Reason: "everything of " + what + " waits for a person"}, true
		}
		return postil.Finding{Weight: Objection, Reason: what + " is on " + where}, true
	case postil.EffectSignal:
		return postil.Finding{Weight: Doubt, Reason: what + " is on " + where}, true
	}
	return postil.Finding{}, false
}

// Allowed is the name of the check that keeps the others from stopping a
// comment without a person.
const Allowed = "allowed"

// allowed tells that somebody wants to see such comments, whatever is found.
func allowed(s Subject) []postil.Finding {
	for _, r := range s.Memory.Rulings {
		if r.Effect == postil.EffectAllow || r.Effect == postil.EffectTrust {
			return []postil.Finding{{Reason: "from somebody on the allow list"}}
		}
	}
	for r, what := range matches(s) {
		if r.Effect == postil.EffectAllow {
			return []postil.Finding{{Reason: what + " is on the allow list"}}
		}
	}
	return nil
}

// lists looks for what is listed in what readers see of the text, addresses of
// links included, in the name and in the website.
func lists(s Subject) (found []postil.Finding) {
	told := map[string]bool{}
	for r, what := range matches(s) {
		if f, ok := findingOf(r, what); ok && !told[f.Reason] {
			told[f.Reason] = true
			found = append(found, f)
		}
	}
	return found
}

// matches yields each rule about words, names and hosts that a subject meets,
// with words that say where.
func matches(s Subject) func(yield func(postil.Ruling, string) bool) {
	return func(yield func(postil.Ruling, string) bool) {
		if len(s.Lists) == 0 {
			return
		}
		plain, hosts := markup.PlainHTML(s.HTML), hostsOf(s)
		for _, l := range s.Lists {
			for _, place := range []struct {
				rules      []wordRules
				what, text string
			}{
				{l.words, "the text", plain}, {l.words, "the name", s.Comment.Author.Name}, {l.words, "the website", s.Comment.Author.Website},
				{l.names, "the name", s.Comment.Author.Name},
			} {
				for _, rules := range place.rules {
					if entry, ok := rules.list.Match(place.text); ok && !yield(rules.rulings[entry], fmt.Sprintf("“%s” in %s", entry, place.what)) {
						return
					}
				}
			}
			for _, host := range hosts {
				if r, ok := l.host(host); ok && !yield(r, "the link to "+host) {
					return
				}
			}
		}
	}
}

// counted reports whether a link counts: not one to a host that is allowed.
func counted(s Subject, link string) bool {
	host := hostOf(link)
	for _, l := range s.Lists {
		if r, ok := l.host(host); ok && r.Effect == postil.EffectAllow {
			return false
		}
	}
	return true
}

// NewLinks is the name of the check that tells of links which an author whose
// comments were approved has not sent before: trust does not reach so far.
const NewLinks = "newlinks"

// newLinks compares with the hosts in the author's approved comments.
func newLinks(s Subject) []postil.Finding {
	if s.Memory.Record.Approved == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, host := range s.KnownHosts {
		known[host] = true
	}
	var strange []string
	for _, host := range hostsOf(s) {
		if !known[host] && counted(s, "https://"+host+"/") {
			strange = append(strange, host)
		}
	}
	if len(strange) == 0 {
		return nil
	}
	return []postil.Finding{{Weight: Doubt, Reason: "this author has not linked to " + strings.Join(strange[:min(len(strange), 3)], ", ") + " before"}}
}
