//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
)

// moderator decides by REST, sends again what got no answer, and sometimes
// takes a decision back.
type moderator struct {
	w     *world
	rng   *rand.Rand
	again *request
	took  []*wish // acknowledged, the latest last
}

// request is a decision that may be sent several times.
type request struct {
	wish *wish
	body map[string]any
}

func (m *moderator) run(ctx context.Context) {
	for ctx.Err() == nil {
		m.step()
		rest(ctx, time.Duration(2+m.rng.IntN(20))*time.Millisecond)
	}
}

func (m *moderator) step() {
	switch dice := m.rng.IntN(100); {
	case m.again != nil:
		m.decide(m.again)
	case dice < 15 && len(m.took) > 0:
		m.undo(m.took[max(0, len(m.took)-1-m.rng.IntN(3))])
	case dice < 25:
		if id := m.w.anyComment(m.rng); id != "" {
			m.decide(m.wanted(id, pick(m.rng, "approve", "reject", "spam"), ""))
		}
	default:
		for _, id := range m.waiting() {
			m.decide(m.wanted(id, pick(m.rng, "approve", "approve", "approve", "reject", "spam"), "pending"))
			if m.again != nil {
				return
			}
		}
	}
}

func pick(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }

func (m *moderator) wanted(comment, verb, expect string) *request {
	w := m.w.ledger.wish(comment, verb)
	body := map[string]any{"decision": verb, "reason": w.reason}
	if expect != "" {
		body["expect"] = expect
	}
	return &request{w, body}
}

// waiting returns a few comments that wait for a person.
func (m *moderator) waiting() (ids []string) {
	var page struct {
		Comments []struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"comments"`
	}
	status, problem, err := m.w.node.ask(context.Background(), "GET", "/api/v1/admin/comments?queue=open&limit=20", adminKey, nil, &page)
	if err == nil && status != http.StatusOK && status != http.StatusServiceUnavailable {
		m.w.ledger.unfit("GET admin/comments", status, problem)
	}
	m.rng.Shuffle(len(page.Comments), func(i, j int) { page.Comments[i], page.Comments[j] = page.Comments[j], page.Comments[i] })
	for _, c := range page.Comments[:min(len(page.Comments), 4)] {
		ids = append(ids, c.ID)
	}
	return ids
}

func (m *moderator) decide(r *request) {
	var got outcome
	status, problem, err := m.w.node.ask(context.Background(), "POST", "/api/v1/admin/comments/"+r.wish.comment+"/decision", adminKey, r.body, &got)
	m.again = nil
	switch {
	case errors.As(err, new(errCut)) || status == http.StatusServiceUnavailable:
		m.again = r
	case err == nil && status == http.StatusOK && got.Changed && got.DecisionID != nil:
		m.w.ledger.with(func() { r.wish.decision = *got.DecisionID })
		m.took = append(m.took, r.wish)
	case err == nil && (status == http.StatusOK || status == http.StatusConflict):
	default:
		m.w.ledger.unfit(fmt.Sprint("POST decision ", err), status, problem)
	}
}

func (m *moderator) undo(w *wish) {
	var got outcome
	status, problem, err := m.w.node.ask(context.Background(), "POST", "/api/v1/admin/decisions/"+w.decision+"/undo", adminKey, nil, &got)
	switch {
	case err == nil && status == http.StatusOK && got.Changed:
		m.w.ledger.with(func() { w.undone = true })
	case err == nil && (status == http.StatusOK || status == http.StatusConflict || status == http.StatusServiceUnavailable):
	case errors.As(err, new(errCut)):
	default:
		m.w.ledger.unfit(fmt.Sprint("POST undo ", err), status, problem)
	}
}

// presser decides by pressing buttons under the latest cards.
type presser struct {
	w    *world
	rng  *rand.Rand
	user fakebot.User
}

func (p *presser) run(ctx context.Context) {
	for ctx.Err() == nil {
		p.step()
		rest(ctx, time.Duration(10+p.rng.IntN(60))*time.Millisecond)
	}
}

func (p *presser) step() {
	chat := chatOf(p.rng.IntN(len(sites)))
	cards := p.w.bot.Messages(chat)
	if len(cards) == 0 {
		return
	}
	card := cards[max(0, len(cards)-1-p.rng.IntN(12))]
	if len(card.Buttons) == 0 {
		return
	}
	row := card.Buttons[0]
	b := row[p.rng.IntN(len(row))]
	callback, err := p.w.bot.Press(chat, card.ID, b.Text, p.user)
	if err != nil {
		return // the card changed at this moment
	}
	p.w.ledger.with(func() {
		p.w.ledger.presses = append(p.w.ledger.presses, &press{callback: callback, data: b.Data, user: p.user.ID, round: p.w.ledger.round})
	})
}

// reader polls threads, tells the others what can be answered, and counts.
type reader struct {
	w   *world
	rng *rand.Rand
}

func (r *reader) run(ctx context.Context) {
	for ctx.Err() == nil {
		at := r.w.somewhere(r.rng)
		page, err := r.w.node.thread(context.Background(), at, "")
		switch {
		case errors.As(err, new(errCut)):
		case err != nil:
			r.w.ledger.unfit(err.Error(), 0, "")
		default:
			r.w.public.set(at, page)
		}
		rest(ctx, time.Duration(5+r.rng.IntN(30))*time.Millisecond)
	}
}
