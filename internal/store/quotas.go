package store

import "context"

// TakeQuota counts one use of something that is limited by the day, and
// reports whether it was within the limit. What is refused is not counted.
func (s *Store) TakeQuota(ctx context.Context, quota, actor string, most int) (ok bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec(`INSERT INTO quotas (quota, actor, day, used) VALUES (?, ?, ?, 1)
			ON CONFLICT (quota, actor, day) DO UPDATE SET used = used + 1 WHERE used < ?`, quota, actor, tx.now.UTC().Format("2006-01-02"), most)
		ok = n > 0
		return err
	})
	return ok && most > 0, err
}
