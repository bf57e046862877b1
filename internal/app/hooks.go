package app

import (
	"context"
	"fmt"
	"time"

	"github.com/postil/postil/internal/notify"
	"github.com/postil/postil/internal/queue"
)

// buildHooks connects webhooks with the queue by a consumer of their own, so
// that nothing else waits for them.
func (a *App) buildHooks(context.Context) error {
	nets, err := a.cfg.HookNetworks()
	if err != nil {
		return &usageError{err}
	}
	a.hooks = notify.New(a.lg, a.store, notify.Options{Networks: nets,
		Secret: func(hook int64, version int) []byte {
			return []byte(a.keys.WebhookSecret(fmt.Sprintf("out/%d/%d", hook, version)))
		},
		Now: func() time.Time { return a.clock.now(context.Background()) }})
	a.tasks = append(a.tasks,
		namedTask{"webhook events", a.broker.Consume(queue.Consumer{Name: "webhooks", Kinds: notify.Kinds(), Parallel: 4, PerComment: true, Handle: a.hooks.HandleEvent})},
		namedTask{"webhooks", a.hooks.Run})
	return nil
}
