package postil

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Twins are two posts that are probably the same page.
type Twins struct {
	From, Into Post // Into has more comments, or is the older one
	Why        string
}

// maxTwins is how many pairs are told at once; merging makes room for others.
const maxTwins = 200

// telling are reasons to take two posts for one page, the strongest first: what
// two posts have in common, "" for nothing.
var telling = []struct {
	why  string
	mark func(Post) string
}{
	{"both have the same address", func(p Post) string { return strings.ToLower(strings.TrimSuffix(p.URL, "/")) }},
	{"the keys differ in case, ending or a parameter only", looseKey},
	{"one key is the last part of the other", slugOf},
	{"both have the same title", func(p Post) string { return longEnough(NameKey(p.Title), 8) }},
}

// FindTwins returns pairs of posts of a site that are probably the same page,
// those with the strongest reason first. What many posts have in common, such
// as a title that a template gave them all, says nothing.
func FindTwins(posts []Post) (out []Twins) {
	paired := map[[2]PostID]bool{}
	for _, t := range telling {
		groups := map[string][]Post{}
		for _, p := range posts {
			if mark := t.mark(p); mark != "" {
				groups[mark] = append(groups[mark], p)
			}
		}
		for _, group := range groups {
			if len(group) < 2 || len(group) > 5 {
				continue
			}
			slices.SortFunc(group, func(a, b Post) int {
				return cmp.Or(cmp.Compare(b.Count, a.Count), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
			})
			for _, p := range group[1:] {
				pair := [2]PostID{min(p.ID, group[0].ID), max(p.ID, group[0].ID)}
				if !paired[pair] {
					paired[pair] = true
					out = append(out, Twins{From: p, Into: group[0], Why: t.why})
				}
			}
		}
	}
	order := func(why string) int {
		for i, t := range telling {
			if t.why == why {
				return i
			}
		}
		return len(telling)
	}
	slices.SortFunc(out, func(a, b Twins) int {
		return cmp.Or(cmp.Compare(order(a.Why), order(b.Why)), cmp.Compare(a.Into.ID, b.Into.ID), cmp.Compare(a.From.ID, b.From.ID))
	})
	return out[:min(len(out), maxTwins)]
}

// looseKey is what is left of an address that says which page is meant on most
// blogs: no case, no ending, none of the parameters that choose a form of it.
func looseKey(p Post) string {
	id, query, _ := strings.Cut(string(p.ID), "?")
	if !strings.HasPrefix(id, "/") {
		return ""
	}
	id = strings.ToLower(id)
	for _, end := range []string{"/amp", "/feed", "/index.php", ".html", ".htm", ".php", ".aspx", ".md"} {
		id = strings.TrimSuffix(id, end)
	}
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(strings.ToLower(part), "=")
		if part != "" && !slices.Contains([]string{"amp", "m", "lang", "share", "print", "view", "source", "from", "s", "v"}, name) {
			kept = append(kept, strings.ToLower(part))
		}
	}
	return id + "?" + strings.Join(kept, "&")
}

// slugOf is the last part of a key where it can hardly be that of another page.
func slugOf(p Post) string {
	id, _, _ := strings.Cut(strings.ToLower(string(p.ID)), "?")
	slug := path.Base(id)
	return longEnough(strings.TrimSuffix(slug, path.Ext(slug)), 6)
}

func longEnough(s string, least int) string {
	if len([]rune(s)) < least {
		return ""
	}
	return s
}
