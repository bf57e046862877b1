package moderation

import (
	"context"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Correct changes the text, the name and the place of a comment for a
// moderator; what k leaves empty stays. The status stays, a waiting edit of the author stays, and the log has
// both texts.
// A correction that changes nothing is no error.
func (d *Door) Correct(ctx context.Context, id postil.CommentID, k postil.Correction, by postil.By) (postil.Outcome, error) {
	var change *postil.TextChange
	if k.Text != "" {
		change = &postil.TextChange{Text: k.Text, HTML: markup.Render(k.Text), Hash: markup.Fingerprint(k.Text)}
	}
	return d.apply(ctx, id, func(c postil.Comment, last postil.Decision) (*postil.Change, error) {
		if err := asSeen(postil.DecisionRequest{Revision: k.Revision}, c, last); err != nil {
			return nil, err
		}
		ch := &postil.Change{Verb: postil.EditedVerb, To: c.Status, By: by}
		if change != nil && change.Text != c.Text {
			ch.Text = change
		}
		if k.Name != c.Author.Name {
			ch.Name = k.Name
		}
		if k.Parent != nil && *k.Parent != c.Parent {
			ch.Parent = k.Parent
		}
		if ch.Text == nil && ch.Name == "" && ch.Parent == nil {
			return nil, nil
		}
		return ch, nil
	})
}
