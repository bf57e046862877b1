package store

import (
	"context"
	"time"

	"github.com/postil/postil/internal/postil"
)

// tracesRead bounds how many comments of a network are looked at, the newest
// ones: in a flood each comment would otherwise be compared with all the others.
const tracesRead = 100

// Traces returns what an actor and its network left behind within a day, on all
// sites. The zero value for a client without a network.
func (s *Store) Traces(ctx context.Context, actor, network string) (postil.Traces, error) {
	return s.traces(ctx, actor, network, s.Now(ctx), 0)
}

func (s *Store) traces(ctx context.Context, actor, network string, at time.Time, but postil.CommentID) (postil.Traces, error) {
	if network == "" {
		return postil.Traces{}, nil
	}
	return first(one(ctx, s, func(r scanner) (t postil.Traces, err error) { return t, r.Scan(tracesInto(&t)...) },
		tracesOf, tracesArgs(actor, network, at, but)...))
}

// tracesOf counts along an index that has all it needs.
const tracesOf = `SELECT coalesce(sum(near.actor_id = ? AND near.status = 'spam'), 0), coalesce(sum(near.actor_id = ? AND near.trap), 0),
			coalesce(sum(near.actor_id = ? AND near.created_at > ?), 0), coalesce(sum(near.status = 'spam'), 0), coalesce(sum(near.created_at > ?), 0)
		FROM (SELECT actor_id, status, form_state ->> '$.Trap' trap, created_at FROM comments
			WHERE network_id = ? AND network_id <> '' AND created_at > ? AND created_at <= ? AND comment_id <> ?
			ORDER BY created_at DESC LIMIT ?) near`

func tracesArgs(actor, network string, at time.Time, but postil.CommentID) []any {
	lately := millis(at.Add(-10 * time.Minute))
	return []any{actor, actor, actor, lately, lately, network, millis(at.Add(-24 * time.Hour)), millis(at), int64(but), tracesRead}
}

func tracesInto(t *postil.Traces) []any {
	return []any{&t.Spam, &t.Traps, &t.Burst, &t.Nearby, &t.Crowded}
}
