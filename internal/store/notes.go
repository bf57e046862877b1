package store

import (
	"context"
	"database/sql"

	"github.com/postil/postil/internal/postil"
)

const noteColumns = "n.note_id, n.site_id, coalesce(n.comment_id, 0), n.author, n.body, n.actor, n.actor_name, n.created_at"

func scanNote(r scanner) (n postil.Note, err error) {
	var created sql.NullInt64
	err = r.Scan(&n.ID, &n.Site, &n.Comment, &n.Author, &n.Text, &n.By.Actor, &n.By.Name, &created)
	n.Created = when(created)
	return n, err
}

// maxNotes is how many notes on one thing are read.
const maxNotes = 200

// NotesOn returns the notes on a comment or, for 0, on an author of a site, the
// oldest first.
func (s *Store) NotesOn(ctx context.Context, site postil.SiteID, comment postil.CommentID, author string) ([]postil.Note, error) {
	if comment != 0 {
		return list(ctx, s, scanNote, "SELECT "+noteColumns+" FROM notes n WHERE n.comment_id = ? ORDER BY n.note_id LIMIT ?", int64(comment), maxNotes)
	}
	return list(ctx, s, scanNote, "SELECT "+noteColumns+" FROM notes n WHERE n.site_id = ? AND n.author = ? AND n.author <> '' ORDER BY n.note_id LIMIT ?", site, author, maxNotes)
}

// Note returns a note, NotFound when there is none.
func (s *Store) Note(ctx context.Context, id int64) (postil.Note, error) {
	n, ok, err := one(ctx, s, scanNote, "SELECT "+noteColumns+" FROM notes n WHERE n.note_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return n, err
}

// AddNote stores a note. The log tells that there is one and not what it says:
// an erasure does not look there.
func (s *Store) AddNote(ctx context.Context, n postil.Note, by postil.By) (postil.Note, error) {
	err := s.Write(ctx, func(tx *Tx) (err error) {
		if _, err := tx.site(n.Site); err != nil {
			return err
		}
		n.By, n.Created = by, tx.now
		n.ID, err = tx.insert("INSERT INTO notes (site_id, comment_id, author, body, actor, actor_name, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			n.Site, sql.NullInt64{Int64: int64(n.Comment), Valid: n.Comment != 0}, n.Author, n.Text, by.Actor, by.Name, millis(tx.now))
		if err != nil {
			return err
		}
		return tx.record(by, postil.AuditEntry{Action: "note.add", Subject: "note:" + n.Label(), Site: n.Site, Detail: onWhat(n)})
	})
	return n, err
}

// RemoveNote takes a note away; one that is gone already is no error.
func (s *Store) RemoveNote(ctx context.Context, n postil.Note, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		gone, err := tx.exec("DELETE FROM notes WHERE note_id = ?", n.ID)
		if err != nil || gone == 0 {
			return err
		}
		return tx.record(by, postil.AuditEntry{Action: "note.remove", Subject: "note:" + n.Label(), Site: n.Site, Detail: onWhat(n)})
	})
}

func onWhat(n postil.Note) string {
	if n.Comment == 0 {
		return "on an author"
	}
	return "on comment " + n.Comment.String()
}
