package app

import (
	"context"
	"net/http"

	"github.com/postil/postil/internal/console"
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
	// alert tells operators of trouble; the log has it anyway.
	alert(ctx context.Context, i postil.Incident, phase postil.Phase) error
}

// buildDesk chooses the desk.
func (a *App) buildDesk(context.Context) error {
	switch {
	case !a.cfg.TelegramToken.IsZero():
		return a.buildTelegram()
	case a.terminal.In != nil && (a.cfg.Demo || isTerminal(a.terminal.In)):
		a.buildConsole()
	default:
		a.buildQuietDesk()
	}
	return nil
}

// consoleDesk asks whoever sits at the terminal.
type consoleDesk struct {
	quietDesk
	reviewer *console.Reviewer
}

func (d consoleDesk) name() string { return "in this terminal" }
func (d consoleDesk) wake()        { d.reviewer.Wake() }

func (a *App) buildConsole() {
	r := console.New(a.lg, a.door, a.store, a.terminal.In, a.terminal.Out)
	a.desk = consoleDesk{reviewer: r}
	a.deskTasks(a.listed, a.settled, unheard)
	a.tasks = append(a.tasks, namedTask{"console", r.Run})
}

// deskTasks connects a desk with the queue: asked handles requests for review,
// settled whatever was decided or changed, wherever that was, notified what
// moderators should know. The consumers
// have the same names for every desk, so that none is left behind in the broker
// when the desk changes.
func (a *App) deskTasks(asked, settled, notified func(context.Context, postil.Event) error) {
	a.tasks = append(a.tasks,
		namedTask{"desk", a.broker.Consume(queue.Consumer{Name: "desk", Kinds: []postil.EventKind{postil.ReviewRequested}, Parallel: 8, Handle: asked})},
		namedTask{"desk states", a.broker.Consume(queue.Consumer{Name: "desk-states", Parallel: 8,
			Kinds: []postil.EventKind{postil.CommentDecided, postil.CommentUpdated}, Handle: settled})},
		namedTask{"desk notices", a.broker.Consume(queue.Consumer{Name: "desk-notices", Kinds: []postil.EventKind{postil.NoticeRaised}, Handle: notified})})
}

// unheard is what becomes of a notice where nobody can be told: the list shows
// how long everything waits.
func unheard(context.Context, postil.Event) error { return nil }

// quietDesk is the one of an installation without Telegram and terminal.
type quietDesk struct{}

func (quietDesk) name() string                   { return "by the REST API" }
func (quietDesk) wake()                          {}
func (quietDesk) status(context.Context) error   { return nil }
func (quietDesk) hooks() map[string]http.Handler { return nil }

func (quietDesk) alert(context.Context, postil.Incident, postil.Phase) error { return nil }

func (a *App) buildQuietDesk() {
	a.desk = quietDesk{}
	a.deskTasks(a.listed, a.settled, unheard)
}

// listed counts a comment as announced: it is in the list that moderators read.
func (a *App) listed(ctx context.Context, ev postil.Event) error {
	err := a.store.Announced(ctx, ev.Comment)
	a.desk.wake()
	return err
}

func (a *App) settled(context.Context, postil.Event) error {
	a.desk.wake()
	return nil
}
