package telegram

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/postil/postil/internal/postil"
)

// Bot is the desk in Telegram. It sends and receives nothing until Run.
type Bot struct {
	lg       *slog.Logger
	cfg      Config
	store    Store
	desk     Desk
	reply    Replier
	taps     Taps
	orders   Taps
	authors  Authors
	switches Switches
	hash     func(string) string
	signIn   func(context.Context, int64, postil.By) (string, time.Time, error)
	now      func() time.Time
	after    func(time.Duration) <-chan time.Time

	api       *client
	sender    *sender
	strangers *strangers
	seen      *seen

	mu        sync.Mutex
	name      string                 // the bot's user name, "" until Telegram told it
	problem   string                 // why no updates arrive, "" when they do
	chatless  map[postil.SiteID]bool // sites without a chat, of which was warned
	languages map[int64]string       // of the people behind private chats
}

// New returns a bot, or an error that says which setting is wrong.
func New(lg *slog.Logger, cfg Config, d Deps) (*Bot, error) {
	cfg, err := cfg.check()
	if err != nil {
		return nil, err
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.After == nil {
		d.After = time.After
	}
	b := &Bot{lg: lg, cfg: cfg, store: d.Store, desk: d.Desk, reply: d.Replier, taps: d.Taps, orders: d.Orders, authors: d.Authors, switches: d.Switches, hash: d.HashCode, signIn: d.SignIn, now: d.Now, after: d.After,
		api: newClient(lg, cfg, d.HTTP), strangers: newStrangers(), seen: newSeen(), chatless: map[postil.SiteID]bool{}, languages: map[int64]string{}}
	b.sender = newSender(b)
	return b, nil
}

// Run sends and edits cards and takes updates until ctx ends. What is on its
// way to Telegram by then is finished and recorded.
func (b *Bot) Run(ctx context.Context) error {
	defer b.api.http.CloseIdleConnections()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.sender.run(ctx) })
	g.Go(func() error { return b.receive(ctx) })
	return g.Wait()
}

// HandleEvent makes the cards due that an event concerns. It is idempotent and
// calls nobody; the sender does the work. Events of other kinds are no matter.
func (b *Bot) HandleEvent(ctx context.Context, ev postil.Event) error {
	switch ev.Kind {
	case postil.ReviewRequested:
		chats, err := b.chatsFor(ctx, ev.Site)
		if err != nil {
			return err
		}
		if len(chats) == 0 {
			return b.nobody(ctx, ev)
		}
		if err := b.store.WantCard(ctx, ev.Comment, chats); err != nil {
			return err
		}
		b.Wake()
	case postil.CommentDecided, postil.CommentUpdated:
		return b.refresh(ctx, ev.Comment)
	case postil.NoticeRaised:
		return b.notice(ctx, ev)
	}
	return nil
}

// nobody handles a comment of a site that has no chat: it waits in the lists
// that moderators read elsewhere, and asking again would not change that.
func (b *Bot) nobody(ctx context.Context, ev postil.Event) error {
	b.mu.Lock()
	known := b.chatless[ev.Site]
	b.chatless[ev.Site] = true
	b.mu.Unlock()
	if !known {
		b.lg.Warn("no Telegram chat gets the cards of this site; add one to POSTIL_TELEGRAM_CHATS", "site", ev.Site)
	}
	return b.store.Announced(ctx, ev.Comment)
}

// refresh makes all cards of a comment due.
func (b *Bot) refresh(ctx context.Context, id postil.CommentID) error {
	_, err := b.store.RefreshCards(ctx, id)
	if err == nil {
		b.Wake() // a board may be due where no card is
	}
	return err
}

// Wake makes the sender look for due cards now. It never blocks.
func (b *Bot) Wake() { b.sender.wake() }

// Status is how the desk is doing.
type Status struct {
	Undelivered int    // cards that could not be delivered so far
	Problem     string // what is wrong, in words, without the token; "" when all is well
}

// Status says how the desk is doing, for operators.
func (b *Bot) Status(ctx context.Context) (Status, error) {
	n, err := b.store.UndeliveredCards(ctx)
	if err != nil {
		return Status{}, err
	}
	chats, err := b.store.Chats(ctx)
	if err != nil {
		return Status{}, err
	}
	var problems []string
	b.mu.Lock()
	problems = append(problems, b.problem)
	b.mu.Unlock()
	problems = append(problems, b.sender.trouble())
	if alone, err := b.alone(ctx); err != nil {
		return Status{}, err
	} else if alone {
		problems = append(problems, "no chat gets cards; link a moderator with “postil moderator link --name NAME”, or set POSTIL_TELEGRAM_CHATS")
	}
	for _, c := range chats {
		if c.Problem != "" {
			problems = append(problems, "chat "+id(c.ID)+": "+c.Problem)
		}
	}
	return Status{Undelivered: n, Problem: joined(problems)}, nil
}

// joined puts the parts that say something into one sentence.
func joined(parts []string) string {
	var said []string
	known := map[string]bool{"": true}
	for _, p := range parts {
		if !known[p] {
			known[p] = true
			said = append(said, p)
		}
	}
	return strings.Join(said, "; ")
}

// receiving notes whether updates arrive; it logs the changes only.
func (b *Bot) receiving(err error) {
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	b.mu.Lock()
	before := b.problem
	b.problem = problem
	b.mu.Unlock()
	switch {
	case problem != "" && problem != before:
		b.lg.Warn("no updates from Telegram", "problem", problem)
	case problem == "" && before != "":
		b.lg.Info("updates from Telegram arrive again")
	}
}

// sleep waits for d, less when ctx ends; it reports whether ctx goes on.
func (b *Bot) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-b.after(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// grace is how long work that has begun may go on after its context ended.
const grace = 3 * time.Second

// unhurried returns a context that outlives ctx a little, for work that must
// not be left half done.
func unhurried(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return out, func() { stop(); cancel() }
}

// isKind reports whether err is an error of the kind.
func isKind(err error, kind postil.Kind) bool {
	e, ok := errors.AsType[*postil.Error](err)
	return ok && e.Kind == kind
}
