package moderation

import (
	"github.com/postil/postil/internal/postil"
)

// Subject is what a check looks at.
type Subject struct {
	Comment postil.Comment
	Text    string // the text that is to become public: the waiting edit, if there is one
	HTML    string // what Render gave for it
	Memory  postil.Memory

	Lists      []*Lists // rules about words, names and hosts
	KnownHosts []string // that the author's approved comments link to
}

// Check is one automatic test. It says nothing, or what it has found; a weight
// of at least Objection keeps a comment from being published without a person,
// one of at least Clear stops it as spam.
type Check func(Subject) []postil.Finding

// What weights mean.
const (
	Objection = 1.0
	Clear     = 10.0
)

// NamedCheck is a check with the name that its findings carry.
type NamedCheck struct {
	Name  string
	Check Check
}

// Checks returns the pipeline: the checks in the order in which their findings
// are told.
func Checks() []NamedCheck {
	return []NamedCheck{
		{Banned, bans},
		{"author", authorRules},
		{"lists", lists},
		{Allowed, allowed},
		{"repeated", repeated},
		{"words", blockedWords},
		{"links", links},
		{NewLinks, newLinks},
		{"network", neighbourhood},
		{"lookalike", lookAlike},
		{"invisible", invisible},
		{"length", length},
		{"form", form},
		{"proxy", proxy},
		{reportedCheck, reported},
	}
}

// Examine runs checks over a subject. A check that panics has objected: what
// could not be examined waits for a person.
func Examine(checks []NamedCheck, s Subject) []postil.Finding {
	var all []postil.Finding
	for _, c := range checks {
		for _, f := range guarded(c.Check, s) {
			f.Check = c.Name
			all = append(all, f)
		}
	}
	return all
}

func guarded(check Check, s Subject) (found []postil.Finding) {
	defer func() {
		if recover() != nil {
			found = []postil.Finding{{Weight: Objection, Reason: "one of the checks failed"}}
		}
	}()
	return check(s)
}

func objection(reason string) []postil.Finding {
	return []postil.Finding{{Weight: Objection, Reason: reason}}
}
