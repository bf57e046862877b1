package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/backup"
	"github.com/postil/postil/internal/cache"
	"github.com/postil/postil/internal/classifier"
	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/intake"
	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/live"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/netid"
	"github.com/postil/postil/internal/notify"
	"github.com/postil/postil/internal/outbox"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/token"
)

// App is the whole service, put together but not running.
type App struct {
	cfg   Config
	lg    *slog.Logger
	clock *clock
	lock  *flock.Flock
	keys  *token.Keys

	store      *store.Store
	settings   *settings.Live
	broker     *queue.Broker
	relay      *outbox.Relay
	cache      *cache.Cache
	hub        *live.Hub
	follower   *live.Follower
	door       *moderation.Door
	book       *moderation.Book
	worker     *moderation.Worker
	learned    *classifier.Sites
	reconciler *moderation.Reconciler
	sites      *intake.Directory
	intake     *intake.Intake
	auth       *auth.Keys
	sessions   *auth.Sessions
	limiter    *limit.Limiter
	clients    *netid.Resolver
	light      light
	noticed    noticed
	backups    *backup.Keeper
	hooks      *notify.Hooks
	networks   *networks // nil: nobody needs them
	desk       desk      // Telegram, console or nobody
	terminal   Terminal
	pages      *httpapi.Pages
	server     *httpapi.Server

	measured http.Handler // metrics

	listener  net.Listener
	addr      atomic.Pointer[net.Addr] // of listener, for whoever watches from outside
	operators net.Listener             // nil: there is no address for operators
	local     net.Listener
	tasks     []namedTask
}

// Terminal is where a person sits who may be asked; In is nil when nobody does.
type Terminal struct {
	In  io.Reader
	Out io.Writer
}

// namedTask is a background task with the name that its failure is told by.
type namedTask struct {
	name string
	run  func(context.Context) error
}

// New puts the service together from its settings. Nothing runs yet, but the
// data directory is held and the database is open; Close lets go of both.
func New(ctx context.Context, lg *slog.Logger, cfg Config, t Terminal) (a *App, err error) {
	cfg = cfg.withDefaults()
	if err := cfg.Check(); err != nil {
		return nil, &usageError{err}
	}
	a = &App{cfg: cfg, lg: lg, terminal: t, clock: &clock{header: cfg.Clock == "header"}}
	built := a
	defer func() {
		if err != nil {
			err = errors.Join(err, built.Close())
		}
	}()
	if err := cfg.makeData(); err != nil {
		return nil, &usageError{err}
	}
	if a.lock, err = lockData(cfg.Data); err != nil {
		return nil, err
	}
	for _, build := range []func(context.Context) error{a.buildStore, a.buildSettings, a.buildRooms, a.buildQueue, a.buildHooks, a.buildFeedback, a.buildDesk, a.buildLight, a.buildSignals, a.buildBackups, a.buildAlerts, a.buildServer} {
		if err := build(ctx); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *App) buildStore(ctx context.Context) (err error) {
	if a.cfg.lostSecret() {
		a.lg.Warn("the secret of this installation was not there and a new one is made: edit keys and sign-in links given out before do not work until the old file is back",
			"file", filepath.Join(a.cfg.Data, backup.Secret))
	}
	secret, err := a.cfg.secret()
	if err != nil {
		return &usageError{err}
	}
	a.keys = token.NewKeys(secret)
	a.store, err = store.Open(ctx, a.lg, a.database(),
		store.Options{Now: a.clock.now, OnEmit: a.wake, Keep: a.retention, NoCards: a.cfg.TelegramToken.IsZero(), Before: a.upgrade})
	return err
}

// wake is called after each commit that wrote an event.
func (a *App) wake() {
	if a.relay != nil {
		a.relay.Wake()
	}
}

func (a *App) buildRooms(context.Context) (err error) {
	a.sites = intake.NewDirectory(a.store)
	a.learned = classifier.NewSites(a.lg, a.store)
	a.tasks = append(a.tasks, namedTask{"classifier", a.learned.Run})
	a.door = moderation.NewDoor(a.store, a.cfg.EditWindow, a.clock.now)
	a.door.EditWithin(a.editWindow)
	a.door.AskAfter(func(site postil.SiteID) int { return settings.ReportsToAsk.Get(a.settings.Now(), site) })
	a.book = moderation.NewBook(a.store, a.keys.NetworkID, a.clock.now)
	a.worker = moderation.NewWorker(a.lg, a.store, a.judged)
	if err := a.consultOthers(); err != nil {
		return err
	}
	a.worker.Configured((&listsOf{live: a.settings, network: a.keys.NetworkID}).entries)
	a.intake = intake.New(a.store, a.door, a.sites, a.keys, a.clock.now, a.cfg.EditWindow, a.wary())
	a.intake.Within(a.bounds())
	a.auth = auth.NewKeys(a.lg, a.store, a.cfg.AdminKey, a.clock.now)
	cookie, err := auth.CookieFor(a.cfg.URL)
	if err != nil {
		return err
	}
	a.sessions = auth.NewSessions(a.lg, a.store, a.auth, a.keys, cookie, a.clock.now)
	a.cache = cache.New(a.lg, a.load, cache.Options{})
	a.hub = live.New(a.lg, live.Options{PerActor: a.streamsPerActor(), Max: 50_000})
	a.follower = live.NewFollower(a.cache, a.hub)
	var warnings []string
	a.clients, warnings, err = netid.NewResolver(a.cfg.TrustedProxies, a.cfg.ClientIPHeader)
	for _, w := range warnings {
		a.lg.Warn(w)
	}
	return err
}

// streamsPerActor is how many pages behind one address may listen.
func (a *App) streamsPerActor() int {
	if a.cfg.Limits == "off" {
		return 0
	}
	return 100
}

// Run serves until ctx ends, then stops in the order in which nothing is lost:
// readers and writers first, then the workers, the queue, and last the store.
func (a *App) Run(ctx context.Context) error {
	storing, stopStore := context.WithCancel(context.WithoutCancel(ctx))
	stored := make(chan error, 1)
	go func() { stored <- a.store.Run(storing) }()
	defer stopStore()

	err := a.serve(ctx)
	stopStore()
	return errors.Join(err, <-stored)
}

func (a *App) serve(ctx context.Context) error {
	if err := a.prepare(ctx); err != nil {
		return err
	}
	working, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	work, working := errgroup.WithContext(working)
	for _, t := range a.tasks {
		work.Go(func() error {
			if err := t.run(working); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			return nil
		})
	}
	serving, stopServing := context.WithCancel(ctx)
	defer stopServing()
	context.AfterFunc(working, stopServing) // a task that fails takes the service down, loudly
	err := a.answer(serving)
	a.hub.Shutdown()
	stopWork()
	err = errors.Join(err, work.Wait())
	a.broker.Stop()
	a.cache.Close()
	return err
}

// answer serves HTTP on the public address, on that of operators and on the
// local socket.
func (a *App) answer(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.server.Serve(ctx, a.listener, a.clock.wrap(a.server.Handler())) })
	if a.operators != nil {
		g.Go(func() error { return a.serveOperators(ctx) })
	}
	if a.local != nil {
		g.Go(func() error { return serveLocal(ctx, a.local, a.server.LocalHandler()) })
	}
	return g.Wait()
}

