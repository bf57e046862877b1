package httpapi

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// RuleQuestions is the rule that asking a question takes from.
const RuleQuestions = "questions"

// Light is what the small endpoints need: page views and the question log.
// Without Views there are none of them; with it every member is needed.
type Light struct {
	// DefaultSite returns the site that is meant when a request names none,
	// NotFound when there is no site at all.
	DefaultSite func(ctx context.Context) (postil.SiteID, error)
	Views       Views
	Trends      Trends
	Questions   Questions
}

// Views counts who reads.
type Views interface {
	// Visit returns at once, whatever happens behind it, and reports whether the
	// visit counts.
	Visit(ctx context.Context, v postil.Visit) bool
	// Count returns the number of a post, the latest visits included.
	Count(ctx context.Context, site postil.SiteID, post postil.PostID) (int64, error)
}

// Trends tells when posts were read.
type Trends interface {
	// Trend returns the spans that have a number, in order.
	Trend(ctx context.Context, q postil.TrendQuery) ([]postil.TrendPoint, error)
	TopPosts(ctx context.Context, q postil.TrendQuery, limit int) ([]postil.PostViews, error)
}

// Questions keeps what readers ask.
type Questions interface {
	// Ask stores a clean text. When it returns without an error the question is
	// on disk.
	Ask(ctx context.Context, site postil.SiteID, actor, text string) (postil.Question, error)
	Question(ctx context.Context, id string) (postil.Question, error)
	Questions(ctx context.Context, f postil.QuestionFilter) (postil.QuestionPage, error)
	TagQuestion(ctx context.Context, id string, tags []string, by postil.By) (postil.Question, error)
	RemoveQuestion(ctx context.Context, id string, by postil.By) error
}
