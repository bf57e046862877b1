package store

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/postil/postil/internal/postil"
)

// maxListed is how many comments a moderator's list has at most on a page.
const maxListed = 200

// ListComments returns a page of comments for a moderator, the newest first,
// or with NeedsYou the open review tasks, the oldest first.
func (s *Store) ListComments(ctx context.Context, f postil.CommentFilter) (postil.CommentPage, error) {
	f.Limit = min(max(f.Limit, 1), maxListed)
	from, err := decodeMark(f.Cursor)
	if err != nil {
		return postil.CommentPage{}, err
	}
	if sought(f) {
		return s.find(ctx, f, from)
	}
	if f.ByDoubt {
		return s.doubtful(ctx, f, from)
	}
	if f.NeedsYou {
		rows, err := s.openTasks(ctx, f, from)
		return pageOf(rows, f.Limit), err
	}
	lanes, err := s.lanes(ctx, f)
	if err != nil {
		return postil.CommentPage{}, err
	}
	var rows []marked
	for _, l := range lanes {
		more, err := s.lane(ctx, l, f, from)
		if err != nil {
			return postil.CommentPage{}, err
		}
		rows = append(rows, more...)
	}
	if len(lanes) > 1 {
		slices.SortFunc(rows, func(a, b marked) int { return -cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID)) })
	}
	return pageOf(rows, f.Limit), nil
}

// lane is a part of a list that one index holds in its order: at most one
// site, one post of it and one status. A list of several sites or statuses is
// merged from its lanes, so that none of them is sorted in the database.
type lane struct {
	site   postil.SiteID
	post   postil.PostID
	status postil.Status
}

func (s *Store) lanes(ctx context.Context, f postil.CommentFilter) ([]lane, error) {
	sites, statuses := f.Sites, f.Statuses
	if len(sites) == 0 && (f.Post != "" || len(statuses) > 0) {
		all, err := s.Sites(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range all {
			sites = append(sites, v.ID)
		}
		if len(all) == 0 {
			return nil, nil
		}
	}
	if len(statuses) == 0 && f.Post != "" {
		statuses = postil.Statuses()
	}
	var out []lane
	for _, site := range orAny(sites) {
		for _, status := range orAny(statuses) {
			if l := (lane{site, f.Post, status}); !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out, nil
}

// orAny returns values, or the one empty value that selects nothing.
func orAny[T ~string](values []T) []T {
	if len(values) == 0 {
		return []T{""}
	}
	return values
}

// lane reads the next page of a lane: one walk along an index, from the mark on.
func (s *Store) lane(ctx context.Context, l lane, f postil.CommentFilter, from mark) ([]marked, error) {
	w := &where{}
	if l.site != "" {
		w.and("c.site_id = ?", l.site)
	}
	if l.post != "" {
		w.and("c.post_id = ?", l.post)
	}
	if l.status != "" {
		w.and("c.status = ?", l.status)
	}
	w.filter(f)
	if from.id != 0 {
		w.and("(c.created_at, c.comment_id) < (?, ?)", from.at, from.id)
	}
	return list(ctx, s, scanMarked, "SELECT "+commentColumns+", c.created_at FROM comments c"+w.String()+
		" ORDER BY c.created_at DESC, c.comment_id DESC LIMIT ?", append(w.args, f.Limit+1)...)
}

// openTasks walks along the open review tasks, of which there are few.
func (s *Store) openTasks(ctx context.Context, f postil.CommentFilter, from mark) ([]marked, error) {
	w := &where{}
	w.and("r.state = 'open'")
	w.in("c.site_id", anys(f.Sites))
	w.in("c.status", anys(f.Statuses))
	if f.Post != "" {
		w.and("c.post_id = ?", f.Post)
	}
	w.filter(f)
	if from.id != 0 {
		w.and("(r.opened_at, r.comment_id) > (?, ?)", from.at, from.id)
	}
	// CROSS JOIN keeps this order of the tables: the tasks give the order of the list.
	return list(ctx, s, scanMarked, "SELECT "+commentColumns+", r.opened_at FROM reviews r CROSS JOIN comments c ON c.comment_id = r.comment_id"+
		w.String()+" ORDER BY r.opened_at, r.comment_id LIMIT ?", append(w.args, f.Limit+1)...)
}

// doubtful reads what the checks stopped, the most doubtful first; of equally
// doubtful ones the newest.
func (s *Store) doubtful(ctx context.Context, f postil.CommentFilter, from mark) (postil.CommentPage, error) {
	f.Statuses, f.Post = []postil.Status{postil.Spam}, ""
	lanes, err := s.lanes(ctx, f)
	var rows []marked
	for _, l := range lanes {
		w := &where{}
		w.and("c.site_id = ? AND c.status = 'spam' AND c.doubt IS NOT NULL", l.site)
		if from.id != 0 {
			w.and("(c.doubt, c.comment_id) < (?, ?)", from.at, from.id)
		}
		more, err := list(ctx, s, scanMarked, "SELECT "+commentColumns+", c.doubt FROM comments c"+w.String()+
			" ORDER BY c.doubt DESC, c.comment_id DESC LIMIT ?", append(w.args, f.Limit+1)...)
		if err != nil {
			return postil.CommentPage{}, err
		}
		rows = append(rows, more...)
	}
	slices.SortFunc(rows, func(a, b marked) int { return -cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID)) })
	return pageOf(rows, f.Limit), err
}

// marked is a comment with the time that orders its list.
type marked struct {
	postil.Comment
	at int64
}

func scanMarked(r scanner) (m marked, err error) {
	m.Comment, err = scanComment(tail{r, []any{&m.at}})
	return m, err
}

func pageOf(rows []marked, limit int) (p postil.CommentPage) {
	for i, m := range rows {
		if i == limit {
			last := rows[limit-1]
			p.Next = mark{last.at, int64(last.ID)}.String()
			break
		}
		p.Comments = append(p.Comments, m.Comment)
	}
	return p
}

// mark is the place behind a page of a list; the zero value is its start.
type mark struct{ at, id int64 }

// String writes the mark as a cursor.
func (m mark) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", m.at, m.id))
}

func decodeMark(s string) (m mark, err error) {
	if s == "" {
		return m, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		_, err = fmt.Sscanf(string(raw), "%d.%d", &m.at, &m.id)
	}
	if err != nil || m.id < 1 {
		return mark{}, postil.InvalidField("cursor", "This marker of a page is damaged. Load the list from its start, without “cursor”.")
	}
	return m, nil
}
