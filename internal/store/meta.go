package store

import (
	"context"
	"time"
)

// Meta returns a small value kept beside the data, "" when it was never set.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	v, _, err := one(ctx, s, column[string], "SELECT value FROM meta WHERE key = ?", key)
	return v, err
}

// SetMeta keeps a small value beside the data.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.setMeta(key, value) })
}

func (tx *Tx) setMeta(key, value string) error {
	_, err := tx.exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// FirstMeta keeps a value unless there is one, and returns the one that counts.
// It works before Run has started.
func (s *Store) FirstMeta(ctx context.Context, key, value string) (string, error) {
	_, err := s.writer.ExecContext(ctx, "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING", key, value)
	if err != nil {
		return "", failure(err)
	}
	return s.Meta(ctx, key)
}

// Probe reports whether the store can be written, by writing. It is asked by
// machines every few seconds, so the answer is kept for one second.
func (s *Store) Probe(ctx context.Context) error {
	s.probe.Lock()
	defer s.probe.Unlock()
	if time.Since(s.probed) > time.Second {
		// Others get this answer too, so it must not depend on this caller's patience.
		probing, done := context.WithTimeout(context.WithoutCancel(ctx), busyTimeout)
		defer done()
		s.probeErr = s.SetMeta(probing, "probe", s.Now(ctx).Format(time.RFC3339))
		s.probed = time.Now()
	}
	return s.probeErr
}
