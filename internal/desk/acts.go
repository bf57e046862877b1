package desk

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// settled is what the script is told of a form.
type settled struct {
	OK       bool   `json:"ok"`
	ID       string `json:"id,omitempty"`
	Status   string `json:"status,omitempty"`
	Text     string `json:"text"`               // a sentence for the person
	Decision string `json:"decision,omitempty"` // to take back
}

// deeds says what was done, in the words of a notice.
var deeds = map[string]string{
	"approve": "Approved", "reject": "Rejected", "spam": "Marked as spam", "delete": "Deleted", "restore": "Restored",
	"reply": "Answered", "undo": "Taken back", "edit": "Changed",
}

// act is POST comments/{id}/act: the buttons under a comment.
func (d *Desk) act(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	id, do := url.PathEscape(r.PathValue("id")), r.PostForm.Get("do")
	if do == "template" {
		return d.useReply(w, r, v)
	}
	if deeds[do] == "" || do == "undo" {
		return postil.InvalidField("do", "Press one of the buttons under the comment.")
	}
	if do == "reply" {
		return d.reply(w, r, v, id)
	}
	in := map[string]any{"decision": do, "reason": r.PostForm.Get("reason")}
	if seen := r.PostForm.Get("expect"); seen != "" {
		in["expect"] = seen
	}
	if n, err := strconv.Atoi(r.PostForm.Get("revision")); err == nil {
		in["expect_revision"] = n
	}
	var out outcome
	err := d.ask(r.Context(), v, http.MethodPost, "comments/"+id+"/decision", in, &out)
	if no, ok := err.(*refusal); ok && no.Status == http.StatusConflict && !wantsJSON(r) {
		return d.showComment(w, r, v, http.StatusConflict, no.Detail)
	}
	if err != nil {
		return err
	}
	text := deeds[do]
	if !out.Changed {
		text = "Nothing to do: it is " + out.Status + " already"
	}
	return d.settle(w, r, do, settled{OK: true, ID: out.ID, Status: out.Status, Text: text, Decision: out.DecisionID})
}

// reply answers a comment as the blog's author; a pending one is approved.
func (d *Desk) reply(w http.ResponseWriter, r *http.Request, v auth.Visitor, id string) error {
	text := lines(r.PostForm.Get("text"))
	err := d.ask(r.Context(), v, http.MethodPost, "comments/"+id+"/reply", map[string]any{"text": text}, nil)
	if no, ok := err.(*refusal); ok && no.Status < 500 && !wantsJSON(r) {
		return d.showComment(w, r, v, unprocessable(no.Status), no.Detail) // with the text in the form
	}
	if err != nil {
		return err
	}
	return d.settle(w, r, "reply", settled{OK: true, ID: r.PathValue("id"), Status: "approved", Text: deeds["reply"]})
}

func unprocessable(status int) int {
	if status == http.StatusBadRequest {
		return http.StatusUnprocessableEntity
	}
	return status
}

// undo is POST decisions/{id}/undo, of one decision or of a batch.
func (d *Desk) undo(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	var out struct {
		outcome
		Results []bulkResult `json:"results"`
	}
	if err := d.ask(r.Context(), v, http.MethodPost, "decisions/"+url.PathEscape(r.PathValue("id"))+"/undo", nil, &out); err != nil {
		return err
	}
	if out.Results != nil {
		return d.show(w, r, v, http.StatusOK, "bulkdone", "Taken back", bulkDone{Verb: "undo", Results: out.Results, Back: safe(r.PostForm.Get("back"))})
	}
	return d.settle(w, r, "undo", settled{OK: true, ID: out.ID, Status: out.Status, Text: "Taken back: it is " + out.Status + " again"})
}

// settle answers a form that did what it should: the script with a sentence,
// a browser with the page where it was.
func (d *Desk) settle(w http.ResponseWriter, r *http.Request, did string, s settled) error {
	if wantsJSON(r) {
		writeJSON(w, http.StatusOK, s)
		return nil
	}
	at, err := url.Parse(safe(r.PostForm.Get("back")))
	if err != nil {
		return err
	}
	q := merged(at.Query(), "did", did)
	q.Set("c", s.ID)
	q.Set("d", s.Decision)
	see(w, r, at.Path+query(q))
	return nil
}

// flash is the notice after a form, as the address of the page tells it.
type flash struct {
	Text     string
	Comment  string // "" when it is about anything else
	Decision string // to take back, "" for none
}

var number = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)

// flashOf reads the notice. An address comes from anywhere, so nothing in it is
// shown but numbers.
func flashOf(q url.Values) *flash {
	if note := notes[q.Get("did")]; note != "" {
		return &flash{Text: note}
	}
	text, id := deeds[q.Get("did")], q.Get("c")
	if text == "" || !number.MatchString(id) {
		return nil
	}
	f := &flash{Text: text, Comment: id}
	if number.MatchString(q.Get("d")) && q.Get("did") != "undo" {
		f.Decision = q.Get("d")
	}
	return f
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone: nobody is left to tell
}
