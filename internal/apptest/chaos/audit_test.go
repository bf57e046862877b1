//go:build chaos

package chaos

import (
	"context"
	"fmt"
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
