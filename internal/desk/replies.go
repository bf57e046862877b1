package desk

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// savedReply is an answer that moderators keep for what comes again.
type savedReply struct {
	ID        string    `json:"id"`
	Site      string    `json:"site"`
	Name      string    `json:"name"`
	Text      string    `json:"text"`
	Filled    string    `json:"filled"` // as an answer to the comment that was asked for
	CreatedAt time.Time `json:"created_at"`
}

// repliesData is what the template "replies" sees.
type repliesData struct {
	Sites   []site
	Replies []savedReply
	Blanks  []string
}

// replies is GET replies: the saved replies.
func (d *Desk) replies(w http.ResponseWriter, r *http.Request, v auth.Visitor) (err error) {
	data := repliesData{Blanks: postil.BlankNames()}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	if data.Replies, err = d.saved(r, v, nil); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "replies", "Saved replies", data)
}

func (d *Desk) saved(r *http.Request, v auth.Visitor, q url.Values) ([]savedReply, error) {
	out, err := get[struct{ Templates []savedReply }](r.Context(), d, v, "reply-templates", q)
	return out.Templates, err
}

// addReply is POST replies.
func addReply(r *http.Request) (string, string, any) {
	return http.MethodPost, "reply-templates", map[string]string{"site": r.PostForm.Get("site"), "name": r.PostForm.Get("name"), "text": lines(r.PostForm.Get("text"))}
}

// useReply shows the comment again, with a saved reply behind what was written
// so far. It sends nothing.
func (d *Desk) useReply(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	all, err := d.saved(r, v, url.Values{"comment": {r.PathValue("id")}})
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.ID == r.PostForm.Get("template") {
			r.PostForm.Set("text", strings.TrimLeft(strings.TrimRight(lines(r.PostForm.Get("text")), "\n ")+"\n\n"+t.Filled, "\n "))
		}
	}
	return d.showComment(w, r, v, http.StatusOK, "")
}
