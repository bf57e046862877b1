package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/markup"
)

// Everything about the full-text index is in this file, in search_find.go and in
// the migration that made it; another engine would need another file. Triggers note which
// comments and posts are to be indexed, indexDue does it a moment later, when
// posters are not kept waiting by it, and find, which answers a moderator's list,
// sees to it that nothing is left undone.

const (
	indexChunk   = 256 // comments that are indexed with one statement's rows in memory
	laterChunk   = 100 // comments of a transaction that fills the index beside everything else
	laterPause   = 5 * time.Millisecond
	indexPause   = 500 * time.Millisecond // from a change to its place in the index; a search does not wait for it
	brokenPause  = 10 * time.Minute       // until an index that failed is tried again
	postMatches  = 100                    // posts whose title has a word, of which the comments count as matching
	findTime     = 2 * time.Second
	candidates   = 250  // read at once where texts must be compared, too
	maxCompared  = 1000 // of these for one page, which then ends early
	rowidShift   = 31
	maxRowidTime = 1<<32 - 1 // seconds
)

// searchRow is the place of a comment in the index, see the migration.
func searchRow(created int64, id int64) int64 {
	return max(-1<<32, min(maxRowidTime, created/1000))<<rowidShift | id&(1<<rowidShift-1)
}

// markOf is the token for a value that a list is narrowed by.
func markOf(kind, value string) string {
	sum := sha256.Sum256([]byte(kind + value))
	return kind + hex.EncodeToString(sum[:7])
}

// The kinds of marks.
const (
	siteMark    = "s"
	statusMark  = "t"
	postMark    = "p" // with the post's number in clear
	authorMark  = "a"
	networkMark = "n"
	hostMark    = "h"
	openMark    = "q" // without a value: a person is being asked
)

// indexed is what makes a comment findable.
type indexed struct {
	id, created, post            int64
	site, status                 string
	text, draft, html, draftHTML string
	name, website, email         string
	device, actor, network, user string
	open                         bool
}

const indexedColumns = `c.comment_id, c.created_at, coalesce(sp.post_number, 0), c.site_id, c.status, c.comment_body, coalesce(c.draft_body, ''),
	c.comment_html, coalesce(c.draft_html, ''), c.author_name, c.author_website, c.author_email, c.device_hash, c.actor_id, c.network_id,
	coalesce(c.user_id, ''), EXISTS (SELECT 1 FROM reviews r WHERE r.comment_id = c.comment_id AND r.state = 'open')`

const indexedTables = ` FROM search_due due CROSS JOIN comments c ON c.comment_id = due.comment_id
	LEFT JOIN search_posts sp ON sp.site_id = c.site_id AND sp.post_id = c.post_id `

func scanIndexed(r scanner) (v indexed, err error) {
	return v, r.Scan(&v.id, &v.created, &v.post, &v.site, &v.status, &v.text, &v.draft, &v.html, &v.draftHTML,
		&v.name, &v.website, &v.email, &v.device, &v.actor, &v.network, &v.user, &v.open)
}

// words of text, waiting edit and name.
func (v indexed) words() string {
	return strings.Join(markup.SearchWords(v.text+"\n"+v.draft+"\n"+v.name), " ")
}

func (v indexed) marks() string {
	out := []string{markOf(siteMark, v.site), markOf(statusMark, v.status), postMark + strconv.FormatInt(v.post, 10)}
	for _, who := range []string{v.device, v.actor, v.user, strings.ToLower(v.email)} {
		if who != "" {
			out = append(out, markOf(authorMark, who))
		}
	}
	if v.network != "" {
		out = append(out, markOf(networkMark, v.network))
	}
	for _, host := range hostsOf(v) {
		out = append(out, markOf(hostMark, host))
	}
	if v.open {
		out = append(out, openMark)
	}
	return strings.Join(out, " ")
}

// hostsOf lists the hosts of links and of the author's website, each with the
// domains above it, so that a domain finds its subdomains.
func hostsOf(v indexed) (out []string) {
	hosts := append(markup.LinkHosts(v.html), markup.LinkHosts(v.draftHTML)...)
	if _, rest, ok := strings.Cut(v.website, "://"); ok {
		host, _, _ := strings.Cut(rest[:strings.IndexAny(rest+"/", "/?#")], ":")
		hosts = append(hosts, host)
	}
	for _, host := range hosts {
		for range 6 {
			if host != "" && !slices.Contains(out, host) {
				out = append(out, host)
			}
			_, above, ok := strings.Cut(host, ".")
			if !ok || !strings.Contains(above, ".") {
				break
			}
			host = above
		}
	}
	return out
}

// indexSoon sees to it that what changed will be indexed.
func (w *writer) indexSoon() {
	if !w.due {
		w.due = true
		w.soon.Reset(indexPause)
	}
}

const (
	anythingDue = "SELECT EXISTS (SELECT 1 FROM search_due WHERE later = 0) OR EXISTS (SELECT 1 FROM search_posts WHERE due = 1)"
	dueNow      = indexedTables + "WHERE due.later = 0 ORDER BY due.comment_id LIMIT ?"
)

// indexDue brings the index up to date with what changed, in a transaction of
// its own. After a full chunk it lets others write before it goes on.
func (w *writer) indexDue() {
	w.due = false
	due, _, err := one(context.Background(), w.tx(), column[bool], anythingDue)
	if err != nil || !due {
		return
	}
	n := 0
	w.indexAlone(func() (err error) {
		n, err = w.tx().index(dueNow, indexChunk)
		return err
	})
	if n == indexChunk {
		w.due = true
		w.soon.Reset(0)
	}
}

