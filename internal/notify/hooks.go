package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/postil/postil/internal/outbound"
	"github.com/postil/postil/internal/postil"
)

// Store keeps webhooks and what they are still to be told.
type Store interface {
	Record
	AddDeliveries(ctx context.Context, ev postil.Event) (int, error)
	Webhooks(ctx context.Context) ([]postil.Webhook, error)
	DueDeliveries(ctx context.Context, hook int64, limit int) ([]postil.Delivery, error)
	NextDelivery(ctx context.Context) (time.Time, error)
	DeliveryTried(ctx context.Context, d postil.Delivery) error
}

// Options of webhooks.
type Options struct {
	Networks []netip.Prefix                       // networks that may be called though they are not public
	Secret   func(hook int64, version int) []byte // what calls are signed with
	Now      func() time.Time                     // default: the system's clock; the same as the store's
	After    func(time.Duration) <-chan time.Time // default: time.After
}

// How long things take.
const (
	callTime   = 10 * time.Second
	idle       = 30 * time.Second
	grace      = 3 * time.Second // for a call that is under way when the service stops
	oldSecret  = 24 * time.Hour  // a rotated secret still signs, beside the new one
	mostBody   = 64 << 10        // of an answer; nothing in it matters
	atATime    = 100
	longestAsk = 24 * time.Hour // what a receiver may ask us to wait
)

// pauses are the waits after the first, second, … failure. After the last one
// the event is given up: it took two days, and somebody has to look.
var pauses = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// meantNetwork is what to do about an address that is refused.
const meantNetwork = "list its network in POSTIL_WEBHOOK_NETWORKS if it is meant"

// Hooks tells webhooks of events.
type Hooks struct {
	lg    *slog.Logger
	store Store
	opt   Options
	http  *http.Client
	awake chan struct{}

	mu   sync.Mutex
	busy map[int64]bool      // webhooks that are being told
	rest map[int64]time.Time // webhooks that failed, and when they are tried again
}

// New returns webhooks that send nothing until Run.
func New(lg *slog.Logger, store Store, opt Options) *Hooks {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.After == nil {
		opt.After = time.After
	}
	client := outbound.Client(outbound.Options{Networks: opt.Networks, Timeout: callTime, Advice: meantNetwork})
	return &Hooks{lg: lg, store: store, opt: opt, http: client, awake: make(chan struct{}, 1), busy: map[int64]bool{}, rest: map[int64]time.Time{}}
}

// Kinds are the events that webhooks can be told of.
func Kinds() []postil.EventKind {
	return []postil.EventKind{postil.ReviewRequested, postil.CommentDecided, postil.CommentUpdated, postil.AlertRaised}
}

// HandleEvent notes an event for the webhooks that want it. It is idempotent
// and calls nobody.
func (h *Hooks) HandleEvent(ctx context.Context, ev postil.Event) error {
	if ev.HookEvent() == "" {
		return nil
	}
	n, err := h.store.AddDeliveries(ctx, ev)
	if err == nil && n > 0 {
		h.Wake()
	}
	return err
}

// Wake makes Run look for due deliveries now. It never blocks.
func (h *Hooks) Wake() {
	select {
	case h.awake <- struct{}{}:
	default:
	}
}

// Run sends what is due until ctx ends. What is on its way by then is finished.
func (h *Hooks) Run(ctx context.Context) error {
	defer h.http.CloseIdleConnections()
	var calls sync.WaitGroup
	defer calls.Wait()
	for ctx.Err() == nil {
		wait := h.pass(ctx, &calls)
		select {
		case <-ctx.Done():
		case <-h.awake:
		case <-h.opt.After(wait):
		}
	}
	return nil
}

