package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// namesOf is how many of an author's latest comments tell under which names
// they wrote.
const namesOf = 50

// Authors returns a page of those who wrote on a site. Each stands at the place
// of their last comment, so that nobody comes twice and nothing is sorted: the
// comments are walked, the newest first, and those that are somebody's last are
// kept.
func (s *Store) Authors(ctx context.Context, f postil.AuthorFilter) (page postil.AuthorPage, err error) {
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	from, err := decodeMark(f.Cursor)
	if err != nil {
		return page, err
	}
	f.Limit = min(max(f.Limit, 1), maxListed)
	w := authorWalk{s: s, f: f, met: map[postil.Subject]bool{}}
	if err := w.begin(ctx); err != nil {
		return page, err
	}
	for compared := 0; compared < maxCompared; compared += candidates {
		rows, err := w.read(ctx, from)
		if err != nil {
			return page, err
		}
		for _, m := range rows {
			if len(page.Authors) == f.Limit {
				page.Next = from.String()
				return page, nil
			}
			from = mark{m.at, int64(m.ID)}
			if page.Authors, err = w.meet(ctx, m.Comment, page.Authors); err != nil {
				return page, err
			}
		}
		if len(rows) < candidates {
			return page, nil
		}
	}
	page.Next = from.String()
	return page, nil
}

// authorWalk goes through comments and meets their authors.
type authorWalk struct {
	s     *Store
	f     postil.AuthorFilter
	find  postil.CommentFilter
	match string // of the search index; "": every comment of the site
	form  string // what names are searched for, folded
	met   map[postil.Subject]bool
}

// begin finds out which comments are walked: with a mail address or a word those
// that the search index has for it, else all of the site.
func (w *authorWalk) begin(ctx context.Context) (err error) {
	w.find = postil.CommentFilter{Sites: []postil.SiteID{w.f.Site}, Limit: candidates - 1}
	w.form = strings.TrimSpace(markup.SearchForm(w.f.Query))
	if strings.Contains(w.f.Query, "@") {
		w.find.Author = strings.TrimSpace(w.f.Query)
	} else {
		w.find.Query = w.f.Query
	}
	if !sought(w.find) {
		return nil
	}
	w.s.catchUp(ctx)
	w.match, err = w.s.matchOf(ctx, w.find, markup.SearchPhrases(w.find.Query))
	return err
}

func (w *authorWalk) read(ctx context.Context, from mark) ([]marked, error) {
	if w.match != "" {
		return w.s.matches(ctx, w.find, w.match, from, candidates)
	}
	return w.s.lane(ctx, lane{site: w.f.Site}, w.find, from)
}

// meet adds the author of a comment when it is the last one they wrote, and
// bears what is searched for.
func (w *authorWalk) meet(ctx context.Context, c postil.Comment, so []postil.KnownAuthor) ([]postil.KnownAuthor, error) {
	who, ok := c.KnownBy()
	if !ok || w.met[who] || !w.wanted(c.Author) {
		return so, nil
	}
	w.met[who] = true
	later, err := w.s.wroteAfter(ctx, c)
	if err != nil || later {
		return so, err
	}
	a, err := w.s.known(ctx, c.Site, who)
	a.Last = c.Author
	return append(so, a), err
}

func (w *authorWalk) wanted(a postil.Author) bool {
	return w.form == "" || strings.Contains(markup.SearchForm(a.Name), w.form) || strings.EqualFold(a.Email, w.find.Author) && a.Email != ""
}

// wroteAfter reports whether the author of a comment wrote another one later on
// its site. Every status is named, so that the index leads to the spot.
func (s *Store) wroteAfter(ctx context.Context, c postil.Comment) (bool, error) {
	by, value := authorOf(c)
	later, _, err := one(ctx, s, column[bool], `SELECT EXISTS (SELECT 1 FROM comments c WHERE c.site_id = ? AND `+by+` = ? AND `+by+` <> ''
		AND c.status IN ('pending', 'approved', 'rejected', 'spam', 'deleted') AND c.comment_id > ?)`, c.Site, value, int64(c.ID))
	return later, err
}

// known adds up what an author wrote on a site, and reads the rules about them.
func (s *Store) known(ctx context.Context, site postil.SiteID, who postil.Subject) (postil.KnownAuthor, error) {
	a := postil.KnownAuthor{Site: site, Known: who, Counts: map[postil.Status]int{}}
	by := "c.device_hash"
	if who.Kind == postil.OnUser {
		by = "c.user_id"
	}
	rows, err := list(ctx, s, scanTallied, "SELECT c.status, count(*), min(c.created_at), max(c.created_at) FROM comments c WHERE c.site_id = ? AND "+by+" = ? AND "+by+
		" <> '' GROUP BY c.status", site, who.Value)
	if err != nil {
		return a, err
	}
	for _, r := range rows {
		a.Counts[r.status] = r.n
		if first := when(r.first); a.First.IsZero() || first.Before(a.First) {
			a.First = first
		}
		if last := when(r.last); last.After(a.Seen) {
			a.Seen = last
		}
	}
	a.Rules, err = list(ctx, s, scanRuling, "SELECT "+rulingColumns+" FROM rules x WHERE x.kind = ? AND x.value = ? AND coalesce(x.site_id, '') IN (?, '')", who.Kind, who.Value, site)
	return a, err
}

// tallied is how many comments of a status there are, and from when.
type tallied struct {
	status      postil.Status
	n           int
	first, last sql.NullInt64
}

func scanTallied(r scanner) (t tallied, err error) {
	return t, r.Scan(&t.status, &t.n, &t.first, &t.last)
}

// KnownAuthor returns an author of a site by the id of their account or the hash
// of their device, NotFound when nobody of that id wrote there.
func (s *Store) KnownAuthor(ctx context.Context, site postil.SiteID, id string) (a postil.KnownAuthor, err error) {
	if id == "" {
		return a, postil.Missing()
	}
	for _, kind := range []postil.SubjectKind{postil.OnUser, postil.OnDevice} {
		a, err = s.known(ctx, site, postil.Subject{Kind: kind, Value: id})
		if err != nil || len(a.Counts) > 0 {
			break
		}
	}
	if err == nil && len(a.Counts) == 0 {
		err = postil.Missing()
	}
	if err != nil {
		return a, err
	}
	latest, err := s.ListComments(ctx, postil.CommentFilter{Sites: []postil.SiteID{site}, Author: id, Limit: namesOf})
	for i, c := range latest.Comments {
		if i == 0 {
			a.Last = c.Author
		}
		if !slices.Contains(a.Names, c.Author.Name) {
			a.Names = append(a.Names, c.Author.Name)
		}
	}
	return a, err
}
