package store

import (
	"context"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// PersonalData returns every comment of a person with all that is stored about
// who wrote it, the oldest first.
func (s *Store) PersonalData(ctx context.Context, who postil.Identity) ([]postil.PersonalComment, error) {
	all, err := commentsOf(ctx, s, who)
	out := make([]postil.PersonalComment, len(all))
	for i, c := range all {
		out[i] = postil.PersonalComment{ID: c.ID, Site: c.Site, Post: c.Post, Status: c.Status, Created: c.Created,
			Name: c.Author.Name, Email: c.Author.Email, Website: c.Author.Website, Text: c.Text, UserAgent: c.Origin.UserAgent,
			Actor: c.Origin.Actor, Network: c.Origin.Network, Device: c.Origin.Device, Account: c.UserID}
		if c.Draft != nil {
			out[i].Waiting = c.Draft.Text
		}
		if !c.Edited.IsZero() {
			out[i].Edited = &c.Edited
		}
	}
	return out, err
}

// commentsOf finds the comments of a person. Whoever is known by one comment is
// known by its device, account and mail address too; an address of a day may
// be shared, and says nothing about whose a comment is.
func commentsOf(ctx context.Context, q queryer, who postil.Identity) ([]postil.Comment, error) {
	f := finder{ctx: ctx, q: q, seen: map[postil.CommentID]bool{}}
	if who.Comment != 0 {
		c, err := comment(ctx, q, who.Comment)
		if err != nil {
			return nil, err
		}
		f.add(c)
		f.email(c.Author.Email)
		f.author(c.Origin.Device)
		f.author(c.UserID)
	}
	f.email(who.Email)
	f.email(who.Author)
	f.author(who.Author)
	return f.found, f.err
}

// finder collects comments, each once.
type finder struct {
	ctx   context.Context
	q     queryer
	seen  map[postil.CommentID]bool
	found []postil.Comment
	err   error
}

func (f *finder) add(all ...postil.Comment) {
	for _, c := range all {
		if !f.seen[c.ID] {
			f.seen[c.ID] = true
			f.found = append(f.found, c)
		}
	}
}

func (f *finder) where(condition string, args ...any) {
	if f.err != nil {
		return
	}
	all, err := list(f.ctx, f.q, scanComment, "SELECT "+commentColumns+" FROM comments c WHERE "+condition, args...)
	f.add(all...)
	f.err = err
}

func (f *finder) email(address string) {
	if strings.Contains(address, "@") {
		f.where("c.author_email <> '' AND lower(c.author_email) = lower(?)", strings.TrimSpace(address))
	}
}

func (f *finder) author(id string) {
	if id == "" || f.err != nil {
		return
	}
	f.where("c.user_id = ?", id)
	var sites []postil.Site
	if f.err == nil {
		sites, f.err = list(f.ctx, f.q, scanSite, "SELECT "+siteColumns+" FROM sites s ORDER BY s.created_at, s.rowid")
	}
	for _, site := range sites {
		f.where("c.site_id = ? AND c.device_hash <> '' AND c.device_hash = ?", site.ID, id)
	}
}

// Erase takes a person out of everything that is stored: who wrote their
// comments, what they reacted to and reported, and their account. Their texts
// stay as those of a deleted user, or, with texts, go too, and where replies
// hang on them a tombstone stays. Doing it again, or for nobody, changes
// nothing and is no error. The bytes are overwritten on the disk, see Shred.
func (s *Store) Erase(ctx context.Context, who postil.Identity, texts bool, by postil.By) (out postil.Erasure, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		e := eraser{tx: tx, texts: texts, out: postil.Erasure{Rows: map[string]int{}, Texts: texts}, devices: map[string]bool{}, users: map[string]bool{}}
		out, err = e.erase(who, by)
		return err
	})
	if err == nil && len(out.Rows) > 0 {
		s.Shred()
	}
	return out, err
}

// eraser is one erasure under way.
type eraser struct {
	tx             *Tx
	texts          bool
	out            postil.Erasure
	devices, users map[string]bool
}

func (e *eraser) erase(who postil.Identity, by postil.By) (postil.Erasure, error) {
	all, err := commentsOf(context.Background(), e.tx, who)
	if err != nil {
		return e.out, err
	}
	if _, err := e.tx.exec("PRAGMA secure_delete = ON"); err != nil {
		return e.out, err
	}
	defer e.tx.exec("PRAGMA secure_delete = FAST")
	if who.Author != "" {
		e.users[who.Author], e.devices[who.Author] = true, true
	}
	threads := map[postil.Event]bool{}
	for _, c := range all {
		threads[postil.Event{Site: c.Site, Post: c.Post}] = true
		if err := e.comment(c, by); err != nil {
			return e.out, err
		}
	}
	if err := e.traces(); err != nil {
		return e.out, err
	}
	for at := range threads {
		if err := e.tx.threadChanged(at.Site, at.Post); err != nil {
			return e.out, err
		}
	}
	e.out.Comments, e.out.Threads = len(all), len(threads)
	if len(e.out.Rows) == 0 {
		return e.out, nil
	}
	return e.out, e.tx.audit(by, "person.erase", "person", "")
}

// count runs a statement and notes how many rows of a table it changed.
func (e *eraser) count(table, query string, args ...any) error {
	n, err := e.tx.exec(query, args...)
	if n > 0 {
		e.out.Rows[table] += int(n)
	}
	return err
}

