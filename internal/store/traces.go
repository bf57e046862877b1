package store

import (
	"context"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Traces returns what an actor and its network left behind within a day, on all
// sites. The zero value for a client without a network.
func (s *Store) Traces(ctx context.Context, actor, network string) (postil.Traces, error) {
	if network == "" {
		return postil.Traces{}, nil
	}
	now := s.Now(ctx)
	lately := millis(now.Add(-10 * time.Minute))
	return first(one(ctx, s, func(r scanner) (t postil.Traces, err error) {
		return t, r.Scan(&t.Spam, &t.Traps, &t.Burst, &t.Nearby, &t.Crowded)
	}, `SELECT coalesce(sum(c.actor_id = ? AND c.status = 'spam'), 0), coalesce(sum(c.actor_id = ? AND c.form_state ->> '$.Trap'), 0),
			coalesce(sum(c.actor_id = ? AND c.created_at > ?), 0), coalesce(sum(c.status = 'spam'), 0), coalesce(sum(c.created_at > ?), 0)
		FROM comments c WHERE c.network_id = ? AND c.network_id <> '' AND c.created_at > ?`,
		actor, actor, actor, lately, lately, network, millis(now.Add(-24*time.Hour))))
}
