package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

// decided is what an answer says of a decision, and a refusal of one.
type decided struct {
	ID         string
	Status     any // a comment's, or the number of a problem
	State      string
	Changed    bool
	DecisionID string `json:"decision_id"`
	By, At     string
	Detail     string
	Error      *decided
}

// batched is the answer to a bulk request.
type batched struct {
	BatchID string `json:"batch_id"`
	Results []decided
}

func TestWhoIsLateLearnsHowItStandsAndWhoDecided(t *testing.T) {
	t.Parallel()
	t.Run("MOD-11", func(t *testing.T) {
		o := newOffice(t)
		o.say(t, "blog", "Two moderators look at this.")
		o.say(t, "blog", "And at this one as well.")
		ann := o.key(t, postil.APIKey{Name: "Ann", Role: postil.ModeratorRole})
		bo := o.key(t, postil.APIKey{Name: "Bo", Role: postil.ModeratorRole})
		call(t, "POST", o.url+adminAt+"/comments/1/decision", ann, `{"decision":"reject","expect":"pending"}`).want(t, 200)
		events := len(o.events(t, 1))

		var late decided
		call(t, "POST", o.url+adminAt+"/comments/1/decision", bo, `{"decision":"approve","expect":"pending"}`).want(t, 409).read(t, &late)
		want := decided{Status: 409.0, State: "rejected", DecisionID: "1", By: "Ann", At: "2026-11-30T18:17:00.000Z", Detail: late.Detail}
		if diff := cmp.Diff(want, late); diff != "" || !strings.Contains(late.Detail, "rejected") || !strings.Contains(late.Detail, "Ann") {
			t.Errorf("%s\n%s", diff, late.Detail)
		}
		var bulk batched
		call(t, "POST", o.url+adminAt+"/decisions", bo, `{"ids":["1","2"],"decision":"approve","expect":"pending"}`).want(t, 200).read(t, &bulk)
		if e := bulk.Results[0].Error; e == nil || e.Status != 409.0 || e.State != "rejected" || e.By != "Ann" || bulk.Results[0].ID != "1" {
			t.Errorf("bulk, the one that was decided: %+v", bulk.Results[0])
		}
		if r := bulk.Results[1]; r.Error != nil || r.ID != "2" || r.Status != "approved" || !r.Changed {
			t.Errorf("bulk, the other one: %+v", r)
		}
		if o.status(t, 1) != postil.Rejected || len(o.events(t, 1)) != events {
			t.Error("the late decision left a trace")
		}
	})
}

// Each way to approve causes the same events, once.
func TestADecisionCausesTheSameEventsHoweverItIsTaken(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	reference := func(id postil.CommentID) {
		if _, err := o.door.Decide(ctx, postil.DecisionRequest{Comment: id, Verb: postil.Approve, By: postil.By{Channel: postil.ByTelegram, Actor: "moderator:1", Name: "Tele"}}); err != nil {
			t.Fatal(err)
		}
	}
	approve := func(path, body string) func(postil.CommentID) {
		return func(id postil.CommentID) {
			path, body := strings.ReplaceAll(path, "ID", id.String()), strings.ReplaceAll(body, "ID", id.String())
			if r := o.ask(t, "POST", path, body); r.StatusCode >= 300 || strings.Contains(r.text, `"error"`) {
				t.Fatal(r.text)
			}
		}
	}
	var want []string
	for i, way := range []struct {
		name string
		do   func(postil.CommentID)
	}{
		{"by Telegram", reference},
		{"by a single decision", approve("/comments/ID/decision", `{"decision":"approve"}`)},
		{"by a single decision with everything", approve("/comments/ID/decision", `{"decision":"approve","expect":"pending","expect_revision":1,"reason":"kind"}`)},
		{"by a bulk decision", approve("/decisions", `{"decision":"approve","ids":["ID"]}`)},
		{"by a bulk decision with the id twice", approve("/decisions", `{"decision":"approve","ids":["ID","ID"]}`)},
		{"by a bulk decision with a filter", approve("/decisions", `{"decision":"approve","filter":{"site":"blog","status":["pending"]}}`)},
		{"by an answer", approve("/comments/ID/reply", `{"text":"Thanks for this!"}`)},
		{"by going over it twice", func(id postil.CommentID) {
			approve("/comments/ID/decision", `{"decision":"approve"}`)(id)
			approve("/decisions", `{"decision":"approve","ids":["ID"]}`)(id)
		}},
	} {
		t.Run("MOD-13 "+way.name, func(t *testing.T) {
			id := o.say(t, "blog", fmt.Sprintf("Comment number %d of its kind.", i))
			before := len(o.events(t, id))
			way.do(id)
			got := transitions(o.events(t, id)[before:])
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) != 1 {
				t.Errorf("events (-by Telegram +here):\n%s%v", diff, got)
			}
			c, err := o.store.Detail(ctx, id)
			if err != nil || c.Review.Open || len(c.History) != 1 || c.Comment.Status != postil.Approved {
				t.Errorf("afterwards: %+v, %v", c, err)
			}
		})
	}
}