// catchUp indexes what is due before somebody searches, unless that is so much
// that it would take long. A store that cannot be written can still be searched;
// then the newest changes are not found.
func (s *Store) catchUp(ctx context.Context) {
	due, _, err := one(ctx, s, column[bool], anythingDue)
	if err != nil || !due {
		return
	}
	err = s.Write(ctx, func(tx *Tx) error {
		return tx.w.guarded(func() error {
			_, err := tx.index(dueNow, 4*indexChunk)
			return err
		})
	})
	if err != nil {
		s.lg.Warn("the search index could not be brought up to date; the newest changes may not be found", "err", err)
	}
}

// guarded runs fn in a savepoint and gives the index up where it fails.
func (w *writer) guarded(fn func() error) error {
	if err := w.raw(savepointSQL); err != nil {
		return err
	}
	failed := fn()
	if failed == nil {
		return w.raw(releaseSQL)
	}
	if err := w.raw(undoSQL); err != nil {
		return errors.Join(failed, err)
	}
	w.s.lg.Error("the search index cannot be written; comments are stored without it, and it is tried again later", "err", failed)
	w.later.Reset(brokenPause)
	for _, query := range []string{releaseSQL, "UPDATE search_due SET later = 1 WHERE later = 0", "UPDATE search_posts SET due = 2 WHERE due = 1"} {
		if err := w.raw(query); err != nil {
			return err
		}
	}
	return nil
}

// indexLater indexes a few of the comments that were there before the index,
// the newest first, in a transaction of its own. It goes on until none is left,
// also after a restart.
func (w *writer) indexLater() {
	w.later.Reset(laterPause)
	w.indexAlone(func() error {
		if _, err := w.tx().exec("UPDATE search_posts SET due = 1 WHERE due = 2"); err != nil {
			return err
		}
		left, err := w.tx().index(indexedTables+"ORDER BY due.comment_id DESC LIMIT ?", laterChunk)
		if err == nil && left == 0 {
			w.later.Stop()
		}
		return err
	})
}

// indexAlone runs fn, which indexes, in a transaction of its own.
func (w *writer) indexAlone(fn func() error) {
	err := w.raw(beginSQL)
	if err == nil {
		if err = w.guarded(fn); err == nil {
			err = w.raw(commitSQL)
		}
		if err != nil {
			_ = w.raw(rollbackSQL) // fails when SQLite has rolled back by itself
		}
	}
	if err != nil {
		w.later.Reset(brokenPause)
		w.s.lg.Error("the search index cannot be written; it is tried again later", "err", err)
	}
}

// tx is the transaction under way, for what the writer itself does in it: it
// has no clock, nothing happens by it.
func (w *writer) tx() *Tx { return &Tx{w: w} }

// index indexes the posts and comments that are due, of the latter those that a
// condition selects, and returns how many there were.
func (tx *Tx) index(which string, limit int) (int, error) {
	if err := tx.indexPosts(); err != nil {
		return 0, err
	}
	rows, err := list(context.Background(), tx, scanIndexed, "SELECT "+indexedColumns+which, limit)
	if err != nil {
		return 0, err
	}
	// In ascending order the index is written once and not row by row.
	slices.SortFunc(rows, func(a, b indexed) int { return cmp.Compare(searchRow(a.created, a.id), searchRow(b.created, b.id)) })
	for _, v := range rows {
		if _, err := tx.exec("INSERT OR REPLACE INTO comment_search (rowid, words, marks) VALUES (?, ?, ?)", searchRow(v.created, v.id), v.words(), v.marks()); err != nil {
			return 0, err
		}
		if _, err := tx.exec("DELETE FROM search_due WHERE comment_id = ?", v.id); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

func (tx *Tx) indexPosts() error {
	type titled struct {
		number     int64
		key, title string
	}
	for {
		posts, err := list(context.Background(), tx, func(r scanner) (v titled, err error) { return v, r.Scan(&v.number, &v.key, &v.title) },
			`SELECT sp.post_number, p.post_id, p.title FROM search_posts sp CROSS JOIN posts p ON p.site_id = sp.site_id AND p.post_id = sp.post_id
			WHERE sp.due = 1 ORDER BY sp.post_number LIMIT ?`, indexChunk)
		if err != nil || len(posts) == 0 {
			return err
		}
		for _, v := range posts {
			words := strings.Join(markup.SearchWords(v.title+"\n"+v.key), " ")
			if _, err := tx.exec("INSERT OR REPLACE INTO post_search (rowid, words) VALUES (?, ?)", v.number, words); err != nil {
				return err
			}
			if _, err := tx.exec("UPDATE search_posts SET due = 0 WHERE post_number = ?", v.number); err != nil {
				return err
			}
		}
	}
}

// RebuildSearch empties the index and fills it again beside everything else;
// until it is done, older comments are not found.
func (s *Store) RebuildSearch(ctx context.Context) error {
	return s.Write(ctx, func(tx *Tx) error {
		for _, query := range []string{
			"INSERT INTO comment_search (comment_search) VALUES ('delete-all')",
			"INSERT INTO post_search (post_search) VALUES ('delete-all')",
			"UPDATE search_posts SET due = 1",
			"INSERT INTO search_due (comment_id, later) SELECT c.comment_id, 1 FROM comments c WHERE true ON CONFLICT (comment_id) DO NOTHING",
		} {
			if _, err := tx.exec(query); err != nil {
				return err
			}
		}
		tx.w.later.Reset(laterPause)
		return nil
	})
}

// Unindexed returns how many comments a search cannot find yet.
func (s *Store) Unindexed(ctx context.Context) (int, error) {
	n, _, err := one(ctx, s, column[int], "SELECT count(*) FROM search_due")
	return n, err
}
