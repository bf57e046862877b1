package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/postil/postil/internal/postil"
)

const webhookColumns = "webhook_id, coalesce(site_id, ''), name, url, format, events, active, secret_version, rotated_at, created_at"

func scanWebhook(r scanner) (w postil.Webhook, err error) {
	var events string
	var rotated, created sql.NullInt64
	if err = r.Scan(&w.ID, &w.Site, &w.Name, &w.URL, &w.Format, &events, &w.Active, &w.Version, &rotated, &created); err != nil {
		return w, err
	}
	w.Rotated, w.Created = when(rotated), when(created)
	return w, json.Unmarshal([]byte(events), &w.Events)
}

// Webhooks returns all webhooks, the oldest first.
func (s *Store) Webhooks(ctx context.Context) ([]postil.Webhook, error) {
	return list(ctx, s, scanWebhook, "SELECT "+webhookColumns+" FROM webhooks ORDER BY webhook_id")
}

// Webhook returns a webhook, NotFound when there is none.
func (s *Store) Webhook(ctx context.Context, id int64) (postil.Webhook, error) {
	return webhook(ctx, s, id)
}

func webhook(ctx context.Context, q queryer, id int64) (postil.Webhook, error) {
	w, ok, err := one(ctx, q, scanWebhook, "SELECT "+webhookColumns+" FROM webhooks WHERE webhook_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return w, err
}

func eventsOf(w postil.Webhook) string {
	raw, _ := json.Marshal(append([]string{}, w.Events...))
	return string(raw)
}

// AddWebhook stores a webhook. Its secret has the version 1.
func (s *Store) AddWebhook(ctx context.Context, w postil.Webhook, by postil.By) (postil.Webhook, error) {
	err := s.Write(ctx, func(tx *Tx) error {
		if w.Site != "" {
			if _, err := tx.site(w.Site); err != nil {
				return err
			}
		}
		w.Created, w.Version = tx.now, 1
		id, err := tx.insert("INSERT INTO webhooks (site_id, name, url, format, events, active, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			nullText(string(w.Site)), w.Name, w.URL, string(w.Format), eventsOf(w), w.Active, millis(tx.now))
		if err != nil {
			return err
		}
		w.ID = id
		return tx.auditWebhook(by, "webhook.add", w)
	})
	return w, err
}

// SetWebhook lets change look at a webhook and stores what it made of it. A
// secret whose version grew is rotated now.
func (s *Store) SetWebhook(ctx context.Context, id int64, by postil.By, change func(*postil.Webhook) error) (w postil.Webhook, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		w, err = webhook(context.Background(), tx, id)
		if err != nil {
			return err
		}
		version, action := w.Version, "webhook.set"
		if err := change(&w); err != nil {
			return err
		}
		if w.Version != version {
			w.Rotated, action = tx.now, "webhook.rotate"
		}
		if _, err := tx.exec("UPDATE webhooks SET name = ?, url = ?, format = ?, events = ?, active = ?, secret_version = ?, rotated_at = ? WHERE webhook_id = ?",
			w.Name, w.URL, string(w.Format), eventsOf(w), w.Active, w.Version, nullMillis(w.Rotated), id); err != nil {
			return err
		}
		return tx.auditWebhook(by, action, w)
	})
	return w, err
}

// RemoveWebhook forgets a webhook and whatever it was to be told.
func (s *Store) RemoveWebhook(ctx context.Context, id int64, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		w, err := webhook(context.Background(), tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM webhooks WHERE webhook_id = ?", id); err != nil {
			return err
		}
		return tx.auditWebhook(by, "webhook.remove", w)
	})
}

func (tx *Tx) auditWebhook(by postil.By, action string, w postil.Webhook) error {
	return tx.audit(by, action, "webhook:"+strconv.FormatInt(w.ID, 10), w.Name+" "+string(w.Format)+" "+eventsOf(w))
}

// AddDeliveries notes an event for each webhook that wants it. Doing it again
// for the same event changes nothing.
func (s *Store) AddDeliveries(ctx context.Context, ev postil.Event) (n int, err error) {
	raw, err := json.Marshal(ev)
	if err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		n, err = tx.deliver(ev, string(raw))
		return err
	})
	return n, err
}

