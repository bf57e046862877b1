package desk

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/postil/postil/internal/auth"
)

func sessionID(v auth.Visitor) string { return strconv.FormatInt(v.Session.ID, 10) }

// report is what a reader said about a comment.
type report struct {
	CommentID string    `json:"comment_id"`
	Reason    string    `json:"reason"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
}

// reportedData is what the template "reports" sees: comments, each with what
// readers say about it.
type reportedData struct {
	Items []reported
	Next  string
}

type reported struct {
	ID      string
	Item    item
	Reports []report
}

// reports is GET reports: what readers complained about and nobody has decided
// about since.
func (d *Desk) reports(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	out, err := get[struct {
		Reports []report
		Next    string `json:"next_cursor"`
	}](r.Context(), d, v, "reports", url.Values{"open": {"true"}, "limit": {"50"}, "cursor": {r.URL.Query().Get("cursor")}})
	if err != nil {
		return err
	}
	var data reportedData
	at := map[string]int{}
	for _, one := range out.Reports {
		i, known := at[one.CommentID]
		if !known {
			it, err := d.one(r.Context(), r, v, one.CommentID, back(r))
			if err != nil {
				return err
			}
			i = len(data.Items)
			at[one.CommentID], data.Items = i, append(data.Items, reported{ID: one.CommentID, Item: it})
		}
		data.Items[i].Reports = append(data.Items[i].Reports, one)
	}
	if out.Next != "" {
		data.Next = "reports" + query(url.Values{"cursor": {out.Next}})
	}
	return d.show(w, r, v, http.StatusOK, "reports", "Reports", data)
}

// rule is a ban, a trust or an entry of a list.
type rule struct {
	ID        string    `json:"id"`
	Site      string    `json:"site"`
	Kind      string    `json:"kind"`
	Shown     string    `json:"shown"`
	Effect    string    `json:"effect"`
	Reason    string    `json:"reason"`
	List      string    `json:"list"`
	Until     time.Time `json:"until"`
	By        string    `json:"by"`
	CreatedAt time.Time `json:"created_at"`
}

// rulesData is what the template "rules" sees.
type rulesData struct {
	Rules []rule
	Lists []struct {
		Name      string    `json:"name"`
		Site      string    `json:"site"`
		Kind      string    `json:"kind"`
		Effect    string    `json:"effect"`
		Entries   int       `json:"entries"`
		CreatedAt time.Time `json:"created_at"`
	}
	Next  string `json:"next_cursor"`
	Sites []site `json:"-"`
}

// rules is GET rules.
func (d *Desk) rules(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	data, err := get[rulesData](r.Context(), d, v, "rules", url.Values{"cursor": {r.URL.Query().Get("cursor")}})
	if err != nil {
		return err
	}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	if data.Next != "" {
		data.Next = "rules" + query(url.Values{"cursor": {data.Next}})
	}
	return d.show(w, r, v, http.StatusOK, "rules", "Rules and lists", data)
}

// addRule is POST rules: about the author of a comment, or about what the form
// names.
func addRule(r *http.Request) (string, string, any) {
	in := map[string]string{}
	for _, name := range []string{"comment", "site", "kind", "value", "effect", "reason"} {
		if value := r.PostForm.Get(name); value != "" {
			in[name] = value
		}
	}
	return http.MethodPost, "rules", in
}

// change of the audit log.
type noted struct {
	ID      string         `json:"id"`
	At      time.Time      `json:"at"`
	By      string         `json:"by"`
	Channel string         `json:"channel"`
	Action  string         `json:"action"`
	Subject string         `json:"subject"`
	Site    string         `json:"site"`
	Detail  string         `json:"detail"`
	Before  map[string]any `json:"before"`
	After   map[string]any `json:"after"`
}

// auditFilters are the parameters that narrow the log.
var auditFilters = []string{"actor", "action", "subject", "from", "to"}

// auditData is what the template "audit" sees.
type auditData struct {
	Filter  map[string]string
	Entries []noted
	Next    string
}

// audit is GET audit: who changed what.
func (d *Desk) audit(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	asked, q := r.URL.Query(), url.Values{}
	data := auditData{Filter: map[string]string{}}
	for _, name := range append([]string{"cursor"}, auditFilters...) {
		if value := asked.Get(name); value != "" {
			q.Set(name, value)
			data.Filter[name] = value
		}
	}
	out, err := get[struct {
		Entries []noted
		Next    string `json:"next_cursor"`
	}](r.Context(), d, v, "audit", q)
	if err != nil {
		return err
	}
	if data.Entries = out.Entries; out.Next != "" {
		data.Next = "audit" + query(merged(asked, "cursor", out.Next))
	}
	return d.show(w, r, v, http.StatusOK, "audit", "Audit log", data)
}
