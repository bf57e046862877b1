package apptest_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/fakebot"
)

// hall is a service with every way of deciding, and a look into its database.
type hall struct {
	*apptest.App
	desk  *apptest.Desk
	db    *sql.DB
	posts int

	presses atomic.Int64
}

func newHall(t *testing.T, telegram bool) *hall {
	t.Helper()
	a := apptest.Start(t, apptest.Options{Telegram: telegram, Set: func(c *app.Config) { c.Limits, c.TelegramWave, c.Clock = "off", 0, "header" }})
	db, err := sql.Open("sqlite", "file:"+filepath.Join(a.Config.Data, "postil.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	h := &hall{App: a, desk: a.SignedIn(t), db: db}
	h.under(t, "hold-all") // the classifier learns from what is decided here
	return h
}

// under sets the policy of the site.
func (h *hall) under(t *testing.T, policy string) {
	t.Helper()
	if got := h.Admin(t, "PATCH", "sites/blog", map[string]any{"policy": policy}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
}

// rows reads what a query returns, a line each.
func (h *hall) rows(t *testing.T, query string, args ...any) (lines []string) {
	t.Helper()
	rows, err := h.db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func (h *hall) number(t *testing.T, query string, args ...any) int64 {
	t.Helper()
	n, err := strconv.ParseInt(h.rows(t, query, args...)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// matter is a comment, alone on its post, about which somebody decides.
type matter struct {
	id, text               string
	event, decision, audit int64 // the last ones before the decision
	version                int64 // of its thread then
	batch, pressed         string
	message                int64
}

// ask takes a comment in and waits until a person is asked about it.
func (h *hall) ask(t *testing.T) *matter {
	t.Helper()
	h.posts++
	m := &matter{text: fmt.Sprintf("The matter number %d of this table.", h.posts)}
	m.id = h.Post(t, apptest.Draft{Post: fmt.Sprint("/matter/", h.posts), Text: m.text}).Comment.ID
	h.AwaitAsked(t, time.Minute, m.id)
	h.mark(t, m)
	return m
}

// bring makes the comment what it must be, by one decision of a batch.
func (h *hall) bring(t *testing.T, m *matter, verb string) {
	t.Helper()
	if verb == "" {
		return
	}
	var out struct {
		Batch string `json:"batch_id"`
	}
	h.Admin(t, "POST", "decisions", map[string]any{"ids": []string{m.id}, "decision": verb}).JSON(t, &out)
	m.batch = out.Batch
	h.mark(t, m)
}

// mark notes what there is, so that trace tells what came.
func (h *hall) mark(t *testing.T, m *matter) {
	t.Helper()
	m.event, m.decision, m.audit = h.number(t, "SELECT coalesce(max(event_id), 0) FROM outbox"), h.number(t, "SELECT coalesce(max(decision_id), 0) FROM decisions"), h.number(t, "SELECT coalesce(max(audit_id), 0) FROM audit")
	m.version = h.number(t, "SELECT p.version FROM posts p JOIN comments c USING (site_id, post_id) WHERE c.comment_id = ?", m.id)
}

// trace is everything that a decision leaves behind, but who took it and how.
type trace struct {
	Events, Log, Audit []string
	State              string
}

func (h *hall) trace(t *testing.T, m *matter) trace {
	t.Helper()
	return trace{
		Events: h.rows(t, `SELECT kind || ' ' || coalesce(json_extract(payload, '$.from'), '') || '>' || coalesce(json_extract(payload, '$.to'), '') || iif(coalesce(json_extract(payload, '$.version'), 0) > 0, ' seen', '')
			FROM outbox WHERE event_id > ? AND json_extract(payload, '$.comment') = ? ORDER BY event_id`, m.event, number(t, m.id)),
		Log:   h.rows(t, "SELECT verb || ' ' || from_status || '>' || to_status || iif(undoes IS NULL, '', ' undoing') FROM decisions WHERE comment_id = ? AND decision_id > ? ORDER BY decision_id", m.id, m.decision),
		Audit: h.rows(t, "SELECT action || before || after FROM audit WHERE subject = 'comment:' || ? AND audit_id > ? ORDER BY audit_id", m.id, m.audit),
		State: h.rows(t, `SELECT c.status || ', before ' || c.status_before || ', visible ' || c.visibility || ', revision ' || c.revision || ', task ' || r.state || ', ' || p.comment_count || ' and ' || p.root_count || ', version +' || (p.version - ?)
			FROM comments c JOIN posts p USING (site_id, post_id) JOIN reviews r USING (comment_id) WHERE c.comment_id = ?`, m.version, m.id)[0],
	}
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// channel is a way in which a person decides. take reports whether it was told
// that the decision holds, which a card tells in its own time.
type channel struct {
	name string
	take func(h *hall, t *testing.T, m *matter, verb, expect string) bool
	undo func(h *hall, t *testing.T, m *matter)
}

var channels = []channel{
	{"REST", (*hall).byREST, (*hall).undoREST},
	{"form", (*hall).byForm, (*hall).undoForm},
	{"bulk", (*hall).byBulk, (*hall).undoBulk},
}

func (h *hall) byREST(t *testing.T, m *matter, verb, expect string) bool {
	return h.Admin(t, "POST", "comments/"+m.id+"/decision", map[string]any{"decision": verb, "expect": expect}).Status == http.StatusOK
}

func (h *hall) byForm(t *testing.T, m *matter, verb, expect string) bool {
	return h.desk.Press(t, "comments/"+m.id+"/act", url.Values{"do": {verb}, "expect": {expect}}).Status == http.StatusSeeOther
}

func (h *hall) byBulk(t *testing.T, m *matter, verb, expect string) bool {
	var out struct{ Results []struct{ Error any } }
	h.Admin(t, "POST", "decisions", map[string]any{"ids": []string{m.id}, "decision": verb, "expect": expect}).JSON(t, &out)
	return len(out.Results) == 1 && out.Results[0].Error == nil
}

func (h *hall) last(t *testing.T, m *matter) string {
	return fmt.Sprint(h.number(t, "SELECT max(decision_id) FROM decisions WHERE comment_id = ?", m.id))
}

func (h *hall) undoREST(t *testing.T, m *matter) {
	h.Admin(t, "POST", "decisions/"+h.last(t, m)+"/undo", nil)
}

func (h *hall) undoForm(t *testing.T, m *matter) {
	h.desk.Press(t, "decisions/"+h.last(t, m)+"/undo", nil)
}

func (h *hall) undoBulk(t *testing.T, m *matter) {
	h.Admin(t, "POST", "decisions/"+m.batch+"/undo", nil)
}

// labels are the buttons by which a card takes a decision, by status and verb.
var labels = map[string]string{
	"pending approve": "Approve", "pending reject": "Reject", "pending spam": "Spam",
	"approved reject": "Reject", "rejected approve": "Restore", "spam approve": "Restore", "deleted restore": "Restore",
	"approved undo": "Undo", "rejected undo": "Undo", "spam undo": "Undo", "deleted undo": "Undo",
}

// button waits until the card of a comment shows how it stands, and returns
// what one of its buttons carries.
func (h *hall) button(t *testing.T, m *matter, status, label string) (message int64, data string) {
	t.Helper()
	apptest.Eventually(t, 2*time.Minute, "the card of "+m.text+" has the button "+label, func() bool {
		for _, card := range h.Bot.Messages(apptest.Group) {
			if strings.Contains(card.Text, m.text) && (status == "pending") == !strings.Contains(strings.Join(card.Labels(), " "), "Undo") {
				message, data = card.ID, carried(card, label)
			}
		}
		return data != ""
	})
	return message, data
}

func carried(card fakebot.Message, label string) string {
	for _, row := range card.Buttons {
		for _, b := range row {
			if strings.Contains(b.Text, label) {
				return b.Data
			}
		}
	}
	return ""
}

func (h *hall) press(message int64, data string) {
	h.presses.Add(1)
	h.Bot.PressData(apptest.Group, message, data, apptest.Moderator)
}

// settled waits until a decision was logged since the mark.
func (h *hall) settled(t *testing.T, m *matter) {
	t.Helper()
	apptest.Eventually(t, time.Minute, "a decision about "+m.text+" is taken", func() bool {
		return h.number(t, "SELECT count(*) FROM decisions WHERE comment_id = ? AND decision_id > ?", m.id, m.decision) > 0
	})
}

// transition is a line of the table. by is what makes a pending comment what
// the line begins with.
type transition struct{ from, by, verb, to string }

// transitions are all decisions from all statuses, and taking each back.
func transitions() (all []transition) {
	stands := map[string]string{"approve": "approved", "reject": "rejected", "spam": "spam", "delete": "deleted"}
	for _, by := range []string{"", "approve", "reject", "spam", "delete"} {
		from := stands[by]
		if by == "" {
			from = "pending"
		}
		for _, verb := range []string{"approve", "reject", "spam", "delete", "restore", "undo"} {
			to := stands[verb]
			switch {
			case verb == "undo" && by == "":
				continue
			case verb == "undo" || verb == "restore" && from == "deleted":
				to = "pending"
			case verb == "restore":
				to = from
			}
			all = append(all, transition{from, by, verb, to})
		}
	}
	return all
}

// wanted is what a transition leaves, by what the parts of the trace mean. Of
// the reference alone; the channels are compared with that.
func (tr transition) wanted(t *testing.T, got trace) {
	t.Helper()
	changed := 1
	if tr.from == tr.to {
		changed = 0
	}
	decided := 0
	for _, e := range got.Events {
		if strings.HasPrefix(e, "comment.decided "+tr.from+">"+tr.to) {
			decided++
		}
	}
	if len(got.Log) != changed || len(got.Audit) != changed || decided != changed || !strings.HasPrefix(got.State, tr.to+", ") {
		t.Errorf("%s of what is %s: %+v", tr.verb, tr.from, got)
	}
	if asked := strings.Contains(got.State, "task open"); asked != (tr.to == "pending") {
		t.Errorf("%s of what is %s: %s", tr.verb, tr.from, got.State)
	}
}

// MOD-13: the same decision leaves the same, whichever way it was taken.
func TestMOD_13_EveryDecisionLeavesTheSameWhicheverWayItCame(t *testing.T) {
	t.Parallel()
	h, cards := newHall(t, false), newHall(t, true)
	for _, tr := range transitions() {
		var reference trace
		for i, c := range channels {
			m := h.ask(t)
			h.bring(t, m, tr.by)
			if tr.verb == "undo" {
				c.undo(h, t, m)
			} else if !c.take(h, t, m, tr.verb, tr.from) {
				t.Errorf("%s of what is %s was refused by %s", tr.verb, tr.from, c.name)
			}
			got := h.trace(t, m)
			if i == 0 {
				reference = got
				tr.wanted(t, got)
			} else if diff := cmp.Diff(reference, got); diff != "" {
				t.Errorf("%s of what is %s by %s (-REST +%s):\n%s", tr.verb, tr.from, c.name, c.name, diff)
			}
		}
		label := labels[tr.from+" "+tr.verb]
		if label == "" {
			continue // no card offers that
		}
		m := cards.ask(t)
		cards.bring(t, m, tr.by)
		cards.press(cards.button(t, m, tr.from, label))
		cards.settled(t, m)
		if diff := cmp.Diff(reference, cards.trace(t, m)); diff != "" {
			t.Errorf("%s of what is %s by card (-REST +card):\n%s", tr.verb, tr.from, diff)
		}
	}
}

// What a rule decides leaves what a person's decision leaves; only that nobody
// was asked, so that no task is done, and that the audit log tells of people.
func TestMOD_13_ARuleLeavesWhatAPersonLeaves(t *testing.T) {
	t.Parallel()
	h := newHall(t, false)
	people := map[string]*matter{"approve": h.ask(t), "spam": h.ask(t)}
	for verb, by := range people {
		h.byREST(t, by, verb, "pending")
	}
	h.under(t, "first-comment")
	for verb, effect := range map[string]string{"approve": "trust", "spam": "ban"} {
		by := people[verb]
		want := h.trace(t, by)
		first := h.Post(t, apptest.Draft{Post: "/known/" + effect, Text: "A first word of somebody for whom there is a " + effect + ".", Device: "device-of-" + effect + "-0123456789"}).Comment.ID
		h.AwaitAsked(t, time.Minute, first)
		if got := h.Admin(t, "POST", "rules", map[string]any{"comment": first, "effect": effect}); got.Status != http.StatusCreated {
			t.Fatalf("%d: %s", got.Status, got.Body)
		}
		h.posts++
		m := &matter{event: h.number(t, "SELECT max(event_id) FROM outbox"), decision: h.number(t, "SELECT max(decision_id) FROM decisions"), audit: h.number(t, "SELECT max(audit_id) FROM audit")}
		m.id = h.honest(t, fmt.Sprint("/matter/", h.posts), effect)
		h.settled(t, m)
		got := trace{Events: h.rows(t, "SELECT kind FROM outbox WHERE event_id > ? AND json_extract(payload, '$.comment') = ? ORDER BY event_id", m.event, number(t, m.id)),
			Log: h.rows(t, "SELECT verb || ' ' || from_status || '>' || to_status FROM decisions WHERE comment_id = ?", m.id)}
		if diff := cmp.Diff([]string{"comment.submitted", "comment.decided"}, got.Events); diff != "" {
			t.Errorf("%s: %s", effect, diff)
		}
		if cmp.Diff(want.Log, got.Log) != "" {
			t.Errorf("%s: a person leaves %+v, the rule %+v", effect, want, got)
		}
		state := "SELECT c.status || c.status_before || c.visibility || c.revision || p.comment_count || p.root_count || p.version FROM comments c JOIN posts p USING (site_id, post_id) WHERE c.comment_id = ?"
		if a, b := h.rows(t, state, by.id), h.rows(t, state, m.id); cmp.Diff(a, b) != "" {
			t.Errorf("%s: a person leaves %s, the rule %s", effect, a, b)
		}
	}
}

// honest posts what nothing speaks against: with the form, and no sooner than
// people can write.
func (h *hall) honest(t *testing.T, post, effect string) string {
	t.Helper()
	at := func(d time.Duration) []string {
		return []string{"X-Postil-Now", fmt.Sprint(time.Now().Add(d).UnixMilli())}
	}
	var form struct{ Token string }
	h.Must(t, http.StatusOK, "GET", "/api/v1/sites/blog/form?post="+url.QueryEscape(post), nil, at(-time.Minute)...).JSON(t, &form)
	var p apptest.Posted
	h.Must(t, http.StatusAccepted, "POST", "/api/v1/sites/blog/comments", map[string]any{"post": post, "text": "Thank you, that is what I was looking for, and a " + effect + " as well.", "author": map[string]any{"name": "Ann"},
		"device": "device-of-" + effect + "-0123456789", "form": map[string]any{"token": form.Token, "trap": ""}}, at(0)...).JSON(t, &p)
	return p.Comment.ID
}

// MOD-11: whoever decides about what is decided already changes nothing and is
// told; who was first wins, however many press at once.
func TestMOD_11_OneDecisionWinsWhicheverWaysTheOthersCame(t *testing.T) {
	t.Parallel()
	h := newHall(t, true)
	verbs := map[string]string{"REST": "spam", "form": "reject", "bulk": "delete"}
	for round := range 4 {
		m := h.ask(t)
		message, data := h.button(t, m, "pending", "Approve")
		var all sync.WaitGroup
		held := make([]bool, len(channels))
		csrf := h.desk.CSRF(t)
		for i, c := range channels {
			all.Go(func() {
				if c.name == "form" { // as the script sends it, for the token of the session was read before
					held[i] = h.desk.Send(t, "comments/"+m.id+"/act", url.Values{"csrf": {csrf}, "do": {verbs[c.name]}, "expect": {"pending"}}).Status == http.StatusSeeOther
					return
				}
				held[i] = c.take(h, t, m, verbs[c.name], "pending")
			})
		}
		all.Go(func() { h.press(message, data) })
		all.Wait()
		h.settled(t, m)
		if round == 3 { // late: each asks once more for what it wanted, having seen what was
			for _, c := range channels {
				c.take(h, t, m, verbs[c.name], "pending")
			}
		}
		h.press(message, data) // twice: the screen of a phone that was off
		h.answered(t)
		won := 0
		for _, yes := range held {
			if yes {
				won++
			}
		}
		got := h.trace(t, m)
		if len(got.Log) != 1 || len(got.Audit) != 1 || len(got.Events) != 1 || won > 1 {
			t.Errorf("%d were told that they won: %+v", won, got)
		}
		if byCard := strings.HasPrefix(got.State, "approved, "); byCard != (won == 0) {
			t.Errorf("%d others won: %+v", won, got)
		}
	}
}

// answered waits until the bot has answered every press of this hall.
func (h *hall) answered(t *testing.T) {
	t.Helper()
	apptest.Eventually(t, time.Minute, "every press is answered", func() bool { return len(h.Bot.Answers()) >= int(h.presses.Load()) })
}

// A decision that is taken twice the same way is one.
func TestTheSameDecisionTwiceIsOneByEveryChannel(t *testing.T) {
	t.Parallel()
	h := newHall(t, true)
	twice := func(name string, take func(m *matter)) {
		m := h.ask(t)
		take(m)
		h.settled(t, m)
		once := h.trace(t, m)
		take(m)
		h.answered(t)
		if diff := cmp.Diff(once, h.trace(t, m)); diff != "" {
			t.Errorf("%s leaves something the second time (-once +twice):\n%s", name, diff)
		}
	}
	for _, c := range channels {
		twice(c.name, func(m *matter) { c.take(h, t, m, "reject", "") })
	}
	twice("card", func(m *matter) {
		if m.pressed == "" {
			m.message, m.pressed = h.button(t, m, "pending", "Reject")
		}
		h.press(m.message, m.pressed)
	})
}
