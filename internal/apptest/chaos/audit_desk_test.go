//go:build chaos

package chaos

import (
	"slices"
	"strconv"
	"strings"

	"github.com/postil/postil/internal/apptest/fakebot"
)

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
