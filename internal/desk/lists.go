package desk

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/postil/postil/internal/auth"
)

const (
	pageSize = 25 // comments of a page, each with its context
	together = 4  // contexts that are read at a time
)

// filters are the parameters that narrow a list, in the order of the form.
var filters = []string{"site", "status", "q", "post", "author", "network", "host", "from", "to"}

var statuses = []string{"pending", "approved", "rejected", "spam", "deleted"}

// listData is what the template "list" sees.
type listData struct {
	Kind     string // "queue", "comments", "spam"
	Filter   map[string]string
	Narrowed bool // something beside the kind narrows the list
	Items    []item
	Next     string // place of the next page, "" at the end
	Bulk     string // place of the preview of all that the filter selects
	Sites    []site
	Statuses []string
	Slip     string // what is wrong with the filter
	Doubt    bool   // it is sorted by doubt
}

// item is a comment with what its form needs.
type item struct {
	comment
	Root string // way to the first page of the desk
	Back string // where the form leads
	CSRF string
	Open bool // it stands alone, with everything
}

// queue is GET /: what waits for a person, the oldest first.
func (d *Desk) queue(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	return d.list(w, r, v, "queue", "Waiting", url.Values{"queue": {"open"}})
}

// comments is GET comments: all of them, the newest first.
func (d *Desk) comments(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	return d.list(w, r, v, "comments", "All comments", url.Values{})
}

// spam is GET spam: what was stopped, the newest first, or with sort=doubt what
// the checks stopped, that of which they were least sure first.
func (d *Desk) spam(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	q := url.Values{"status": {"spam"}}
	if r.URL.Query().Get("sort") == "doubt" {
		q.Set("sort", "doubt")
	}
	return d.list(w, r, v, "spam", "Spam", q)
}

// list shows a list of comments; q says which.
func (d *Desk) list(w http.ResponseWriter, r *http.Request, v auth.Visitor, kind, title string, q url.Values) (err error) {
	data := listData{Kind: kind, Filter: map[string]string{}, Statuses: statuses}
	asked := r.URL.Query()
	for _, name := range filters {
		if value := asked.Get(name); value != "" && !q.Has(name) {
			q.Set(name, value)
			data.Filter[name], data.Narrowed = value, true
		}
	}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	data.Doubt = q.Get("sort") == "doubt"
	data.Bulk = "bulk" + query(merged(q, "sort", ""))
	status := http.StatusOK
	data.Items, data.Next, err = d.items(r, v, merged(q, "cursor", asked.Get("cursor")))
	if no, ok := err.(*refusal); ok && no.Status == http.StatusBadRequest {
		status, data.Slip, err = http.StatusUnprocessableEntity, no.Detail, nil
	}
	if err != nil {
		return err
	}
	if data.Next != "" {
		data.Next = here(r) + query(merged(asked, "cursor", data.Next))
	}
	return d.show(w, r, v, status, "list", title, data)
}

// merged returns a copy of q with one parameter set.
func merged(q url.Values, name, value string) url.Values {
	out := url.Values{name: {value}}
	for other, values := range q {
		if other != name && other != "did" && other != "c" && other != "d" {
			out[other] = values
		}
	}
	return out
}

// here is the place of the page without its query.
func here(r *http.Request) string { return safe(r.URL.Path[1:]) }

// items reads a page of comments, each with its context.
func (d *Desk) items(r *http.Request, v auth.Visitor, q url.Values) (items []item, next string, err error) {
	q.Set("limit", strconv.Itoa(pageSize))
	page, err := get[struct {
		Comments []comment `json:"comments"`
		Next     string    `json:"next_cursor"`
	}](r.Context(), d, v, "comments", q)
	if err != nil {
		return nil, "", err
	}
	back := back(r)
	items = make([]item, len(page.Comments))
	group, ctx := errgroup.WithContext(r.Context())
	group.SetLimit(together)
	for i, c := range page.Comments {
		group.Go(func() (err error) {
			items[i], err = d.one(ctx, r, v, c.ID, back)
			return err
		})
	}
	return items, page.Next, group.Wait()
}

// one reads a comment with its context.
func (d *Desk) one(ctx context.Context, r *http.Request, v auth.Visitor, id, back string) (item, error) {
	out, err := get[struct{ Comment comment }](ctx, d, v, "comments/"+url.PathEscape(id), nil)
	return item{comment: out.Comment, Root: root(r), Back: back, CSRF: v.CSRF}, err
}

// back is where a form on this page leads: the page itself, without what was
// said about the last decision.
func back(r *http.Request) string {
	return safe(here(r) + query(merged(r.URL.Query(), "did", "")))
}

func (d *Desk) sites(r *http.Request, v auth.Visitor) ([]site, error) {
	out, err := get[struct{ Sites []site }](r.Context(), d, v, "sites", nil)
	return out.Sites, err
}

// waiting is GET waiting: for the script, how many comments wait.
func (d *Desk) waiting(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	n, err := d.deps.Waiting(r.Context(), v.Site)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]int{"waiting": n})
	return nil
}
