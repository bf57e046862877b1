// Package alerts tells somebody when the service does something wrong: once
// when it begins, now and then while it lasts, and once when it is over.
//
// What a client did wrong is never an alert, only a figure. The rules are a list
// that says what is measured, from which value on it is trouble, and how long it
// must last; thresholds are asked for at every look, so that they may change
// while the service runs. What is open stands in the store, so that a restart
// repeats nothing.
//
// It knows no channel: it stores what is said, which reaches webhooks, and hands
// it to a Teller. It does not go through the broker, for that may be what the
// trouble is about.
//
// The rule a newcomer would break: an alert is about something that lasts. An
// error is counted; that there were many in five minutes is told.
//
// To add a rule: a name, a value and a threshold where the service is put
// together, a text alert.NAME in package words, and a rule for Prometheus beside
// it in deploy/prometheus-alerts.yml.
package alerts

import (
	"context"
	"log/slog"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Rule is one kind of trouble.
type Rule struct {
	Name string
	// Value measures it; ok is false when it cannot be measured now, and then
	// everything stays as it is.
	Value func(ctx context.Context) (v float64, ok bool)
	Over  func() float64       // from this value on it is trouble; 0 or less turns the rule off
	Lasts time.Duration        // how long it must last
	Says  func(float64) string // what is wrong and what to do, in a sentence
}

// Store keeps incidents.
type Store interface {
	OpenIncidents(ctx context.Context) ([]postil.Incident, error)
	// TellIncident stores what is said of one, and has webhooks told.
	TellIncident(ctx context.Context, i postil.Incident, phase postil.Phase) (postil.Incident, error)
}

// Teller tells a person. What fails is told again with the next look.
type Teller func(ctx context.Context, i postil.Incident, phase postil.Phase) error

const (
	lookEvery = 15 * time.Second
	calmFor   = 2 * time.Minute // that it must be well until it is over
	grows     = 3               // so many times worse than said last is worth saying
)

// Watch looks whether something is wrong.
type Watch struct {
	lg    *slog.Logger
	store Store
	tell  Teller
	now   func(context.Context) time.Time
	again func() time.Duration // between two updates
	rules []Rule

	loaded bool
	states map[string]*state
}

// state is how a rule stands.
type state struct {
	open   *postil.Incident // nil: all is well
	over   time.Time        // since when the value is too high, zero: it is not
	calm   time.Time        // since when it is well again while an incident is open
	untold []telling        // what could not be told so far
}

type telling struct {
	incident postil.Incident
	phase    postil.Phase
}

// New returns a watch. again says how long after something was said of an
// incident it is spoken of once more.
func New(lg *slog.Logger, store Store, tell Teller, now func(context.Context) time.Time, again func() time.Duration, rules []Rule) *Watch {
	w := &Watch{lg: lg, store: store, tell: tell, now: now, again: again, rules: rules, states: map[string]*state{}}
	for _, r := range rules {
		w.states[r.Name] = &state{}
	}
	return w
}

// Run looks every few seconds until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		w.Look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Look measures everything once.
func (w *Watch) Look(ctx context.Context) {
	w.load(ctx)
	now := w.now(ctx)
	for _, r := range w.rules {
		s, over := w.states[r.Name], r.Over()
		if v, ok := r.Value(ctx); ok {
			w.judge(ctx, r, s, now, v, over > 0 && v >= over)
		}
		w.speak(ctx, s)
	}
}

// load takes up what was open before a restart.
func (w *Watch) load(ctx context.Context) {
	if w.loaded {
		return
	}
	open, err := w.store.OpenIncidents(ctx)
	if err != nil {
		return // it is tried again
	}
	w.loaded = true
	for _, i := range open {
		if s := w.states[i.Alert]; s != nil && s.open == nil {
			s.open = &i
		}
	}
}

func (w *Watch) judge(ctx context.Context, r Rule, s *state, now time.Time, v float64, bad bool) {
	if bad {
		s.calm = time.Time{}
		if s.over.IsZero() {
			s.over = now
		}
	} else {
		s.over = time.Time{}
	}
	switch i := s.open; {
	case i == nil && bad && now.Sub(s.over) >= r.Lasts:
		s.open = &postil.Incident{Alert: r.Name, Began: s.over, Value: v, Worst: v}
		w.say(ctx, r, s, now, postil.IncidentBegins)
	case i == nil:
	case bad:
		worse := v >= grows*i.Value && i.Value > 0
		i.Worst = max(i.Worst, v)
		if now.Sub(i.Told) >= w.again() || worse {
			i.Value = v
			w.say(ctx, r, s, now, postil.IncidentUpdates)
		}
	case s.calm.IsZero():
		s.calm = now
	case now.Sub(s.calm) >= calmFor:
		i.Ended, i.Value = s.calm, v
		w.say(ctx, r, s, now, postil.IncidentEnds)
		s.open, s.calm = nil, time.Time{}
	}
}

// say stores what is said, and has it told. What cannot be stored is told all
// the same: a full disk is no secret.
func (w *Watch) say(ctx context.Context, r Rule, s *state, now time.Time, phase postil.Phase) {
	i := s.open
	i.Told = now
	if phase != postil.IncidentEnds {
		i.Detail = r.Says(i.Value)
	}
	stored, err := w.store.TellIncident(ctx, *i, phase)
	if err == nil {
		*i = stored
	} else if ctx.Err() == nil {
		w.lg.Error("what is said of an incident cannot be stored", "alert", r.Name, "err", err)
	}
	if phase == postil.IncidentEnds {
		w.lg.Info("an alert is over", "alert", r.Name)
	} else {
		w.lg.Warn("an alert", "alert", r.Name, "phase", string(phase), "detail", i.Detail)
	}
	s.untold = append(s.untold, telling{*i, phase})
}

// speak tells what was not told yet, in order. Of what piled up while nobody
// could be reached, updates are left out.
func (w *Watch) speak(ctx context.Context, s *state) {
	for len(s.untold) > 0 {
		t := s.untold[0]
		if t.phase != postil.IncidentUpdates || len(s.untold) == 1 {
			if err := w.tell(ctx, t.incident, t.phase); err != nil {
				w.lg.Warn("nobody could be told of an alert; it is tried again", "alert", t.incident.Alert, "err", err)
				return
			}
		}
		s.untold = s.untold[1:]
	}
}
