package desk

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/auth"
)

// post is a page of a site.
type post struct {
	Site   string `json:"site"`
	Key    string `json:"key"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Closed bool   `json:"closed"`
	Count  int    `json:"count"`
}

// Name is what people call the post.
func (p post) Name() string { return or(p.Title, p.Key) }

// twins are two posts that are probably the same page.
type twins struct {
	From post   `json:"from"`
	Into post   `json:"into"`
	Why  string `json:"why"`
}

// move is comments that went from one post to another.
type move struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Comments int       `json:"comments"`
	At       time.Time `json:"at"`
	UndoneAt time.Time `json:"undone_at"`
}

// movesShown is how many of the last moves the page of posts has.
const movesShown = "10"

// postsData is what the template "posts" sees.
type postsData struct {
	Sites []site
	Site  string
	Posts []post
	Twins []twins
	Moves []move
	Next  string
}

// posts is GET posts?site=&cursor=.
func (d *Desk) posts(w http.ResponseWriter, r *http.Request, v auth.Visitor) (err error) {
	asked := r.URL.Query()
	data := postsData{Site: asked.Get("site")}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	if data.Site == "" && len(data.Sites) > 0 {
		data.Site = data.Sites[0].Key
	}
	if data.Site != "" {
		err = d.postsOf(r, v, asked.Get("cursor"), &data)
	}
	if err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "posts", "Posts", data)
}

func (d *Desk) postsOf(r *http.Request, v auth.Visitor, cursor string, data *postsData) error {
	at := url.Values{"site": {data.Site}}
	page, err := get[struct {
		Posts []post
		Next  string `json:"next_cursor"`
	}](r.Context(), d, v, "posts", url.Values{"site": {data.Site}, "limit": {"200"}, "cursor": {cursor}})
	if err != nil {
		return err
	}
	if data.Posts = page.Posts; page.Next != "" {
		data.Next = "posts" + query(url.Values{"site": {data.Site}, "cursor": {page.Next}})
	}
	if cursor != "" {
		return nil
	}
	alike, err := get[struct{ Twins []twins }](r.Context(), d, v, "posts/twins", at)
	if err != nil {
		return err
	}
	done, err := get[struct{ Moves []move }](r.Context(), d, v, "posts/moves", url.Values{"site": {data.Site}, "limit": {movesShown}})
	data.Twins, data.Moves = alike.Twins, done.Moves
	return err
}

// setPost is POST posts: closes and opens one, or names it.
func setPost(r *http.Request) (string, string, any) {
	in := map[string]any{"site": r.PostForm.Get("site"), "post": r.PostForm.Get("post")}
	switch {
	case r.PostForm.Has("closed"):
		in["closed"] = r.PostForm.Get("closed") == "true"
	default:
		in["title"], in["url"] = r.PostForm.Get("title"), r.PostForm.Get("url")
	}
	return http.MethodPatch, "posts", in
}

// mergeData is what the template "merge" sees: what a merge would do.
type mergeData struct {
	Site     string
	From     post           `json:"from"`
	Into     post           `json:"into"`
	Statuses map[string]int `json:"statuses"`
	Standing map[string]int `json:"standing"`
}

// mergePreview is GET posts/merge?site&post&into: a look before it is done.
func (d *Desk) mergePreview(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	q := r.URL.Query()
	data := mergeData{Site: q.Get("site")}
	in := map[string]any{"site": data.Site, "post": q.Get("post"), "into": q.Get("into"), "dry_run": true}
	if err := d.ask(r.Context(), v, http.MethodPost, "posts/merge", in, &data); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "merge", "Merge two posts", data)
}

// movePost makes the order of a merge, a rename or a split.
func movePost(kind string) order {
	return func(r *http.Request) (string, string, any) {
		in := map[string]any{"site": r.PostForm.Get("site"), "post": r.PostForm.Get("post"), "into": strings.TrimSpace(r.PostForm.Get("into"))}
		if kind == "split" {
			in["comments"], in["title"] = fields(r.PostForm.Get("comments")), r.PostForm.Get("title")
		}
		return http.MethodPost, "posts/" + kind, in
	}
}

func undoMove(r *http.Request) (string, string, any) {
	return http.MethodPost, "posts/moves/" + idOf(r) + "/undo", nil
}
