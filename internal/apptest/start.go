package apptest

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
)

const (
	editWindow = 15 * time.Minute
	startTime  = 15 * time.Second // until a service must answer on a busy machine
)

// App is a service inside the test process.
type App struct {
	*Client
	Config app.Config
	Bot    *Bot // nil without Telegram
}

// Start runs a whole service in this process and returns when it answers. It
// ends with the test, which fails when the service did.
func Start(t testing.TB, o Options) *App {
	t.Helper()
	cfg, bot := o.config(t)
	if o.Set != nil {
		o.Set(&cfg)
	}
	var log tail
	service, err := app.New(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), cfg, app.Terminal{})
	if err != nil {
		t.Fatalf("the service cannot be put together: %v", err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := errors.Join(service.Run(ctx), service.Close()); err != nil {
			t.Errorf("the service ended with: %v", err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if t.Failed() {
			t.Logf("the service's log:\n%s", log.String())
		}
	})
	a := &App{Client: newClient(cfg.Listen, cfg.URL), Config: cfg, Bot: bot}
	a.awaitReady(t, ended)
	return a
}