// prepare does what must be done before the first request: the listeners, the
// queue and the site that the settings ask for.
func (a *App) prepare(ctx context.Context) (err error) {
	if a.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", a.cfg.Listen); err != nil {
		return &usageError{problem("POSTIL_LISTEN", fmt.Sprintf("%v", err), "127.0.0.1:8081")}
	}
	at := a.listener.Addr()
	a.addr.Store(&at)
	if err = a.listenAdmin(ctx); err != nil {
		return err
	}
	if a.local, err = listenLocal(a.cfg.Data); err != nil {
		a.lg.Warn("commands on this machine cannot reach the server; use --server and --key", "err", err)
	}
	if err = a.broker.Start(ctx); err != nil {
		return err
	}
	if err = a.seed(ctx); err != nil {
		return err
	}
	a.greet(ctx)
	return nil
}

// greet says what is on, where, and what to do next.
func (a *App) greet(ctx context.Context) {
	if a.terminal.Out == nil {
		return
	}
	next := "add a site with “postil site add KEY --origin URL”"
	switch sites, err := a.store.Sites(ctx); {
	case a.cfg.Demo:
		next = "open " + a.cfg.base() + "/demo/ and write a comment"
	case err == nil && len(sites) > 0:
		next = fmt.Sprintf("put <script src=%q defer></script><postil-comments site=%q></postil-comments> on your pages", a.cfg.base()+"/widget.js", sites[0].ID)
	}
	fmt.Fprintf(a.terminal.Out, "Postil listens on %s for %s and asks moderators %s and at %s; next, %s.\n", a.listener.Addr(), a.cfg.base(), a.desk.name(), a.deskAddress(ctx), next)
	for _, on := range a.measuring() {
		a.lg.Warn("a switch for measuring is on; the service must not be reachable from outside", "setting", on)
	}
}

func (a *App) measuring() (on []string) {
	if a.cfg.Limits == "off" {
		on = append(on, "POSTIL_LIMITS=off")
	}
	if a.cfg.Clock == "header" {
		on = append(on, "POSTIL_CLOCK=header")
	}
	return on
}

// Addr returns the address that is listened on, nil before Run has come that
// far.
func (a *App) Addr() net.Addr {
	if at := a.addr.Load(); at != nil {
		return *at
	}
	return nil
}

// Close closes what New opened. Run must have ended.
func (a *App) Close() error {
	var errs []error
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	if a.lock != nil {
		errs = append(errs, a.lock.Unlock())
	}
	return errors.Join(errs...)
}

// serveLocal answers commands on this machine.
func serveLocal(ctx context.Context, ln net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { s.Close() })
	if err := s.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// usageError is a mistake in how the program was called or set up; it ends
// with exit code 2.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }
