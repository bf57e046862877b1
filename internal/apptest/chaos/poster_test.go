//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// poster is a person with a browser: posts, answers, edits, takes back, and
// sends again what got no answer. It lives as long as the test.
type poster struct {
	w      *world
	rng    *rand.Rand
	device string // "" for one whose browser keeps nothing
	forms  map[place]form
	mine   []*entry
	again  *attempt // sent, no answer, to be sent again
	left   int      // new comments in this round
}

type form struct {
	token string
	at    time.Time
}

// attempt is a new comment that may be sent several times.
type attempt struct {
	entry *entry
	body  map[string]any
	key   string // Idempotency-Key, or ""
}

func (p *poster) run(ctx context.Context) {
	for ctx.Err() == nil {
		p.step()
		rest(ctx, time.Duration(1+p.rng.IntN(25))*time.Millisecond)
	}
}

// rest waits for d or the end of ctx.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (p *poster) step() {
	switch dice := p.rng.IntN(100); {
	case p.again != nil:
		p.send(p.again)
	case dice < 20 && len(p.mine) > 0:
		p.edit(p.lately())
	case dice < 28 && len(p.mine) > 0:
		p.remove(p.lately())
	case dice < 32 && p.device != "":
		p.fetchForm(p.w.somewhere(p.rng))
	case p.left > 0:
		p.left--
		p.send(p.compose(p.w.somewhere(p.rng)))
	}
}

// lately is one of the comments that this person wrote last.
func (p *poster) lately() *entry {
	from := max(0, len(p.mine)-12)
	return p.mine[from+p.rng.IntN(len(p.mine)-from)]
}

func (p *poster) compose(at place) *attempt {
	e := p.w.ledger.fresh(at)
	text := e.token + " nobody has said this before, and it is *kept*."
	a := &attempt{entry: e, body: map[string]any{"post": at.post, "author": map[string]any{"name": "Reader " + e.token}, "text": text}}
	if parent := p.w.public.one(at, p.rng); parent != "" && p.rng.IntN(3) == 0 {
		a.body["parent_id"] = parent
	}
	if p.device != "" {
		a.body["device"] = p.device
		// A form is believed once it is older than a person needs to fill it in.
		if f, ok := p.forms[at]; ok && time.Since(f.at) > 2100*time.Millisecond {
			delete(p.forms, at)
			a.body["form"] = map[string]any{"token": f.token, "trap": ""}
		}
	}
	if p.rng.IntN(2) == 0 {
		a.key = "key-" + e.token
	}
	p.w.ledger.with(func() { e.maybe = []string{text} })
	return a
}

// send posts the comment. One in eight hangs up almost at once.
func (p *poster) send(a *attempt) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if p.rng.IntN(8) == 0 {
		time.AfterFunc(time.Duration(p.rng.IntN(6000))*time.Microsecond, cancel)
	}
	var header []string
	if a.key != "" {
		header = []string{"Idempotency-Key", a.key}
	}
	e := a.entry
	p.w.ledger.with(func() { e.sent++ })
	var got posted
	status, problem, err := p.w.node.ask(ctx, "POST", "/api/v1/sites/"+e.place.site+"/comments", "", a.body, &got, header...)
	switch {
	case errors.As(err, new(errCut)):
		p.again = a // with or without a key: the service recognises both
	case err != nil || status >= 500 && status != http.StatusServiceUnavailable:
		p.again = nil
		p.w.ledger.unfit(fmt.Sprint("POST comments ", err), status, problem)
	case status == http.StatusServiceUnavailable:
		p.again = a
	case status == http.StatusAccepted:
		p.again = nil
		p.w.ledger.with(func() { e.id, e.key, e.text, e.maybe = got.Comment.ID, got.EditKey, a.body["text"].(string), nil })
		p.mine = append(p.mine, e)
	case status == http.StatusBadRequest && a.body["parent_id"] != nil:
		// The parent was taken away meanwhile; if an earlier try came through, it counts as never answered.
		p.again = nil
	default:
		p.again = nil
		p.w.ledger.unfit("POST comments", status, problem)
	}
}

func (p *poster) edit(e *entry) {
	var text string
	p.w.ledger.with(func() {
		text = e.token + " said better, version " + strconv.Itoa(p.rng.IntN(1_000_000)) + "."
		e.maybe = append(e.maybe, text)
	})
	status, problem, err := p.w.node.ask(context.Background(), "PATCH", p.path(e), e.key, map[string]any{"text": text}, nil)
	p.w.ledger.with(func() {
		switch {
		case err != nil || status == http.StatusServiceUnavailable: // nobody knows
		case status == http.StatusOK:
			p.w.ledger.edits++
			e.earlier = append(append(e.earlier, e.text), e.maybe...)
			e.text, e.maybe = text, nil
		default:
			e.maybe = slices.DeleteFunc(e.maybe, func(s string) bool { return s == text })
		}
	})
	p.fits("PATCH comment", status, problem, err)
}

func (p *poster) remove(e *entry) {
	p.w.ledger.with(func() { e.removing++ })
	status, problem, err := p.w.node.ask(context.Background(), "DELETE", p.path(e), e.key, nil, nil)
	if err == nil && status == http.StatusOK {
		p.w.ledger.with(func() {
			if !e.removed {
				p.w.ledger.removes++
			}
			e.removed = true
		})
	}
	p.fits("DELETE comment", status, problem, err)
}

// fits accepts what may happen to somebody whose comment others decide about.
func (p *poster) fits(what string, status int, problem string, err error) {
	switch status {
	case 0, http.StatusOK, http.StatusForbidden, http.StatusConflict, http.StatusServiceUnavailable:
		if err != nil && !errors.As(err, new(errCut)) {
			p.w.ledger.unfit(what+" "+err.Error(), status, problem)
		}
	default:
		p.w.ledger.unfit(what, status, problem)
	}
}

func (p *poster) path(e *entry) string { return "/api/v1/sites/" + e.place.site + "/comments/" + e.id }

func (p *poster) fetchForm(at place) {
	var f struct {
		Token string `json:"token"`
	}
	status, _, err := p.w.node.ask(context.Background(), "GET", "/api/v1/sites/"+at.site+"/form?post="+at.post, "", nil, &f)
	if err == nil && status == http.StatusOK {
		p.forms[at] = form{f.Token, time.Now()}
	}
}
