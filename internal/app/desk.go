package app

import (
	"context"
	"net/http"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
)

// desk is how moderators are asked: by Telegram, in this terminal, or, when
// there is neither, by the lists of the REST API alone.
type desk interface {
	name() string
	wake()
	status(ctx context.Context) error
	hooks() map[string]http.Handler
}

// buildDesk chooses the desk.
func (a *App) buildDesk(context.Context) error {
	if !a.cfg.TelegramToken.IsZero() {
		return a.buildTelegram()
	}
	a.buildQuietDesk()
	return nil
}

// quietDesk is the one of an installation without Telegram and terminal.
type quietDesk struct{}

func (quietDesk) name() string                   { return "the REST API" }
func (quietDesk) wake()                          {}
func (quietDesk) status(context.Context) error   { return nil }
func (quietDesk) hooks() map[string]http.Handler { return nil }

// buildQuietDesk counts a comment as announced when it is in the list that
// moderators read.
func (a *App) buildQuietDesk() {
	a.desk = quietDesk{}
	listed := a.broker.Consume(queue.Consumer{Name: "desk", Kinds: []postil.EventKind{postil.ReviewRequested}, Parallel: 16, PerComment: true,
		Handle: func(ctx context.Context, ev postil.Event) error { return a.store.Announced(ctx, ev.Comment) }})
	a.tasks = append(a.tasks, namedTask{"desk", listed})
}
