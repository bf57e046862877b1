package desk

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

const (
	maxBulk    = 1000 // comments of one bulk decision
	bulkSample = 5    // shown before it
)

// bulkData is what the template "bulk" sees.
type bulkData struct {
	Filter   map[string]string
	Count    int
	More     bool // there are more than can be decided at once
	Statuses map[string]int
	IDs      string // what was counted is what will be decided
	Sample   []comment
	Back     string
}

// preview is GET bulk: how many comments a filter selects, before anything is
// done to them.
func (d *Desk) preview(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	data := bulkData{Filter: map[string]string{}, Statuses: map[string]int{}}
	q := url.Values{"limit": {"200"}}
	for _, name := range append([]string{"queue"}, filters...) {
		if value := r.URL.Query().Get(name); value != "" {
			q.Set(name, value)
			data.Filter[name] = value
		}
	}
	if len(data.Filter) == 0 {
		return postil.InvalidField("filter", "This would be every comment there is. Narrow the list first, for example by author, host or time.")
	}
	data.Back = listOf(q)
	var ids []string
	for {
		page, err := get[struct {
			Comments []comment `json:"comments"`
			Next     string    `json:"next_cursor"`
		}](r.Context(), d, v, "comments", q)
		if err != nil {
			return err
		}
		for _, c := range page.Comments {
			if len(ids) == maxBulk {
				data.More = true
				break
			}
			ids = append(ids, c.ID)
			data.Statuses[c.Status]++
			if len(data.Sample) < bulkSample {
				data.Sample = append(data.Sample, c)
			}
		}
		if page.Next == "" || data.More {
			break
		}
		q.Set("cursor", page.Next)
	}
	data.Count, data.IDs = len(ids), strings.Join(ids, ",")
	return d.show(w, r, v, http.StatusOK, "bulk", "Decide about many", data)
}

// listOf is the place of the list that a filter belongs to.
func listOf(q url.Values) string {
	q = merged(q, "limit", "")
	switch {
	case q.Get("queue") != "":
		q.Del("queue")
		return query(q)
	case q.Get("status") == "spam":
		q.Del("status")
		return "spam" + query(q)
	}
	return "comments" + query(q)
}

// bulkResult is what became of one comment: an outcome, or a problem.
type bulkResult struct {
	outcome
	Error *refusal `json:"error"`
}

// bulkDone is what the template "bulkdone" sees.
type bulkDone struct {
	Verb    string
	Batch   string // to take back at once
	Results []bulkResult
	Back    string
}

// Changed is how many comments the decision changed.
func (b bulkDone) Changed() (n int) {
	for _, r := range b.Results {
		if r.Error == nil && r.Changed {
			n++
		}
	}
	return n
}

// Left lists those that it left as they were.
func (b bulkDone) Left() (left []bulkResult) {
	for _, r := range b.Results {
		if r.Error != nil || !r.Changed {
			left = append(left, r)
		}
	}
	return left
}

// bulk is POST bulk: one decision about everything that was previewed.
func (d *Desk) bulk(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	done := bulkDone{Verb: r.PostForm.Get("do"), Back: safe(r.PostForm.Get("back"))}
	ids := strings.FieldsFunc(r.PostForm.Get("ids"), func(c rune) bool { return c == ',' })
	if len(ids) == 0 || len(ids) > maxBulk {
		return postil.InvalidField("ids", "One to %s comments can be decided at once; these are %s.", postil.Thousands(maxBulk), strconv.Itoa(len(ids)))
	}
	in := map[string]any{"ids": ids, "decision": done.Verb}
	if seen := r.PostForm.Get("expect"); seen != "" {
		in["expect"] = seen
	}
	var out struct {
		Batch   string       `json:"batch_id"`
		Results []bulkResult `json:"results"`
	}
	if err := d.ask(r.Context(), v, http.MethodPost, "decisions", in, &out); err != nil {
		return err
	}
	done.Batch, done.Results = out.Batch, out.Results
	return d.show(w, r, v, http.StatusOK, "bulkdone", "Decided", done)
}