// comment takes the person out of a comment and what belongs to it.
func (e *eraser) comment(c postil.Comment, by postil.By) error {
	if c.Origin.Device != "" {
		e.devices[c.Origin.Device] = true
	}
	if c.UserID != "" {
		e.users[c.UserID], e.devices[c.UserID] = true, true
	}
	id := int64(c.ID)
	if e.texts && c.Status != postil.Deleted {
		_, err := e.tx.change(c.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
			return &postil.Change{Verb: postil.Delete, To: postil.Deleted, By: by, Reason: "erased at the wish of its author", Review: postil.CloseReview, Draft: postil.DropDraft}, nil
		})
		if err != nil {
			return err
		}
	}
	if err := e.count("comments", `UPDATE comments SET user_gone = 1, user_id = NULL, author_name = '', author_email = '', author_website = '',
			actor_id = '', network_id = '', network_prefix = '', device_hash = '', user_agent = '', form_state = '{}', twin_hash = '', edit_nonce = '',
			comment_body = iif(?, '', comment_body), comment_html = iif(?, '', comment_html), text_hash = iif(?, '', text_hash), findings = iif(?, '[]', findings),
			draft_body = iif(?, NULL, draft_body), draft_html = iif(?, NULL, draft_html)
		WHERE comment_id = ?`, e.texts, e.texts, e.texts, e.texts, e.texts, e.texts, id); err != nil {
		return err
	}
	if err := e.count("decisions", `UPDATE decisions SET actor_name = iif(channel = 'author', '', actor_name), name_before = NULL, name_after = NULL, text_before = iif(?, NULL, text_before), text_after = iif(?, NULL, text_after)
		WHERE comment_id = ? AND (channel = 'author' AND actor_name <> '' OR name_before IS NOT NULL OR ? AND (text_before IS NOT NULL OR text_after IS NOT NULL))`, e.texts, e.texts, id, e.texts); err != nil {
		return err
	}
	if err := e.count("replays", "DELETE FROM replays WHERE comment_id = ?", id); err != nil {
		return err
	}
	if err := e.count("notes", "DELETE FROM notes WHERE comment_id = ?", id); err != nil {
		return err
	}
	return e.count("cards", "UPDATE cards SET due_at = ? WHERE comment_id = ? AND message_id <> 0 AND final = 0", millis(e.tx.now), id)
}

// traces takes away what the person left beside comments of their own.
func (e *eraser) traces() error {
	for device := range e.devices {
		if err := e.count("reactions", "DELETE FROM reactions WHERE person = ?", device); err != nil {
			return err
		}
		if err := e.count("reports", "UPDATE reports SET person = '', note = '' WHERE person <> '' AND person = ?", device); err != nil {
			return err
		}
	}
	for who := range e.devices { // accounts too, see erase; a ban stays, without a name
		if err := e.count("rules", "DELETE FROM rules WHERE kind IN ('device', 'user') AND value = ? AND effect = 'trust'", who); err != nil {
			return err
		}
		if err := e.count("rules", "UPDATE rules SET shown = '' WHERE kind IN ('device', 'user') AND value = ? AND shown <> ''", who); err != nil {
			return err
		}
	}
	for who := range e.devices {
		if err := e.count("notes", "DELETE FROM notes WHERE site_id IN (SELECT site_id FROM sites) AND author = ? AND author <> ''", who); err != nil {
			return err
		}
	}
	for user := range e.users {
		if err := e.count("users", "DELETE FROM users WHERE user_id = ?", user); err != nil {
			return err
		}
	}
	return nil
}

// Shred overwrites what was erased where it may still stand on the disk: in the
// index for searching and in the log beside the database. The writer does it in
// small steps, beside everything else.
func (s *Store) Shred() {
	select {
	case s.shred <- struct{}{}:
	default:
	}
}

// shredPause lets others write between two steps.
const shredPause = 20 * time.Millisecond

// shredStep takes one step: first the index learns of what was erased, then its
// old segments are merged away, piece by piece, and at last the log is emptied.
func (w *writer) shredStep() {
	if w.due {
		w.indexDue()
	}
	merged, err := w.mergeIndex()
	if err == nil && merged && !w.due {
		if err = w.checkpoint(); err == nil && walSize(w.s.path) == 0 {
			w.merging = false
			return
		}
	}
	time.AfterFunc(shredPause, w.s.Shred) // there is more to do, or a reader is in the way
}

// mergeIndex merges a few pages of the index and reports whether nothing was
// left to merge. Words of comments that are gone do not survive it.
func (w *writer) mergeIndex() (done bool, err error) {
	const pages = 200
	ctx := context.Background()
	if _, err := w.conn.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
		return false, err
	}
	defer w.conn.ExecContext(ctx, "PRAGMA secure_delete = FAST")
	step := pages
	if !w.merging {
		step = -pages // begin with all segments
	}
	var before, after int64
	if err := w.conn.QueryRowContext(ctx, "SELECT total_changes()").Scan(&before); err != nil {
		return false, err
	}
	if _, err := w.conn.ExecContext(ctx, "INSERT INTO comment_search (comment_search, rank) VALUES ('merge', ?)", step); err != nil {
		return false, err
	}
	if err := w.conn.QueryRowContext(ctx, "SELECT total_changes()").Scan(&after); err != nil {
		return false, err
	}
	w.merging = true
	return after-before < 2, nil
}
