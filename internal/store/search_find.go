package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// find answers a list from the index: the newest matches first, or with
// NeedsYou the oldest. A page may end early, with a cursor, when many texts
// were compared to fill it.
func (s *Store) find(ctx context.Context, f postil.CommentFilter, from mark) (postil.CommentPage, error) {
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	s.catchUp(ctx)
	phrases := markup.SearchPhrases(f.Query)
	match, err := s.matchOf(ctx, f, phrases)
	if err != nil {
		return postil.CommentPage{}, err
	}
	phrases = slices.DeleteFunc(phrases, func(p markup.SearchPhrase) bool { return p.Literal == "" })
	if len(phrases) == 0 {
		rows, err := s.matches(ctx, f, match, from, f.Limit+1)
		return pageOf(rows, f.Limit), err
	}
	var found []marked
	known := titles{}
	for compared := 0; compared < maxCompared; compared += candidates {
		rows, err := s.matches(ctx, f, match, from, candidates)
		if err != nil {
			return postil.CommentPage{}, err
		}
		for _, m := range rows {
			from = mark{m.at, int64(m.ID)}
			has, err := s.literally(ctx, m.Comment, phrases, known)
			if err != nil {
				return postil.CommentPage{}, err
			}
			if has {
				found = append(found, m)
			}
			if len(found) > f.Limit {
				return pageOf(found, f.Limit), nil
			}
		}
		if len(rows) < candidates {
			return pageOf(found, f.Limit), nil
		}
	}
	page := pageOf(found, f.Limit)
	page.Next = from.String()
	return page, nil
}

// titles remembers what posts are called, for the comments of one page.
type titles map[postOf]string

type postOf struct {
	site postil.SiteID
	post postil.PostID
}

// literally reports whether a comment holds every literal, in any of its parts.
func (s *Store) literally(ctx context.Context, c postil.Comment, phrases []markup.SearchPhrase, known titles) (bool, error) {
	parts := c.Text + "\n" + c.Author.Name
	if c.Draft != nil {
		parts += "\n" + c.Draft.Text
	}
	form := markup.SearchForm(parts)
	for _, p := range phrases {
		if strings.Contains(form, p.Literal) {
			continue
		}
		key := postOf{c.Site, c.Post}
		title, ok := known[key]
		if !ok {
			post, err := s.Post(ctx, c.Site, c.Post)
			if err != nil {
				return false, err
			}
			title = markup.SearchForm(post.Title + "\n" + string(c.Post))
			known[key] = title
		}
		if !strings.Contains(title, p.Literal) {
			return false, nil
		}
	}
	return true, nil
}

// matches reads what an expression finds, along the index.
func (s *Store) matches(ctx context.Context, f postil.CommentFilter, match string, from mark, limit int) ([]marked, error) {
	w := &where{}
	if match != "" {
		w.and("comment_search MATCH ?", match)
	}
	order, beyond := " DESC", "f.rowid < ?"
	if f.NeedsYou {
		order, beyond = "", "f.rowid > ?"
	}
	if from.id != 0 {
		w.and(beyond, searchRow(from.at, from.id))
	}
	if !f.From.IsZero() {
		w.and("f.rowid >= ?", searchRow(millis(f.From), 0))
	}
	if !f.To.IsZero() {
		w.and("f.rowid <= ?", searchRow(millis(f.To), 1<<rowidShift-1))
	}
	w.in("c.site_id", anys(f.Sites))
	w.in("c.status", anys(f.Statuses))
	if f.Post != "" {
		w.and("c.post_id = ?", f.Post)
	}
	w.filter(f)
	return list(ctx, s, scanMarked, "SELECT "+commentColumns+`, c.created_at FROM comment_search f CROSS JOIN comments c ON c.comment_id = f.rowid & 2147483647`+
		w.String()+" ORDER BY f.rowid"+order+" LIMIT ?", append(w.args, limit)...)
}

// matchOf writes the expression for a filter. Nothing in it comes from outside
// as it is: words have letters and digits only, and all else is hashed.
func (s *Store) matchOf(ctx context.Context, f postil.CommentFilter, phrases []markup.SearchPhrase) (string, error) {
	var all []string
	for _, p := range phrases {
		if len(p.Words) == 0 {
			continue
		}
		quoted := `"` + strings.Join(p.Words, " ") + `"`
		posts, err := list(ctx, s, column[int64], "SELECT rowid FROM post_search WHERE post_search MATCH ? ORDER BY rowid DESC LIMIT ?", quoted, postMatches)
		if err != nil {
			return "", err
		}
		part := "words : " + quoted
		if len(posts) > 0 {
			var marks []string
			for _, number := range posts {
				marks = append(marks, postMark+strconv.FormatInt(number, 10))
			}
			part = "(" + part + " OR " + anyMark(marks) + ")"
		}
		all = append(all, part)
	}
	marks, err := s.marksOf(ctx, f)
	for _, group := range marks {
		all = append(all, anyMark(group))
	}
	return strings.Join(all, " AND "), err
}

// marksOf lists the marks of a filter: of each group a comment must have one.
func (s *Store) marksOf(ctx context.Context, f postil.CommentFilter) (groups [][]string, err error) {
	group := func(kind string, values ...string) {
		var marks []string
		for _, v := range values {
			if v != "" {
				marks = append(marks, markOf(kind, v))
			}
		}
		if len(marks) > 0 {
			groups = append(groups, marks)
		}
	}
	group(siteMark, values(f.Sites)...)
	group(statusMark, values(f.Statuses)...)
	group(networkMark, f.Network)
	group(hostMark, f.Host)
	if f.Author != "" {
		group(authorMark, f.Author, strings.ToLower(f.Author))
	}
	if f.NeedsYou {
		groups = append(groups, []string{openMark})
	}
	if f.Post == "" {
		return groups, nil
	}
	posts, err := list(ctx, s, column[int64], "SELECT sp.post_number FROM search_posts sp WHERE sp.post_id = ? AND sp.site_id IN (SELECT site_id FROM sites)", string(f.Post))
	numbers := []string{postMark + "0"}
	for _, number := range posts {
		numbers = append(numbers, postMark+strconv.FormatInt(number, 10))
	}
	return append(groups, numbers), err
}

func anyMark(marks []string) string {
	if len(marks) == 1 {
		return "marks : " + marks[0]
	}
	return "marks : (" + strings.Join(marks, " OR ") + ")"
}

func values[T ~string](list []T) (out []string) {
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}

// sought reports whether a filter is answered from the index.
func sought(f postil.CommentFilter) bool {
	return f.Author != "" || f.Network != "" || f.Host != "" || len(markup.SearchPhrases(f.Query)) > 0
}
