package moderation

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// Rehearsal runs the checks as they would run under other settings, over
// comments that were checked before. It writes nothing, teaches nothing and
// calls nobody: what other services and the learned opinion said stands with
// the comment.
type Rehearsal struct {
	worker Worker
	with   Supposed
}

// Supposed is what the settings would be.
type Supposed struct {
	Site    func(postil.Site) postil.Site                              // a site with them
	Rulings func(site postil.SiteID) []postil.Ruling                   // the rules that are configuration
	Opinion func(postil.SiteID, postil.Finding) (postil.Finding, bool) // what the learned opinion would weigh; false: it has no say
}

// Rehearse returns a rehearsal with other settings.
func (w *Worker) Rehearse(with Supposed) *Rehearsal {
	r := &Rehearsal{worker: *w, with: with}
	r.worker.library = &library{shelf: w.archive} // the lists of the service stay its own
	r.worker.config = func(site postil.SiteID) ([]postil.Ruling, any) { return with.Rulings(site), r }
	return r
}

// Conclude says what the policy would make of a comment.
func (r *Rehearsal) Conclude(ctx context.Context, id postil.CommentID) (postil.Verdict, error) {
	c, memory, err := r.worker.archive.Submitted(ctx, id)
	if err != nil {
		return "", err
	}
	memory.Site = r.with.Site(memory.Site)
	s, err := r.worker.subject(ctx, c, memory)
	if err != nil {
		return "", err
	}
	found := Examine(r.worker.checks, s)
	for _, f := range c.Findings {
		if f.Check == Learned {
			f, ok := r.with.Opinion(c.Site, f)
			if ok {
				found = append(found, f)
			}
		}
		for _, o := range r.worker.outside {
			if f.Check == o.Name {
				found = append(found, f)
			}
		}
	}
	return Conclude(s.Memory, found).Verdict, nil
}
