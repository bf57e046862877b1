package store

import (
	"context"
	"database/sql"

	"github.com/postil/postil/internal/postil"
)

const listedColumns = `c.comment_id, coalesce(c.parent_comment_id, 0), c.root_comment_id, c.depth, c.visibility, c.author_name, c.author_website,
	c.author_badge, c.user_gone, c.comment_html, c.created_at, c.edited_at, c.reply_count, c.score, c.reactions, c.reply_path`

// spot is a listed comment and where it stands.
type spot struct {
	postil.Listed
	root    postil.CommentID
	path    []byte
	created int64
	score   int
}

func scanSpot(r scanner) (s spot, err error) {
	var visible postil.Visibility
	var created, edited sql.NullInt64
	var reactions string
	err = r.Scan(&s.ID, &s.Parent, &s.root, &s.Depth, &visible, &s.Author.Name, &s.Author.Website,
		&s.Author.Badge, &s.UserGone, &s.HTML, &created, &edited, &s.Replies, &s.Score, &reactions, &s.path)
	if err == nil {
		s.Reactions, err = numbers(reactions)
	}
	s.Created, s.Edited = when(created), when(edited)
	s.created, s.score = created.Int64, s.Score
	if visible == postil.Tombstone {
		s.Listed = postil.Listed{ID: s.ID, Parent: s.Parent, Depth: s.Depth, Tombstone: true}
	}
	return s, err
}

// ThreadPage returns one page of a thread as everybody may see it. A post that
// nobody has commented on is an empty thread; NotFound means an unknown site
// or, with Focus, a comment that is not public here.
func (s *Store) ThreadPage(ctx context.Context, q postil.ThreadQuery) (postil.ThreadPage, error) {
	v, err := s.Site(ctx, q.Site)
	if err != nil {
		return postil.ThreadPage{}, err
	}
	// The version is read before the comments: a page that is newer than it
	// says is harmless, one that is older would never be replaced.
	p, err := s.Post(ctx, q.Site, q.Post)
	if err != nil {
		return postil.ThreadPage{}, err
	}
	from, err := s.start(ctx, q)
	if err != nil {
		return postil.ThreadPage{}, err
	}
	b := &pageBuilder{s: s, q: q, from: from, room: s.room}
	if err := b.build(ctx); err != nil {
		return postil.ThreadPage{}, err
	}
	page := postil.ThreadPage{Post: p.ForReaders(), Lockdown: v.Lockdown, Comments: b.listed(), Next: b.next, Prev: b.prev}
	for i := range page.Comments {
		if c := &page.Comments[i]; !c.Tombstone {
			c.Reactions = v.Offered(c.Reactions)
		}
	}
	return page, nil
}

// pageBuilder walks the roots of a thread in order, with the replies under
// each, until the page is full.
type pageBuilder struct {
	s     *Store
	q     postil.ThreadQuery
	from  position
	room  int // comments that still fit
	spots []spot
	next  string
	prev  string
}

func (b *pageBuilder) build(ctx context.Context) error {
	limit := b.q.Limit
	if b.from.kind == insideRoot {
		full, err := b.replies(ctx, b.from.id, b.from.path)
		if err != nil {
			return err
		}
		if full {
			return b.edges(ctx, nil, nil)
		}
		limit--
	}
	roots, more, err := b.roots(ctx, limit)
	if err != nil {
		return err
	}
	if len(roots) == 0 && more {
		b.next = b.from.as(map[place]place{insideRoot: afterRoot, beforeRoot: startAt}[b.from.kind]).encode(b.q.Sort)
	}
	bulk, err := b.bulk(ctx, roots)
	if err != nil {
		return err
	}
	for i, r := range roots {
		if b.room == 0 {
			b.next = positionOf(r, startAt).encode(b.q.Sort)
			break
		}
		b.take(r)
		if full, err := b.under(ctx, r, bulk); err != nil || full {
			return b.edges(ctx, roots, err)
		}
		if i == len(roots)-1 && more {
			b.next = positionOf(r, afterRoot).encode(b.q.Sort)
		}
	}
	return b.edges(ctx, roots, nil)
}

// edges finds out whether anything stands before the page.
func (b *pageBuilder) edges(ctx context.Context, roots []spot, err error) error {
	switch {
	case err != nil || b.from.kind == atStart:
		return err
	case b.from.kind == insideRoot:
		b.prev, err = b.before(ctx)
		return err
	case len(roots) == 0:
		return nil
	}
	before := positionOf(roots[0], beforeRoot)
	earlier, err := b.s.rootsFrom(ctx, b.q, before, 1)
	if err == nil && len(earlier) > 0 {
		b.prev = before.encode(b.q.Sort)
	}
	return err
}

// before is the page before one that begins inside a root: as many replies as
// fit, or the root itself when there are no more.
func (b *pageBuilder) before(ctx context.Context) (string, error) {
	earlier, err := list(ctx, b.s, column[[]byte], `SELECT reply_path FROM comments
		WHERE root_comment_id = ? AND visibility > 0 AND reply_path > x'' AND reply_path <= ? ORDER BY reply_path DESC LIMIT ?`,
		int64(b.from.id), b.from.path, b.s.room+1)
	if err != nil || len(earlier) <= b.s.room {
		return b.from.as(startAt).encode(b.q.Sort), err
	}
	p := b.from
	p.path = earlier[b.s.room]
	return p.encode(b.q.Sort), nil
}

