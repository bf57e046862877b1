package moderation

import (
	"context"
	"fmt"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Edit lets a commenter change the text within the edit window. The new text
// goes through the checks again and is never public sooner than a new comment
// would be: of an approved comment, the approved version stays. proves tells
// whether the caller holds the edit key of a comment.
func (d *Door) Edit(ctx context.Context, site postil.SiteID, id postil.CommentID, t postil.TextChange, proves func(postil.Comment) bool) (postil.Outcome, error) {
	now := d.now(ctx)
	out, err := d.apply(ctx, id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		if err := d.mayTouch(c, site, now, proves); err != nil {
			return nil, err
		}
		return edited(c, t), nil
	})
	return out, unproven(err)
}

// Remove lets a commenter delete the comment within the edit window.
func (d *Door) Remove(ctx context.Context, site postil.SiteID, id postil.CommentID, proves func(postil.Comment) bool) (postil.Outcome, error) {
	now := d.now(ctx)
	out, err := d.apply(ctx, id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		if proves(c) && c.Site == site && c.Status == postil.Deleted {
			return nil, nil
		}
		if err := d.mayTouch(c, site, now, proves); err != nil {
			return nil, err
		}
		return Decided(c, postil.DecisionRequest{Comment: id, Verb: postil.Delete, By: theAuthor(c)}), nil
	})
	return out, unproven(err)
}

func theAuthor(c postil.Comment) postil.By {
	return postil.By{Channel: postil.ByAuthor, Actor: "author", Name: c.Author.Name}
}

// unproven makes an unknown comment and a wrong key one and the same answer.
func unproven(err error) error {
	if postil.KindOf(err) == postil.NotFound {
		return postil.WrongEditKey()
	}
	return err
}

func (d *Door) mayTouch(c postil.Comment, site postil.SiteID, now time.Time, proves func(postil.Comment) bool) error {
	if c.Site != site || !proves(c) || c.Status == postil.Deleted {
		return postil.WrongEditKey()
	}
	if c.Status == postil.Rejected {
		return postil.Refuse("forbidden", "The author of this blog has decided not to publish this comment, so it can no longer be changed.")
	}
	if window := d.window(c.Site); !now.Before(c.EditableUntil(window)) {
		return postil.Refuse("edit-window-over", "A comment can be changed for %s after it was sent. That time is over.", inWords(window))
	}
	return nil
}

func inWords(d time.Duration) string {
	if d >= time.Hour && d%time.Hour == 0 {
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// edited says what a new text does, nil when it is the old one. What was
// stopped as spam stays stopped: an edit never promotes.
func edited(c postil.Comment, t postil.TextChange) *postil.Change {
	ch := &postil.Change{To: c.Status}
	switch {
	case c.Status == postil.Approved && t.Text == c.Text:
		if c.Draft == nil {
			return nil
		}
		ch.Draft, ch.Review = postil.DropDraft, postil.CloseReview
	case c.Status == postil.Approved:
		if c.Draft != nil && c.Draft.Text == t.Text {
			return nil
		}
		ch.NewDraft, ch.Resubmit = &t, true
	case t.Text == c.Text && c.Draft == nil:
		return nil
	default: // an older edit must not come back over the newer one
		ch.Text, ch.Draft, ch.Resubmit = &t, postil.DropDraft, c.Status == postil.Pending
	}
	return ch
}
