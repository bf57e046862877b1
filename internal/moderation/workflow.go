package moderation

import (
	"context"
	"log/slog"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Patience is how long a comment may wait for a person. A time of 0 means that
// nothing happens then.
type Patience struct {
	Remind   time.Duration // until moderators are reminded; again each day after that
	Escalate time.Duration // until the next chat is asked
	Expire   time.Duration // until a pending comment is rejected
}

// remindAgain is how long after a reminder the next one may come.
const remindAgain = 24 * time.Hour

// expiryRetry is when a task is looked at again whose comment is being rejected.
const expiryRetry = time.Minute

// Steps says what is to be done about tasks whose due time has come. A reminder
// counts everything that waits on its site, so each site has one at most.
func (p Patience) Steps(now time.Time, due []postil.Task) []postil.Step {
	reminded := map[postil.SiteID]bool{}
	steps := make([]postil.Step, 0, len(due))
	for _, t := range due {
		if reminded[t.Site] {
			t.Reminded = now
		}
		st := p.step(now, t)
		reminded[t.Site] = reminded[t.Site] || st.Task.Reminded.Equal(now)
		steps = append(steps, st)
	}
	return steps
}

func (p Patience) step(now time.Time, t postil.Task) postil.Step {
	st := postil.Step{Task: t}
	ev := postil.Event{Kind: postil.NoticeRaised, Site: t.Site, Post: t.Post, Comment: t.Comment}
	if at := p.expires(t); passed(at, now) {
		st.Expire, st.Next = true, now.Add(expiryRetry)
		return st
	}
	if passed(p.escalates(t), now) {
		ev.Notice = postil.Escalation
		st.Notices, st.Task.Escalated = append(st.Notices, ev), now
	}
	if passed(p.reminds(t), now) {
		ev.Notice = postil.Reminder
		st.Notices, st.Task.Reminded = append(st.Notices, ev), now
	}
	for _, at := range []time.Time{p.expires(st.Task), p.escalates(st.Task), p.reminds(st.Task)} {
		if !at.IsZero() && (st.Next.IsZero() || at.Before(st.Next)) {
			st.Next = at
		}
	}
	return st
}

func passed(at, now time.Time) bool { return !at.IsZero() && !at.After(now) }

func (p Patience) expires(t postil.Task) time.Time {
	if t.Status != postil.Pending {
		return time.Time{} // an edit that waits hides nothing: the old text is public
	}
	return after(t.Opened, p.Expire)
}

func (p Patience) escalates(t postil.Task) time.Time {
	if !t.Escalated.IsZero() {
		return time.Time{}
	}
	return after(t.Opened, p.Escalate)
}

func (p Patience) reminds(t postil.Task) time.Time {
	if p.Remind > 0 && !t.Reminded.IsZero() {
		return t.Reminded.Add(remindAgain)
	}
	return after(t.Opened, p.Remind)
}

// after is d after at, never for 0.
func after(at time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return time.Time{}
	}
	return at.Add(d)
}

// Tasks keeps the due times of open review tasks.
type Tasks interface {
	// Advance applies a rule to the tasks whose time has come, in one
	// transaction, and returns those that have expired.
	Advance(ctx context.Context, limit int, rule func(now time.Time, due []postil.Task) []postil.Step) (expired []postil.Task, more bool, err error)
	// LookAgain makes all open tasks due.
	LookAgain(ctx context.Context) error
}

// Workflow keeps comments from waiting for ever: it reminds, asks the next
// chat, and lets what nobody wants expire. What it has done stands in the
// store, so that a restart forgets and repeats nothing.
type Workflow struct {
	lg       *slog.Logger
	tasks    Tasks
	door     *Door
	patience func() Patience
}

// NewWorkflow returns a workflow; patience is asked at each look.
func NewWorkflow(lg *slog.Logger, tasks Tasks, door *Door, patience func() Patience) *Workflow {
	return &Workflow{lg, tasks, door, patience}
}

const (
	workflowEvery = 30 * time.Second
	workflowBatch = 200
)

// theClock is who rejects what has expired. It teaches the classifier nothing.
var theClock = postil.By{Channel: postil.ByCheck, Actor: "expiry", Name: "expiry"}

// Run looks at once and then every half minute until ctx ends. When the
// patience has changed, it looks at every open task.
func (w *Workflow) Run(ctx context.Context) error {
	tick := time.NewTicker(workflowEvery)
	defer tick.Stop()
	var known *Patience
	for {
		p := w.patience()
		if known == nil || *known != p {
			if err := w.tasks.LookAgain(ctx); err == nil {
				known = &p
			} else if ctx.Err() == nil {
				w.lg.Error("the due times of reviews could not be set; it is tried again", "err", err)
			}
		}
		if err := w.Look(ctx, p); err != nil && ctx.Err() == nil {
			w.lg.Error("what has waited too long could not be dealt with; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Look does what is due now.
func (w *Workflow) Look(ctx context.Context, p Patience) error {
	for more := true; more; {
		var expired []postil.Task
		var err error
		if expired, more, err = w.tasks.Advance(ctx, workflowBatch, p.Steps); err != nil {
			return err
		}
		for _, t := range expired {
			_, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: t.Comment, Verb: postil.Reject, By: theClock, Reason: "expired", Expect: postil.Pending})
			if k := postil.KindOf(err); err != nil && k != postil.Conflict && k != postil.NotFound {
				return err
			}
		}
	}
	return nil
}