func transitions(events []postil.Event) (out []string) {
	for _, ev := range events {
		out = append(out, fmt.Sprintf("%s %s→%s public=%q", ev.Kind, ev.From, ev.To, ev.PublicChange()))
	}
	return out
}

func TestOfTwoDecisionsAtOnceOneWins(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "Everybody wants this one.")
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	for i := range 16 {
		all.Go(func() {
			verb := []string{"approve", "reject", "spam", "delete"}[i%4]
			r := o.ask(t, "POST", "/comments/1/decision", `{"decision":"`+verb+`","expect":"pending"}`)
			mu.Lock()
			defer mu.Unlock()
			answers[r.StatusCode]++
		})
	}
	all.Wait()
	if answers[200] != 1 || answers[409] != 15 {
		t.Errorf("%v", answers)
	}
}

func TestRepeatingADecisionChangesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "Pressed twice.")
	var first, second decided
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200).read(t, &first)
	o.later(time.Minute)
	events := len(o.events(t, 0))
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200).read(t, &second)
	if !first.Changed || second.Changed {
		t.Error("the first changes, the second does not")
	}
	second.Changed = true
	if diff := cmp.Diff(first, second); diff != "" || len(o.events(t, 0)) != events {
		t.Error(diff)
	}
	var undecided decided
	o.say(t, "blog", "Nobody decided about it.")
	if r := o.ask(t, "POST", "/comments/2/decision", `{"decision":"restore"}`).want(t, 200); !strings.Contains(r.text, `"decision_id":null,"by":null,"at":null`) {
		t.Error(r.text)
	}
	o.ask(t, "POST", "/comments/2/decision", `{"decision":"restore"}`).read(t, &undecided)
	if undecided.Changed || undecided.Status != "pending" {
		t.Errorf("%+v", undecided)
	}
}

func TestADecisionAboutATextThatChangedMeanwhileIsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.say(t, "blog", "The version that was read.")
	if _, err := o.door.Edit(ctx, "blog", id, postil.TextChange{Text: "Another one.", HTML: "<p>Another one.</p>"}, func(postil.Comment) bool { return true }); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/comments/1/decision"} {
		var r decided
		o.ask(t, "POST", path, `{"decision":"approve","expect":"pending","expect_revision":1}`).want(t, 409).read(t, &r)
		if r.State != "pending" || !strings.Contains(r.Detail, "text") {
			t.Errorf("%+v", r)
		}
		o.ask(t, "POST", path, `{"decision":"approve","expect":"pending","expect_revision":2}`).want(t, 200)
	}
}

func TestAnUndoneDecisionIsAsIfItHadNotBeen(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "To be or not to be public.")
	var first, undo decided
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"reject"}`).want(t, 200).read(t, &first)
	undoPath := "/decisions/" + first.DecisionID + "/undo"
	o.ask(t, "POST", undoPath, "").want(t, 200).read(t, &undo)
	if undo.Status != "pending" || !undo.Changed || undo.ID != "1" {
		t.Errorf("%+v", undo)
	}
	if text := o.ask(t, "GET", "/comments?queue=open", "").want(t, 200).text; !strings.Contains(text, `"id":"1"`) {
		t.Errorf("nobody is asked again: %s", text)
	}
	o.ask(t, "POST", undoPath, "{}").want(t, 200).read(t, &undo)
	if undo.Changed {
		t.Error("undoing twice changed something")
	}
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"spam"}`).want(t, 200)
	var late decided
	o.ask(t, "POST", undoPath, "").want(t, 409).read(t, &late)
	if late.State != "spam" || late.By != "admin" || o.status(t, 1) != postil.Spam {
		t.Errorf("%+v", late)
	}
}

func TestABatchIsUndoneAsOneAndWhatWasOvertakenStays(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 27 {
		o.say(t, "blog", fmt.Sprintf("Comment %d of a flood.", i))
	}
	var batch, undo batched
	o.ask(t, "POST", "/decisions", `{"filter":{"site":"blog","queue":"open"},"decision":"spam"}`).want(t, 200).read(t, &batch)
	if len(batch.Results) != 27 {
		t.Fatalf("%d results", len(batch.Results))
	}
	for _, r := range batch.Results {
		if r.Error != nil || r.Status != "spam" || !r.Changed {
			t.Fatalf("%+v", r)
		}
	}
	o.ask(t, "POST", "/comments/5/decision", `{"decision":"approve"}`).want(t, 200)
	o.ask(t, "POST", "/decisions/"+batch.BatchID+"/undo", "").want(t, 200).read(t, &undo)
	if len(undo.Results) != 27 || undo.BatchID == batch.BatchID || undo.BatchID == "" {
		t.Fatalf("%+v", undo)
	}
	for _, r := range undo.Results {
		switch {
		case r.ID == "5" && (r.Error == nil || r.Error.Status != 409.0 || r.Error.State != "approved"):
			t.Errorf("the overtaken one: %+v", r)
		case r.ID != "5" && (r.Error != nil || r.Status != "pending" || !r.Changed):
			t.Errorf("%+v", r)
		}
	}
	o.ask(t, "POST", "/decisions/"+undo.BatchID+"/undo", "").want(t, 200)
	if o.status(t, 1) != postil.Spam {
		t.Error("an undo of a batch is itself a batch that can be undone")
	}
}

