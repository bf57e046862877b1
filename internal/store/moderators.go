package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

const moderatorColumns = "moderator_id, name, role, coalesce(site_id, ''), coalesce(telegram_user, 0), created_at, revoked_at"

func scanModerator(r scanner) (m postil.Moderator, err error) {
	var created, revoked sql.NullInt64
	err = r.Scan(&m.ID, &m.Name, &m.Role, &m.Site, &m.TelegramUser, &created, &revoked)
	m.Created, m.Revoked = when(created), when(revoked)
	return m, err
}

// AddModerator stores a moderator who will link a Telegram account with the
// one-time code of this hash before it expires.
func (s *Store) AddModerator(ctx context.Context, m postil.Moderator, codeHash string, expires time.Time, by postil.By) (postil.Moderator, error) {
	err := s.Write(ctx, func(tx *Tx) error {
		if m.Site != "" {
			if _, err := tx.site(m.Site); err != nil {
				return err
			}
		}
		m.Created = tx.now
		id, err := tx.insert("INSERT INTO moderators (name, role, site_id, code_hash, code_expires, created_at) VALUES (?, ?, ?, ?, ?, ?)",
			m.Name, string(m.Role), nullText(string(m.Site)), codeHash, millis(expires), millis(m.Created))
		if err != nil {
			return err
		}
		m.ID = id
		return tx.audit(by, "moderator.add", "moderator:"+m.Name, string(m.Role))
	})
	return m, err
}

// LinkModerator ties a Telegram account to the moderator whom the code was
// made for; the code is used up. NotFound when it is unknown, used or expired.
func (s *Store) LinkModerator(ctx context.Context, codeHash string, telegramUser int64) (m postil.Moderator, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		found, ok, err := one(context.Background(), tx, scanModerator,
			"SELECT "+moderatorColumns+" FROM moderators WHERE code_hash = ? AND code_expires > ? AND revoked_at IS NULL", codeHash, millis(tx.now))
		if err != nil {
			return err
		}
		if !ok {
			return postil.Missing()
		}
		if _, err := tx.exec("UPDATE moderators SET telegram_user = NULL WHERE telegram_user = ?", telegramUser); err != nil {
			return err
		}
		if _, err := tx.exec("UPDATE moderators SET telegram_user = ?, code_hash = NULL, code_expires = NULL WHERE moderator_id = ?", telegramUser, found.ID); err != nil {
			return err
		}
		found.TelegramUser, m = telegramUser, found
		return tx.audit(postil.By{Channel: postil.ByTelegram, Actor: m.Actor(), Name: m.Name}, "moderator.link", "moderator:"+m.Name, "")
	})
	return m, err
}

// ModeratorByTelegram returns the linked moderator with this Telegram account;
// NotFound when there is none or the role was taken away.
func (s *Store) ModeratorByTelegram(ctx context.Context, user int64) (postil.Moderator, error) {
	m, ok, err := one(ctx, s, scanModerator, "SELECT "+moderatorColumns+" FROM moderators WHERE telegram_user = ? AND revoked_at IS NULL", user)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return m, err
}

// Moderators returns all moderators, revoked ones too, the newest first.
func (s *Store) Moderators(ctx context.Context) ([]postil.Moderator, error) {
	return list(ctx, s, scanModerator, "SELECT "+moderatorColumns+" FROM moderators ORDER BY moderator_id DESC")
}

// RevokeModerator takes the role away at once.
func (s *Store) RevokeModerator(ctx context.Context, id int64, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec("UPDATE moderators SET revoked_at = coalesce(revoked_at, ?), code_hash = NULL WHERE moderator_id = ?", millis(tx.now), id)
		if err != nil {
			return err
		}
		if n == 0 {
			return postil.Missing()
		}
		return tx.audit(by, "moderator.revoke", "moderator:"+postil.Moderator{ID: id}.Actor(), "")
	})
}
