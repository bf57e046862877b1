package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

const keyColumns = "key_id, name, role, scope, coalesce(site_id, ''), created_at, last_used_at, revoked_at, author_name, badge, checked, per_minute, per_hour"

func scanKey(r scanner) (k postil.APIKey, err error) {
	var created, used, revoked sql.NullInt64
	err = r.Scan(&k.ID, &k.Name, &k.Role, &k.Scope, &k.Site, &created, &used, &revoked, &k.Pen.Author, &k.Pen.Badge, &k.Pen.Checked, &k.Pen.PerMinute, &k.Pen.PerHour)
	k.Created, k.LastUsed, k.Revoked = when(created), when(used), when(revoked)
	return k, err
}

// AddKey stores a key by its hash.
func (s *Store) AddKey(ctx context.Context, k postil.APIKey, hash string, by postil.By) (postil.APIKey, error) {
	err := s.Write(ctx, func(tx *Tx) error {
		if k.Site != "" {
			if _, err := tx.site(k.Site); err != nil {
				return err
			}
		}
		k.Created = tx.now
		id, err := tx.insert("INSERT INTO api_keys (key_hash, name, role, scope, site_id, created_at, author_name, badge, checked, per_minute, per_hour) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			hash, k.Name, string(k.Role), k.Scope, nullText(string(k.Site)), millis(k.Created),
			k.Pen.Author, k.Pen.Badge, k.Pen.Checked, k.Pen.PerMinute, k.Pen.PerHour)
		k.ID = id
		if err != nil {
			return err
		}
		return tx.audit(by, "key.add", "key:"+k.Label(), string(k.Role)+" "+k.Scope)
	})
	return k, err
}

// Keys returns all keys, revoked ones too, the newest first.
func (s *Store) Keys(ctx context.Context) ([]postil.APIKey, error) {
	return list(ctx, s, scanKey, "SELECT "+keyColumns+" FROM api_keys ORDER BY key_id DESC")
}

// KeyByHash returns the key with this hash unless it was revoked; NotFound otherwise.
func (s *Store) KeyByHash(ctx context.Context, hash string) (postil.APIKey, error) {
	k, ok, err := one(ctx, s, scanKey, "SELECT "+keyColumns+" FROM api_keys WHERE key_hash = ? AND revoked_at IS NULL", hash)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return k, err
}

// KeyUsed records the last use of a key, at most once a minute.
func (s *Store) KeyUsed(ctx context.Context, id int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE api_keys SET last_used_at = ? WHERE key_id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
			millis(tx.now), id, millis(tx.now.Add(-time.Minute)))
		return err
	})
}

// RevokeKey ends a key at once. Doing it again changes nothing.
func (s *Store) RevokeKey(ctx context.Context, id int64, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE key_id = ?", millis(tx.now), id)
		if err != nil {
			return err
		}
		if n == 0 {
			return postil.Missing()
		}
		return tx.audit(by, "key.revoke", "key:"+postil.APIKey{ID: id}.Label(), "")
	})
}
