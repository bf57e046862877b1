//go:build chaos

package chaos

import (
	"database/sql"
	"errors"
	"net/url"
	"strconv"

	_ "modernc.org/sqlite" // the test looks at the file itself, not through the service
)

// row is a comment as it stands in the file.
type row struct {
	id, parent           int64
	site, post, status   string
	text, before         string
	draft                sql.NullString
	checked              bool
	visibility, revision int
	review               sql.NullString // open, done
	announced            sql.NullInt64
	cards                []card
	history              []decision
}

type decision struct {
	id, comment                         int64
	verb, from, to, channel, actor, why string
	undoes                              sql.NullInt64
}

type card struct {
	comment, chat, message int64
	shows                  string
	due                    sql.NullInt64
}

// file is a snapshot of the database.
type file struct {
	rows      map[int64]*row
	decisions map[int64]decision
	outbox    int
	replays   int
}

func openFile(path string) (*sql.DB, error) {
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(1)"}}
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
}

// readFile reads everything in one transaction.
func readFile(path string) (f *file, err error) {
	db, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	f = &file{rows: map[int64]*row{}, decisions: map[int64]decision{}}
	err = errors.Join(f.readComments(tx), f.readDecisions(tx), f.readCards(tx),
		tx.QueryRow("SELECT count(*) FROM outbox WHERE published_at IS NULL").Scan(&f.outbox),
		tx.QueryRow("SELECT count(*) FROM replays").Scan(&f.replays))
	return f, err
}

// each calls scan for every row of a query.
func each(tx *sql.Tx, query string, scan func(*sql.Rows) error) error {
	rows, err := tx.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (f *file) readComments(tx *sql.Tx) error {
	return each(tx, `SELECT c.comment_id, coalesce(c.parent_comment_id, 0), c.site_id, c.post_id, c.status, c.status_before, c.comment_body, c.draft_body,
			c.checked_at IS NOT NULL, c.visibility, c.revision, r.state, r.announced_at
		FROM comments c LEFT JOIN reviews r ON r.comment_id = c.comment_id`, func(rows *sql.Rows) error {
		r := &row{}
		err := rows.Scan(&r.id, &r.parent, &r.site, &r.post, &r.status, &r.before, &r.text, &r.draft,
			&r.checked, &r.visibility, &r.revision, &r.review, &r.announced)
		f.rows[r.id] = r
		return err
	})
}

func (f *file) readDecisions(tx *sql.Tx) error {
	return each(tx, `SELECT decision_id, comment_id, verb, from_status, to_status, channel, actor, reason, undoes
		FROM decisions ORDER BY decision_id`, func(rows *sql.Rows) error {
		var d decision
		err := rows.Scan(&d.id, &d.comment, &d.verb, &d.from, &d.to, &d.channel, &d.actor, &d.why, &d.undoes)
		f.decisions[d.id] = d
		if r := f.rows[d.comment]; r != nil {
			r.history = append(r.history, d)
		}
		return err
	})
}

func (f *file) readCards(tx *sql.Tx) error {
	return each(tx, "SELECT comment_id, chat_id, message_id, shows, due_at FROM cards", func(rows *sql.Rows) error {
		var c card
		err := rows.Scan(&c.comment, &c.chat, &c.message, &c.shows, &c.due)
		if r := f.rows[c.comment]; r != nil {
			r.cards = append(r.cards, c)
		}
		return err
	})
}

// whole runs SQLite's own check of the file.
func whole(path string) (verdict string, err error) {
	db, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer db.Close()
	return verdict, db.QueryRow("PRAGMA integrity_check").Scan(&verdict)
}

// byID returns the row with the id that the API writes.
func (f *file) byID(id string) *row {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil
	}
	return f.rows[n]
}

// public works out what readers may see from nothing but statuses: approved
// comments whose ancestors are approved, or deleted after having been.
func (f *file) public(r *row) bool {
	if r.status != "approved" {
		return false
	}
	for p := f.rows[r.parent]; p != nil; p = f.rows[p.parent] {
		if p.status != "approved" && (p.status != "deleted" || p.before != "approved") {
			return false
		}
	}
	return true
}
