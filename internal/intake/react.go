package intake

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// React puts an emoji on a comment of a site or takes it back. device is the
// key of the person's device, "" without one; then who comes from the same
// address on the same day is the same person. emoji is one that the site
// offers, see postil.Site.Reaction. NotFound means that the comment is not
// public.
func (in *Intake) React(ctx context.Context, site postil.SiteID, id postil.CommentID, emoji, device, actor string, on bool) (postil.Reacted, error) {
	v, err := in.sites.Site(ctx, site)
	if err != nil {
		return postil.Reacted{}, err
	}
	if v.Lockdown && on {
		return postil.Reacted{}, postil.Refuse("lockdown", "The author of this blog has paused reactions for now. Please come back later.")
	}
	return in.shelf.React(ctx, postil.Reaction{Site: site, Comment: id, Person: in.person(device, actor), Emoji: emoji, On: on})
}

// person tells people apart who have no account.
func (in *Intake) person(device, actor string) postil.Person {
	if device == "" {
		return postil.Person{ID: "a:" + actor, Fleeting: true}
	}
	return postil.Person{ID: "d:" + in.keys.DeviceHash(device)}
}

// Report stores a reader's report of a comment. A second one of the same person
// changes nothing. device and actor say who that is, as for React.
func (in *Intake) Report(ctx context.Context, r postil.Report, device, actor string) error {
	r.Person = in.person(device, actor)
	return in.shelf.AddReport(ctx, r, in.door.Reported(r.Site))
}
