package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/postil/postil/internal/postil"
)

const sessionColumns = `s.session_id, coalesce(s.moderator_id, 0), coalesce(s.key_id, 0), s.setting_mark, coalesce(m.name, k.name, ''), coalesce(m.role, k.role, ''),
	coalesce(k.scope, ''), coalesce(m.site_id, k.site_id, ''), s.agent, s.created_at, s.seen_at, s.ends_at`

// fromSessions is what is in force: a session ends with whom it belongs to.
const fromSessions = ` FROM sessions s LEFT JOIN moderators m ON m.moderator_id = s.moderator_id LEFT JOIN api_keys k ON k.key_id = s.key_id
	WHERE s.ended_at IS NULL AND m.revoked_at IS NULL AND k.revoked_at IS NULL`

func scanSession(r scanner) (v postil.Session, err error) {
	var created, seen, ends sql.NullInt64
	err = r.Scan(&v.ID, &v.Moderator, &v.Key, &v.Mark, &v.Name, &v.Role, &v.Scope, &v.Site, &v.Agent, &created, &seen, &ends)
	v.Created, v.Seen, v.Ends = when(created), when(seen), when(ends)
	return v, err
}

// AddSession stores a session by its hash; v says whose it is, by which
// program and until when at most. What ended a month ago goes away.
func (s *Store) AddSession(ctx context.Context, v postil.Session, hash string) (out postil.Session, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		out, err = tx.addSession(v, hash)
		return err
	})
	return out, err
}

func (tx *Tx) addSession(v postil.Session, hash string) (postil.Session, error) {
	if _, err := tx.exec("DELETE FROM sessions WHERE ends_at < ?", millis(tx.now.AddDate(0, -1, 0))); err != nil {
		return v, err
	}
	id, err := tx.insert(`INSERT INTO sessions (session_hash, moderator_id, key_id, setting_mark, agent, created_at, seen_at, ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		hash, nullRow(v.Moderator), nullRow(v.Key), v.Mark, v.Agent, millis(tx.now), millis(tx.now), millis(v.Ends))
	if err != nil {
		return v, err
	}
	v.ID, v.Created, v.Seen = id, tx.now, tx.now
	by := postil.By{Channel: postil.ByPage, Actor: v.Owner()}
	return v, tx.audit(by, "session.add", sessionSubject(id), "")
}

func nullRow(id int64) sql.NullInt64 { return sql.NullInt64{Int64: id, Valid: id != 0} }

func sessionSubject(id int64) string { return "session:" + strconv.FormatInt(id, 10) }

// SessionByHash returns a session that is in force, as is whoever it belongs
// to; NotFound otherwise. Its time may be over.
func (s *Store) SessionByHash(ctx context.Context, hash string) (postil.Session, error) {
	v, ok, err := one(ctx, s, scanSession, "SELECT "+sessionColumns+fromSessions+" AND s.session_hash = ?", hash)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return v, err
}

// Sessions returns the sessions whose time is not over at now, the newest first.
func (s *Store) Sessions(ctx context.Context) ([]postil.Session, error) {
	return list(ctx, s, scanSession, "SELECT "+sessionColumns+fromSessions+" AND s.ends_at > ? ORDER BY s.session_id DESC", millis(s.Now(ctx)))
}

// SessionSeen records that a session is used, at most once a minute.
func (s *Store) SessionSeen(ctx context.Context, id int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE sessions SET seen_at = ? WHERE session_id = ? AND seen_at < ?", millis(tx.now), id, millis(tx.now.Add(-time.Minute)))
		return err
	})
}

// EndSession ends a session at once. Doing it again changes nothing.
func (s *Store) EndSession(ctx context.Context, id int64, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec("UPDATE sessions SET ended_at = coalesce(ended_at, ?) WHERE session_id = ?", millis(tx.now), id)
		if err != nil {
			return err
		}
		if n == 0 {
			return postil.Missing()
		}
		return tx.audit(by, "session.end", sessionSubject(id), "")
	})
}

// AddSigninLink stores a link, by its hash, that signs a moderator in once
// before it expires.
func (s *Store) AddSigninLink(ctx context.Context, moderator int64, hash string, expires time.Time, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec("DELETE FROM signin_links WHERE expires_at < ?", millis(tx.now)); err != nil {
			return err
		}
		if _, err := tx.exec("INSERT INTO signin_links (link_hash, moderator_id, expires_at) VALUES (?, ?, ?)", hash, moderator, millis(expires)); err != nil {
			return err
		}
		return tx.audit(by, "signin-link.add", "moderator:"+strconv.FormatInt(moderator, 10), "")
	})
}

// SigninLink returns whom a link signs in; NotFound when it is unknown, used
// or expired, or when the moderator's role was taken away. It uses nothing up.
func (s *Store) SigninLink(ctx context.Context, hash string) (postil.Moderator, error) {
	return signinLink(ctx, s, hash, s.Now(ctx))
}

func signinLink(ctx context.Context, q queryer, hash string, now time.Time) (postil.Moderator, error) {
	m, ok, err := one(ctx, q, scanModerator, "SELECT "+moderatorColumns+` FROM moderators
		WHERE revoked_at IS NULL AND moderator_id = (SELECT moderator_id FROM signin_links WHERE link_hash = ? AND expires_at > ?)`, hash, millis(now))
	if err == nil && !ok {
		err = postil.Missing()
	}
	return m, err
}

// UseSigninLink uses a link up and stores the session of its moderator, both
// or neither. It fails as SigninLink does. v says by which program and until
// when at most.
func (s *Store) UseSigninLink(ctx context.Context, link string, v postil.Session, hash string) (out postil.Session, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		m, err := signinLink(context.Background(), tx, link, tx.now)
		if err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM signin_links WHERE link_hash = ?", link); err != nil {
			return err
		}
		v.Moderator, v.Name, v.Role, v.Site = m.ID, m.Name, m.Role, m.Site
		out, err = tx.addSession(v, hash)
		return err
	})
	return out, err
}
