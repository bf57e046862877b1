package qlog

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Shelf keeps questions.
type Shelf interface {
	AddQuestion(ctx context.Context, v postil.Question, folded string) error
	Question(ctx context.Context, id string) (postil.Question, error)
	// Questions compares Query with the folded texts.
	Questions(ctx context.Context, f postil.QuestionFilter) (postil.QuestionPage, error)
	TagQuestion(ctx context.Context, id string, tags []string, by postil.By) (postil.Question, error)
	RemoveQuestion(ctx context.Context, id string, by postil.By) error
}

// Log is the question log.
type Log struct {
	Shelf
	now func(context.Context) time.Time
}

// New returns a log over a shelf.
func New(shelf Shelf, now func(context.Context) time.Time) *Log { return &Log{shelf, now} }

// Ask keeps a question, which postil.CleanQuestion returned, and returns its
// record. Without an error it is on disk.
func (l *Log) Ask(ctx context.Context, site postil.SiteID, actor, text string) (postil.Question, error) {
	now := l.now(ctx).UTC()
	v := postil.Question{ID: newID(now), Site: site, Text: text, Actor: actor, Asked: now}
	return v, l.AddQuestion(ctx, v, markup.Fold(text))
}

// Questions returns a page of the log; case, accents and the width of letters
// do not matter to Query.
func (l *Log) Questions(ctx context.Context, f postil.QuestionFilter) (postil.QuestionPage, error) {
	f.Query = markup.Fold(f.Query)
	return l.Shelf.Questions(ctx, f)
}

// newID begins with the day, so that the ids of a day stand together, and goes
// on with what nobody can guess.
func newID(now time.Time) string {
	return now.Format(time.DateOnly) + "-" + strings.ToLower(rand.Text()[:16])
}