// deliver notes an event, as it is written in raw, for those who want it.
func (tx *Tx) deliver(ev postil.Event, raw string) (n int, err error) {
	hooks, err := list(context.Background(), tx, scanWebhook, "SELECT "+webhookColumns+" FROM webhooks ORDER BY webhook_id")
	if err != nil {
		return 0, err
	}
	for _, w := range hooks {
		if !w.Wants(ev) {
			continue
		}
		added, err := tx.exec(`INSERT INTO deliveries (webhook_id, event_id, event, comment_id, state, due_at, created_at) VALUES (?, ?, ?, ?, 'due', ?, ?)
				ON CONFLICT (webhook_id, event_id) DO NOTHING`, w.ID, int64(ev.ID), raw, int64(ev.Comment), millis(tx.now), millis(tx.now))
		if err != nil {
			return n, err
		}
		n += int(added)
	}
	return n, nil
}

const deliveryColumns = "d.delivery_id, d.webhook_id, d.event, d.state, d.due_at, d.attempts, d.status, d.problem, d.created_at"

func scanDelivery(r scanner) (d postil.Delivery, err error) {
	var event string
	var due, created sql.NullInt64
	if err = r.Scan(&d.ID, &d.Webhook, &event, &d.State, &due, &d.Attempts, &d.Status, &d.Problem, &created); err != nil {
		return d, err
	}
	d.Due, d.Created = when(due), when(created)
	return d, json.Unmarshal([]byte(event), &d.Event)
}

// DueDeliveries returns what is to be sent to a webhook by now: of each comment
// the earliest event alone, so that they arrive in order.
func (s *Store) DueDeliveries(ctx context.Context, hook int64, limit int) ([]postil.Delivery, error) {
	return list(ctx, s, scanDelivery, "SELECT "+deliveryColumns+` FROM deliveries d WHERE d.webhook_id = ? AND d.state = 'due' AND d.due_at <= ?
		AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.state = 'due' AND e.webhook_id = d.webhook_id AND e.comment_id = d.comment_id AND e.event_id < d.event_id)
		ORDER BY d.delivery_id LIMIT ?`, hook, millis(s.Now(ctx)), limit)
}

// NextDelivery returns when the next delivery is due, the zero time for none.
func (s *Store) NextDelivery(ctx context.Context) (time.Time, error) {
	at, _, err := one(ctx, s, column[sql.NullInt64], "SELECT min(due_at) FROM deliveries WHERE state = 'due'")
	return when(at), err
}

// DeliveryTried records what became of an attempt: State, Due, Status and
// Problem.
func (s *Store) DeliveryTried(ctx context.Context, d postil.Delivery) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE deliveries SET state = ?, due_at = ?, attempts = attempts + 1, status = ?, problem = ? WHERE delivery_id = ?",
			string(d.State), millis(d.Due), d.Status, d.Problem, d.ID)
		if err != nil || d.State == postil.DeliveryDone || d.State == postil.DeliveryDue && d.Attempts > 0 {
			return err // it arrived, or its first failure was told of
		}
		return tx.signal(postil.Signal{Kind: postil.SignalDelivery, Site: d.Event.Site, Comment: d.Event.Comment,
			Detail: fmt.Sprintf("webhook %d, %s: %s", d.Webhook, d.State, d.Problem)})
	})
}

// Deliveries returns deliveries of a webhook, the latest first; of one state
// unless that is "", older than the id before unless that is 0.
func (s *Store) Deliveries(ctx context.Context, hook int64, state postil.DeliveryState, before int64, limit int) ([]postil.Delivery, error) {
	if before == 0 {
		before = 1 << 62
	}
	if state == "" {
		return list(ctx, s, scanDelivery, "SELECT "+deliveryColumns+" FROM deliveries d WHERE d.webhook_id = ? AND d.delivery_id < ? ORDER BY d.delivery_id DESC LIMIT ?", hook, before, limit)
	}
	return list(ctx, s, scanDelivery, "SELECT "+deliveryColumns+" FROM deliveries d WHERE d.webhook_id = ? AND d.state = ? AND d.delivery_id < ? ORDER BY d.delivery_id DESC LIMIT ?",
		hook, string(state), before, limit)
}

// Replay makes deliveries of a webhook due again: those named, or all that were
// given up when none is named.
func (s *Store) Replay(ctx context.Context, hook int64, ids []int64, by postil.By) (n int64, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		w, err := webhook(context.Background(), tx, hook)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			n, err = tx.exec("UPDATE deliveries SET state = 'due', due_at = ?, attempts = 0 WHERE webhook_id = ? AND state = 'dead'", millis(tx.now), hook)
		}
		for _, id := range ids {
			rows, err := tx.exec("UPDATE deliveries SET state = 'due', due_at = ?, attempts = 0 WHERE delivery_id = ? AND webhook_id = ? AND state <> 'due'", millis(tx.now), id, hook)
			if err != nil {
				return err
			}
			n += rows
		}
		if err != nil {
			return err
		}
		return tx.auditWebhook(by, "webhook.replay", w)
	})
	return n, err
}