func TestABulkDecisionTakesAThousandComments(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "The only one that exists.")
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprint(i + 1)
	}
	send := func(ids []string) told {
		body, _ := json.Marshal(map[string]any{"ids": ids, "decision": "approve"})
		return o.ask(t, "POST", "/decisions", string(body))
	}
	var batch batched
	send(ids).want(t, 200).read(t, &batch)
	if len(batch.Results) != 1000 || batch.Results[0].Status != "approved" || batch.Results[999].Error.Status != 404.0 || batch.Results[999].ID != "1000" {
		t.Errorf("%d results, %+v", len(batch.Results), batch.Results[0])
	}
	if text := send(append(ids, "1001")).want(t, 400).text; !strings.Contains(text, `"field":"ids"`) || !strings.Contains(text, `"limit":1000`) {
		t.Error(text)
	}
}

func TestAReplyApprovesWhatItAnswersAndIsKnownByItsSender(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "A question to the author?")
	ann := o.key(t, postil.APIKey{Name: "Ann", Role: postil.ModeratorRole})
	var made struct {
		Comment struct {
			ID       string
			ParentID string `json:"parent_id"`
			Status   string
			Author   struct{ Name, Badge string }
		}
	}
	call(t, "POST", o.url+adminAt+"/comments/1/reply", ann, `{"text":"An answer."}`).want(t, 201).read(t, &made)
	if c := made.Comment; c.ParentID != "1" || c.Status != "approved" || c.Author.Name != "Ann" || c.Author.Badge != "author" || o.status(t, 1) != postil.Approved {
		t.Errorf("%+v", made)
	}
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"reject"}`).want(t, 200)
	var refused decided
	o.ask(t, "POST", "/comments/1/reply", `{"text":"Too late."}`).want(t, 409).read(t, &refused)
	if refused.State != "rejected" {
		t.Errorf("%+v", refused)
	}
}

func TestTheListIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 5 {
		o.say(t, "blog", fmt.Sprintf("Comment %d on the list.", i))
		o.later(time.Hour)
	}
	o.say(t, "other", "Elsewhere.")
	o.ask(t, "POST", "/comments/2/decision", `{"decision":"approve"}`).want(t, 200)
	o.ask(t, "POST", "/comments/3/decision", `{"decision":"spam"}`).want(t, 200)
	c, err := o.store.Comment(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"":                                   "[6 5 4 3 2 1]",
		"?site=blog&status=approved,spam":    "[3 2]",
		"?status=approved&status=spam":       "[3 2]",
		"?status=deleted":                    "[]",
		"?queue=open":                        "[1 4 5 6]",
		"?queue=open&site=blog&limit=200":    "[1 4 5]",
		"?post=/posts/hello/%3Futm_source=x": "[6 5 4 3 2 1]",
		"?post=":                             "[]",
		"?site=blog&post=https%3A%2F%2Fblog.example%2Fposts%2Fhello": "[5 4 3 2 1]",
		"?author=" + c.Origin.Device:                                 "[6 5 4 3 2 1]",
		"?author=nobody":                                             "[]",
		"?from=2026-11-30T19:17:00Z":                                 "[6 5 4 3 2]",
		"?to=2026-11-30T20:17:00%2B01:00":                            "[1]",
		"?from=2026-11-30&to=2026-12-01":                             "[6 5 4 3 2 1]",
		"?from=2026-12-01":                                           "[]",
	} {
		t.Run(query, func(t *testing.T) {
			if got := fmt.Sprint(o.listed(t, query)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			paged := query + "&limit=2"
			if query == "" {
				paged = "?limit=2"
			}
			if !strings.Contains(query, "limit") && fmt.Sprint(o.listed(t, paged)) != want {
				t.Errorf("by pages: %s, want %s", o.listed(t, paged), want)
			}
		})
	}
}

// listed follows the pages of a list and returns the ids.
func (o *office) listed(t *testing.T, query string) []string {
	t.Helper()
	ids := []string{}
	for cursor := ""; ; {
		var page struct {
			Comments   []struct{ ID string }
			NextCursor *string `json:"next_cursor"`
		}
		path := "/comments" + query
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		o.ask(t, "GET", path, "").want(t, 200).read(t, &page)
		for _, c := range page.Comments {
			ids = append(ids, c.ID)
		}
		if page.NextCursor == nil || len(ids) > 100 {
			return slices.Clip(ids)
		}
		cursor = *page.NextCursor
	}
}
