package moderation

import (
	"context"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Correct changes the text and the name of a comment for a moderator, "" keeps
// either. The status stays, a waiting edit of the author stays, and the log has
// both texts. revision is that of the text that the caller has read, 0 for any.
// A correction that changes nothing is no error.
func (d *Door) Correct(ctx context.Context, id postil.CommentID, text, name string, revision int, by postil.By) (postil.Outcome, error) {
	var change *postil.TextChange
	if text != "" {
		change = &postil.TextChange{Text: text, HTML: markup.Render(text), Hash: markup.Fingerprint(text)}
	}
	return d.apply(ctx, id, func(c postil.Comment, last postil.Decision) (*postil.Change, error) {
		if err := asSeen(postil.DecisionRequest{Revision: revision}, c, last); err != nil {
			return nil, err
		}
		ch := &postil.Change{Verb: postil.EditedVerb, To: c.Status, By: by}
		if change != nil && change.Text != c.Text {
			ch.Text = change
		}
		if name != c.Author.Name {
			ch.Name = name
		}
		if ch.Text == nil && ch.Name == "" {
			return nil, nil
		}
		return ch, nil
	})
}
