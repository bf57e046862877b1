//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
)

// finding is one way in which the service broke its word.
type finding struct {
	kind string // lost, doubled, stuck, wrong
	text string
}

// audit compares the ledger with the file, the admin API and the chats.
type audit struct {
	w        *world
	file     *file
	found    []finding
	doubles  [][]fakebot.Message // comments with two cards
	acked    int                 // acknowledged presses
	messages map[int64]map[int64]fakebot.Message
}

func (a *audit) say(kind, format string, args ...any) {
	a.found = append(a.found, finding{kind, fmt.Sprintf(format, args...)})
}

// settled looks again and again until nothing is wrong or patience ends, and
// returns what is still wrong. all has every comment asked for by REST.
func (w *world) settled(all bool, patience time.Duration) *audit {
	began, told := time.Now(), false
	for {
		a, err := w.audit(all)
		if err != nil {
			a.say("wrong", "the audit itself failed: %v", err)
		}
		took := time.Since(began)
		if len(a.found) == 0 || took > patience {
			if took > 10*time.Second {
				w.t.Logf("round %d settled slowly: %v", w.ledger.round, took.Round(time.Millisecond))
			}
			w.slowest = max(w.slowest, took)
			return a
		}
		if took > 15*time.Second && !told {
			told = true
			w.t.Logf("round %d (telegram %v) after %v still: %v", w.ledger.round, w.telegram, took.Round(time.Second), a.found[:min(len(a.found), 3)])
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (w *world) audit(all bool) (a *audit, err error) {
	ctx := context.Background()
	a = &audit{w: w}
	var ready readiness
	if _, problem, err := w.node.ask(ctx, "GET", "/readyz", "", nil, &ready); err != nil || problem != "" {
		return a, fmt.Errorf("readyz: %s %w", problem, err)
	}
	if ready.Status != "ok" {
		a.say("stuck", "readyz says %s: %v", ready.Status, ready.Checks)
		return a, nil
	}
	if w.telegram && w.bot.Pending() > 0 {
		a.say("stuck", "%d updates from Telegram are not taken", w.bot.Pending())
		return a, nil
	}
	if a.file, err = readFile(filepath.Join(w.node.data, "postil.db")); err != nil {
		return a, err
	}
	a.waiting()
	if len(a.found) > 0 {
		return a, nil // on its way
	}
	a.comments()
	a.decisions()
	a.presses()
	if w.telegram {
		a.cards()
	}
	return a, firstError(a.threads(ctx), a.rest(ctx, all))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// waiting looks for work that is not done.
func (a *audit) waiting() {
	if a.file.outbox > 0 {
		a.say("stuck", "%d events wait in the outbox", a.file.outbox)
	}
	for _, r := range a.file.rows {
		open := r.review.String == "open"
		asks := r.status == "pending" || r.status == "approved" && r.draft.Valid
		switch {
		case !r.checked:
			a.say("stuck", "comment %d (%s) is not checked", r.id, r.status)
		case asks && !open:
			a.say("stuck", "comment %d (%s, edit waits: %v) has no open review; history %v", r.id, r.status, r.draft.Valid, r.history)
		case open && !asks:
			a.say("wrong", "comment %d (%s) has an open review; history %v", r.id, r.status, r.history)
		case open && !r.announced.Valid:
			a.say("stuck", "comment %d (%s) is not announced", r.id, r.status)
		}
		for _, c := range r.cards {
			if a.w.telegram && c.due.Valid {
				a.say("stuck", "the card of comment %d is due", r.id)
			}
		}
	}
}

// comments looks for every comment that was acknowledged, with its text, and
// for those that are there twice.
func (a *audit) comments() {
	byToken := map[string][]*row{}
	for _, r := range a.file.rows {
		t, _, _ := strings.Cut(r.text, " ")
		byToken[t] = append(byToken[t], r)
	}
	a.w.ledger.with(func() {
		for t, e := range a.w.ledger.entries {
			if n := len(byToken[t]); n > 1 {
				a.say("doubled", "comment %s was sent %d times and is there %d times", t, e.sent, n)
			}
			if e.id != "" {
				a.comment(e)
			}
		}
		for t := range byToken {
			if a.w.ledger.entries[t] == nil {
				a.say("wrong", "comment %q was never sent", t)
			}
		}
	})
}

func (a *audit) comment(e *entry) {
	r := a.file.byID(e.id)
	if r == nil {
		a.say("lost", "comment %s (id %s) of round %d", e.token, e.id, e.round)
		return
	}
	allowed := append([]string{e.text}, e.maybe...)
	if slices.ContainsFunc(r.history, func(d decision) bool { return d.verb == "restore" && d.from == "approved" }) {
		allowed = append(allowed, e.earlier...) // a moderator kept the text that was public
	}
	if !slices.Contains(allowed, r.text) && !(r.draft.Valid && slices.Contains(allowed, r.draft.String)) {
		a.say("lost", "the text %q of comment %s (%s): it says %q, the edit that waits %q; history %v", allowed, e.id, r.status, r.text, r.draft.String, r.history)
	}
	removals := 0
	for _, d := range r.history {
		if d.channel == "author" {
			removals++
		}
	}
	switch {
	case e.removed && removals == 0:
		a.say("lost", "the deletion of comment %s; history %v", e.id, r.history)
	case removals > e.removing:
		a.say("doubled", "comment %s was deleted %d times by its author who asked %d times; history %v", e.id, removals, e.removing, r.history)
	}
}

// decisions looks for every acknowledged decision and lets the history of each
// comment explain its status.
func (a *audit) decisions() {
	byReason, undone := map[string][]decision{}, map[int64]int{}
	for _, d := range a.file.decisions {
		if d.why != "" && d.channel == "rest" {
			byReason[d.why] = append(byReason[d.why], d)
		}
		if d.undoes.Valid {
			undone[d.undoes.Int64]++
		}
	}
	for id, n := range undone {
		if n > 1 {
			a.say("doubled", "decision %d was undone %d times", id, n)
		}
	}
	a.w.ledger.with(func() {
		for reason, w := range a.w.ledger.wishes {
			a.wish(w, byReason[reason], undone)
		}
	})
	for _, r := range a.file.rows {
		at := "pending"
		for _, d := range r.history {
			if d.from != at {
				a.say("wrong", "comment %d: the history has a gap before decision %d: %v", r.id, d.id, r.history)
			}
			at = d.to
		}
		if at != r.status {
			a.say("lost", "comment %d is %s, its history says %s: %v", r.id, r.status, at, r.history)
		}
	}
}

func (a *audit) wish(w *wish, taken []decision, undone map[int64]int) {
	if len(taken) > 1 {
		a.say("doubled", "decision %s (%s) about comment %s was taken %d times: %v", w.reason, w.verb, w.comment, len(taken), taken)
	}
	if w.decision == "" {
		return
	}
	id, _ := strconv.ParseInt(w.decision, 10, 64)
	if len(taken) == 0 || taken[0].id != id {
		a.say("lost", "decision %s (%s) about comment %s, acknowledged as %d: %v", w.reason, w.verb, w.comment, id, taken)
	}
	if w.undone && undone[id] == 0 {
		a.say("lost", "the undo of decision %d about comment %s", id, w.comment)
	}
}

// verbOf says what the letter in a button does, and the words that acknowledge it.
var verbOf = map[string]struct{ verb, said string }{
	"a": {"approve", "✅ Approved"}, "r": {"reject", "🚫 Rejected"}, "s": {"spam", "🗑 Spam"}, "o": {"restore", ""}, "u": {"undo", "↩️ Taken back"},
}

// presses compares what buttons did with how often they were pressed and how
// often the answer said that it was done.
func (a *audit) presses() {
	type deed struct {
		comment int64
		user    int64
		verb    string
	}
	taken, pressed, acked := map[deed]int{}, map[deed]int{}, map[deed]int{}
	for _, d := range a.file.decisions {
		if d.channel == "telegram" {
			user, _ := strconv.ParseInt(strings.TrimPrefix(d.actor, "telegram:"), 10, 64)
			taken[deed{d.comment, user, d.verb}]++
		}
	}
	answers := map[string]string{}
	for _, ans := range a.w.bot.Answers() {
		answers[ans.ID] = ans.Text
	}
	a.w.ledger.with(func() {
		for _, p := range a.w.ledger.presses {
			parts := strings.Split(p.data, ":")
			comment, err := strconv.ParseInt(parts[2], 36, 64)
			does := verbOf[parts[1]]
			if err != nil || does.verb == "" {
				a.say("wrong", "a button carries %q", p.data)
				continue
			}
			d := deed{comment, p.user, does.verb}
			pressed[d]++
			if does.said != "" && strings.HasPrefix(answers[p.callback], does.said) {
				acked[d]++
				a.acked++
			}
		}
	})
	for d, n := range taken {
		if n > pressed[d] {
			a.say("doubled", "user %d pressed %s %d times under comment %d, and it was done %d times: %v", d.user, d.verb, pressed[d], d.comment, n, a.file.rows[d.comment].history)
		}
	}
	for d, n := range acked {
		if taken[d] < n {
			a.say("lost", "user %d was told %d times of %s under comment %d, and it was done %d times", d.user, n, d.verb, d.comment, taken[d])
		}
	}
}

// cards looks whether moderators see what is true.
func (a *audit) cards() {
	a.messages = map[int64]map[int64]fakebot.Message{}
	shown := map[int64][]fakebot.Message{}
	for i := range sites {
		chat := chatOf(i)
		a.messages[chat] = map[int64]fakebot.Message{}
		for _, m := range a.w.bot.Messages(chat) {
			a.messages[chat][m.ID] = m
			if t := tokenIn(m.Text); t != "" {
				id := a.idOf(t)
				shown[id] = append(shown[id], m)
			}
		}
	}
	for id, list := range shown {
		if len(list) > 1 && id != 0 {
			a.doubles = append(a.doubles, list)
		}
	}
	for _, r := range a.file.rows {
		for _, c := range r.cards {
			if c.message != 0 {
				a.card(r, c)
			}
		}
		asked := r.review.String == "open" && r.announced.Int64 >= a.w.since.UnixMilli()
		if asked && !slices.ContainsFunc(r.cards, func(c card) bool { return c.message != 0 }) {
			a.say("lost", "comment %d waits and no card asks for it; history %v", r.id, r.history)
		}
	}
}

// tokenIn finds the mark of the comment that a message shows, "" for none.
func tokenIn(text string) string {
	_, rest, ok := strings.Cut(text, "Reader t")
	if !ok || len(rest) < 7 {
		return ""
	}
	return "t" + rest[:7]
}

func (a *audit) idOf(token string) (id int64) {
	a.w.ledger.with(func() {
		if e := a.w.ledger.entries[token]; e != nil {
			id, _ = strconv.ParseInt(e.id, 10, 64)
		}
	})
	return id
}

// card compares a message with its comment: every button carries the status
// and the revision that it was made for.
func (a *audit) card(r *row, c card) {
	m, ok := a.messages[c.chat][c.message]
	switch {
	case !ok:
		a.say("lost", "the card of comment %d is message %d, which was never sent", r.id, c.message)
	case len(m.Buttons) == 0 && r.status != "deleted":
		a.say("stuck", "the card of comment %d (%s) has no buttons: %q", r.id, r.status, m.Text)
	}
	for _, b := range m.Buttons {
		parts := strings.Split(b[0].Data, ":")
		if parts[4] != r.status[:1] || parts[3] != strconv.FormatInt(int64(r.revision), 36) {
			a.say("stuck", "the card of comment %d (%s, revision %d) offers %q: %q; due %v shows %q; history %v", r.id, r.status, r.revision, b[0].Data, m.Text, c.due, c.shows, r.history)
		}
	}
}

// threads compares what readers get with what is approved.
func (a *audit) threads(ctx context.Context) error {
	want := map[place]map[string]bool{}
	for _, r := range a.file.rows {
		at := place{r.site, r.post}
		if want[at] == nil {
			want[at] = map[string]bool{}
		}
		if a.file.public(r) {
			want[at][strconv.FormatInt(r.id, 10)] = true
		}
	}
	for at, ids := range want {
		if err := a.thread(ctx, at, ids); err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) thread(ctx context.Context, at place, want map[string]bool) error {
	listed, count, cursor := map[string]bool{}, 0, ""
	for {
		page, err := a.w.node.thread(ctx, at, cursor)
		if err != nil {
			return err
		}
		count = page.Count
		for _, c := range page.Comments {
			if !c.Deleted {
				listed[c.ID] = true
			}
		}
		if page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	for id := range want {
		if !listed[id] {
			a.say("stuck", "comment %s is approved and not listed in %v", id, at)
		}
	}
	for id := range listed {
		if !want[id] {
			a.say("wrong", "comment %s is listed in %v and must not be", id, at)
		}
	}
	if count != len(listed) {
		a.say("wrong", "thread %v counts %d comments and lists %d", at, count, len(listed))
	}
	return nil
}

// rest compares the admin API with the file, for the comments of this round
// and the one before or for all.
func (a *audit) rest(ctx context.Context, all bool) error {
	var ids []string
	a.w.ledger.with(func() {
		for _, e := range a.w.ledger.entries {
			if e.id != "" && (all || e.round == a.w.ledger.round) {
				ids = append(ids, e.id)
			}
		}
	})
	for _, id := range ids {
		var d detail
		status, problem, err := a.w.node.ask(ctx, "GET", "/api/v1/admin/comments/"+id, adminKey, nil, &d)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			a.say("lost", "the admin API says of comment %s: %d %s", id, status, problem)
			continue
		}
		a.same(d, a.file.byID(id))
	}
	return nil
}

func (a *audit) same(d detail, r *row) {
	c := d.Comment
	if r == nil || c.Status != r.status || c.Text != r.text || len(c.History) != len(r.history) ||
		(c.Draft != nil) != r.draft.Valid || (c.CheckedAt != nil) != r.checked {
		a.say("wrong", "the admin API and the file disagree: %+v and %+v", c, r)
		return
	}
	asks := r.status == "pending" || r.draft.Valid && r.status == "approved"
	if open := c.Review.State != nil && *c.Review.State == "open"; open != asks || open && c.Review.AnnouncedAt == nil {
		a.say("stuck", "the admin API says of comment %s (%s): review %v", c.ID, c.Status, c.Review)
	}
}