// roots returns at most limit roots from where the page begins, in display
// order, and whether there are more after them.
func (b *pageBuilder) roots(ctx context.Context, limit int) (roots []spot, more bool, err error) {
	roots, err = b.s.rootsFrom(ctx, b.q, b.from, limit+1)
	if err != nil {
		return nil, false, err
	}
	if b.from.kind == beforeRoot { // read backwards: turn round, and what follows is known
		if len(roots) > limit {
			roots = roots[:limit]
		}
		for i, j := 0, len(roots)-1; i < j; i, j = i+1, j-1 {
			roots[i], roots[j] = roots[j], roots[i]
		}
		return roots, true, nil
	}
	if len(roots) > limit {
		return roots[:max(limit, 0)], true, nil
	}
	return roots, false, nil
}

// bulk reads the replies of all roots at once when they fit on the page; nil
// means that they do not, and each root is to be asked for itself.
func (b *pageBuilder) bulk(ctx context.Context, roots []spot) (map[postil.CommentID][]spot, error) {
	var ids []postil.CommentID
	for _, r := range roots {
		if r.Replies > 0 || r.Tombstone {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return map[postil.CommentID][]spot{}, nil
	}
	marks, n := placeholders(len(ids))
	most := b.room - len(roots) + 1
	spots, err := list(ctx, b.s, scanSpot, "SELECT "+listedColumns+" FROM comments c WHERE c.root_comment_id IN ("+marks+
		") AND c.visibility > 0 AND c.reply_path > x'' ORDER BY c.root_comment_id, c.reply_path LIMIT ?", append(fill(ids, n), max(most, 0))...)
	if err != nil || len(spots) >= most {
		return nil, err
	}
	out := make(map[postil.CommentID][]spot, len(ids))
	for _, sp := range spots {
		out[sp.root] = append(out[sp.root], sp)
	}
	return out, nil
}

// under adds the replies of a root and reports whether the page is full.
func (b *pageBuilder) under(ctx context.Context, root spot, bulk map[postil.CommentID][]spot) (full bool, err error) {
	if bulk == nil {
		return b.replies(ctx, root.ID, nil)
	}
	for _, sp := range bulk[root.ID] {
		b.take(sp)
	}
	return false, nil
}

// replies adds the replies of one root after a path. When they do not fit, the
// page ends inside the root.
func (b *pageBuilder) replies(ctx context.Context, root postil.CommentID, after []byte) (full bool, err error) {
	if after == nil {
		after = []byte{}
	}
	spots, err := list(ctx, b.s, scanSpot, "SELECT "+listedColumns+
		" FROM comments c WHERE c.root_comment_id = ? AND c.visibility > 0 AND c.reply_path > ? ORDER BY c.reply_path, c.comment_id LIMIT ?",
		int64(root), after, b.room+1)
	if err != nil {
		return false, err
	}
	for _, sp := range spots {
		if b.room == 0 {
			last := b.from
			if len(b.spots) > 0 {
				last = position{kind: insideRoot, id: root, path: b.spots[len(b.spots)-1].path}
			}
			b.next = last.encode(b.q.Sort)
			return true, nil
		}
		b.take(sp)
	}
	return false, nil
}

func (b *pageBuilder) take(sp spot) {
	b.spots = append(b.spots, sp)
	b.room--
}

// listed returns the page without the places. Where imported or hand-edited
// data holds a comment that is above itself, its members stand as roots.
func (b *pageBuilder) listed() []postil.Listed {
	out := make([]postil.Listed, len(b.spots))
	parents := make(map[postil.CommentID]postil.CommentID, len(out))
	for i, sp := range b.spots {
		out[i] = sp.Listed
		parents[sp.ID] = sp.Parent
	}
	for i := range out {
		if inCycle(out[i].ID, parents) {
			out[i].Parent, out[i].Depth = 0, 0
		}
	}
	return out
}

// inCycle follows the parents of id and reports whether they lead back to it.
func inCycle(id postil.CommentID, parents map[postil.CommentID]postil.CommentID) bool {
	at := parents[id]
	for range len(parents) {
		if at == id {
			return true
		}
		if at == 0 {
			return false
		}
		at = parents[at]
	}
	return false
}

// Recent returns the newest shown comments of a site.
func (s *Store) Recent(ctx context.Context, id postil.SiteID, limit int) ([]postil.Listed, error) {
	if _, err := s.Site(ctx, id); err != nil {
		return nil, err
	}
	return list(ctx, s, scanRecent, recentColumns+`
		WHERE c.site_id = ? AND c.visibility = 1 ORDER BY c.created_at DESC, c.comment_id DESC LIMIT ?`, id, limit)
}

// RecentOn returns the newest shown comments of a post, none when nobody has
// commented on it. That they are approved follows from their being shown; the
// statement says it because the index begins with it.
func (s *Store) RecentOn(ctx context.Context, id postil.SiteID, post postil.PostID, limit int) ([]postil.Listed, error) {
	if _, err := s.Site(ctx, id); err != nil {
		return nil, err
	}
	return list(ctx, s, scanRecent, recentColumns+`
		WHERE c.site_id = ? AND c.post_id = ? AND c.status = 'approved' AND c.visibility = 1
		ORDER BY c.created_at DESC, c.comment_id DESC LIMIT ?`, id, post, limit)
}

const recentColumns = "SELECT " + listedColumns + `, p.post_id, p.title, p.url
	FROM comments c JOIN posts p ON p.site_id = c.site_id AND p.post_id = c.post_id`

func scanRecent(r scanner) (postil.Listed, error) {
	var post postil.PostID
	var title, url string
	sp, err := scanSpot(tail{r, []any{&post, &title, &url}})
	sp.Listed.Post, sp.PostTitle, sp.PostURL = post, title, url
	return sp.Listed, err
}

// tail scans further columns after those of a shared scan function.
type tail struct {
	scanner
	more []any
}

func (t tail) Scan(dest ...any) error { return t.scanner.Scan(append(dest, t.more...)...) }
