package store

import "context"

const dayForm = "2006-01-02"

// TakeQuota counts one use of something that is limited by the day, and
// reports whether it was within the limit. What is refused is not counted.
func (s *Store) TakeQuota(ctx context.Context, quota, actor string, most int) (ok bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		ok, err = tx.takeDay(quota, actor, tx.now.UTC().Format(dayForm), most)
		return err
	})
	return ok && most > 0, err
}

// TakeDay does so for a day, such as 2026-11-30, and returns how much of it is
// used then.
func (s *Store) TakeDay(ctx context.Context, quota, actor, day string, most int) (used int, ok bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		if ok, err = tx.takeDay(quota, actor, day, most); err != nil {
			return err
		}
		used, _, err = one(ctx, tx, column[int], "SELECT used FROM quotas WHERE quota = ? AND actor = ? AND day = ?", quota, actor, day)
		return err
	})
	return used, ok, err
}

// ReturnDay gives one use back.
func (s *Store) ReturnDay(ctx context.Context, quota, actor, day string) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE quotas SET used = used - 1 WHERE quota = ? AND actor = ? AND day = ? AND used > 0", quota, actor, day)
		return err
	})
}

func (tx *Tx) takeDay(quota, actor, day string, most int) (bool, error) {
	n, err := tx.exec(`INSERT INTO quotas (quota, actor, day, used) VALUES (?, ?, ?, 1)
		ON CONFLICT (quota, actor, day) DO UPDATE SET used = used + 1 WHERE used < ?`, quota, actor, day, most)
	return n > 0, err
}
