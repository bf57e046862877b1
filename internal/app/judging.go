package app

import (
	"context"

	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
)

// judged asks the classifier and says in the terms of the checks what it found.
// What is rather spam than not keeps a comment from being published without a
// person; a mere doubt does so only where doubt is the policy's business.
func (a *App) judged(ctx context.Context, c postil.Comment, text string) (postil.Finding, error) {
	score, err := a.learned.Judge(ctx, c, text)
	if err != nil {
		return postil.Finding{}, err
	}
	f := postil.Finding{Reason: score.Sentence()}
	switch {
	case score.Verdict == postil.VerdictSpam:
		f.Weight = moderation.Clear
	case score.Verdict == postil.VerdictApprove:
		f.Weight = -moderation.Objection
	case score.P >= 0.5:
		f.Weight = moderation.Objection
	default:
		f.Weight = moderation.Objection / 2
	}
	return f, nil
}