// pass starts what can be done now and returns how long nothing else comes up
// by itself.
func (h *Hooks) pass(ctx context.Context, calls *sync.WaitGroup) time.Duration {
	hooks, err := h.store.Webhooks(ctx)
	if err != nil {
		if ctx.Err() == nil {
			h.lg.Error("webhooks could not be read", "err", err)
		}
		return idle
	}
	now, wait := h.opt.Now(), idle
	if next, err := h.store.NextDelivery(ctx); err == nil && next.After(now) {
		wait = min(wait, next.Sub(now))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range hooks {
		switch until := h.rest[w.ID]; {
		case !w.Active, h.busy[w.ID]: // it wakes us at its end
		case until.After(now):
			wait = min(wait, until.Sub(now))
		default:
			h.busy[w.ID] = true
			calls.Go(func() { h.tell(ctx, w) })
		}
	}
	return max(wait, time.Millisecond)
}

// tell sends a webhook what it is due, one event after the other. After a
// failure it is left alone for a while.
func (h *Hooks) tell(ctx context.Context, w postil.Webhook) {
	told := false
	defer func() {
		h.mu.Lock()
		delete(h.busy, w.ID)
		h.mu.Unlock()
		if told {
			h.Wake() // there may be more
		}
	}()
	due, err := h.store.DueDeliveries(ctx, w.ID, atATime)
	if err != nil {
		if ctx.Err() == nil {
			h.lg.Error("due deliveries could not be read", "webhook", w.ID, "err", err)
		}
		return
	}
	for _, d := range due {
		if ctx.Err() != nil {
			return
		}
		told = true
		if !h.deliver(ctx, w, d) {
			return
		}
	}
}

// deliver sends one event and records what became of it; goOn is false when the
// webhook is to be left alone.
func (h *Hooks) deliver(ctx context.Context, w postil.Webhook, d postil.Delivery) (goOn bool) {
	working := context.WithoutCancel(ctx)
	n, err := note(working, h.store, d.Event)
	var r Result
	if err == nil {
		calling, cancel := context.WithCancel(working)
		stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
		r = h.call(calling, w, n)
		stop()
		cancel()
	} else {
		r.Problem = "the comment could not be read"
		h.lg.Error("an event could not be put into words", "webhook", w.ID, "err", err)
	}
	now := h.opt.Now()
	d.Status, d.Problem, d.State, d.Due = r.Status, r.Problem, postil.DeliveryDone, now
	if !r.OK() {
		pause := max(pauses[min(d.Attempts, len(pauses)-1)], min(r.after, longestAsk))
		d.State, d.Due = postil.DeliveryDue, now.Add(pause)
		h.mu.Lock()
		h.rest[w.ID] = now.Add(min(pause, time.Minute)) // the others need not wait as long as this one
		h.mu.Unlock()
		if d.Attempts >= len(pauses) {
			d.State = postil.DeliveryDead
			h.lg.Error("an event was given up; replay it when the receiver is well", "webhook", w.ID, "event", int64(d.Event.ID), "problem", r.Problem)
		}
	}
	if err := h.store.DeliveryTried(working, d); err != nil {
		h.lg.Error("a delivery could not be recorded; it is sent again", "webhook", w.ID, "err", err)
		h.mu.Lock()
		h.rest[w.ID] = now.Add(pauses[0])
		h.mu.Unlock()
		return false
	}
	return r.OK()
}

// Result is what became of one call.
type Result struct {
	Status  int // of the answer, 0: there was none
	Took    time.Duration
	Problem string // in words, without the address; "" when all is well

	after time.Duration // what the receiver asks us to wait
}

// OK reports whether the receiver has taken it.
func (r Result) OK() bool { return r.Problem == "" }

// Test sends a sample to a webhook, once, and says what became of it: the
// status of the answer, 0 when there was none, and a problem, "" for none.
func (h *Hooks) Test(ctx context.Context, w postil.Webhook) (status int, took time.Duration, problem string) {
	r := h.call(ctx, w, sample(w, h.opt.Now()))
	return r.Status, r.Took, r.Problem
}

// call makes one call.
func (h *Hooks) call(ctx context.Context, w postil.Webhook, n Note) (r Result) {
	began := time.Now()
	defer func() { r.Took = time.Since(began) }()
	raw, err := body(w.Format, n)
	if err != nil {
		return Result{Problem: "the event could not be put into words"}
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(raw))
	if err != nil {
		return Result{Problem: "the address cannot be called"}
	}
	h.sign(req, w, n.ID, raw)
	resp, err := h.http.Do(req)
	if err != nil {
		return Result{Problem: unreached(err)}
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, mostBody))
	r.Status = resp.StatusCode
	switch {
	case r.Status >= 200 && r.Status < 300:
	case r.Status >= 300 && r.Status < 400:
		r.Problem = fmt.Sprintf("the receiver answers %d and wants us to go elsewhere; set the address that answers itself", r.Status)
	default:
		r.Problem = fmt.Sprintf("the receiver answers %d", r.Status)
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			r.after = time.Duration(seconds) * time.Second
		}
	}
	return r
}

// unreached says why there was no answer, without the address: its path may be
// a secret.
func unreached(err error) string {
	if errors.Is(err, outbound.ErrPrivate) {
		return outbound.ErrPrivate.Error() + "; " + meantNetwork
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		if outer.Timeout() {
			return "the receiver did not answer in time"
		}
		err = outer.Err
	}
	return "the receiver cannot be reached: " + err.Error()
}

// sign says who calls and proves it. For a day after a rotation both secrets
// sign, so that receivers can change theirs without losing an event.
func (h *Hooks) sign(r *http.Request, w postil.Webhook, id string, raw []byte) {
	now := h.opt.Now()
	at := strconv.FormatInt(now.Unix(), 10)
	versions := []int{w.Version}
	if w.Version > 1 && now.Sub(w.Rotated) < oldSecret {
		versions = append(versions, w.Version-1)
	}
	var signatures []string
	for _, v := range versions {
		mac := hmac.New(sha256.New, h.opt.Secret(w.ID, v))
		_, _ = mac.Write([]byte(id + "." + at + "."))
		_, _ = mac.Write(raw)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Postil-Webhook/1")
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", at)
	r.Header.Set("webhook-signature", strings.Join(signatures, " "))
}

// Secret returns a secret as its owner is shown it, in the way of Standard
// Webhooks: "whsec_" and the key in base64.
func (h *Hooks) Secret(w postil.Webhook) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(h.opt.Secret(w.ID, w.Version))
}
