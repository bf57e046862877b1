package fakebot

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// update is one queued update, already as JSON: later changes of a message do not change it.
type update struct {
	id  int64
	raw json.RawMessage
}

// silentKinds come only to those who ask for them by name.
var silentKinds = []string{"chat_member", "message_reaction", "message_reaction_count"}

// maxPoll is the longest wait of one getUpdates.
const maxPoll = 50 * time.Second

// Push queues an update of any kind ("my_chat_member", …) with the given payload and returns its id, 0 when
// the bot has not asked for that kind.
func (s *Server) Push(kind string, payload any) (updateID int64) {
	s.locked(func() { updateID = s.enqueue(kind, payload) })
	return updateID
}

func (s *Server) enqueue(kind string, payload any) int64 {
	wanted := slices.Contains(s.allowed, kind)
	if len(s.allowed) == 0 {
		wanted = !slices.Contains(silentKinds, kind)
	}
	if !wanted {
		return 0
	}
	s.lastUpdate++
	raw, err := json.Marshal(map[string]any{"update_id": s.lastUpdate, kind: payload})
	if err != nil {
		panic(fmt.Sprintf("fakebot: a payload that is no JSON: %v", err))
	}
	s.state.pending = append(s.state.pending, update{s.lastUpdate, raw})
	return s.lastUpdate
}

// allow keeps the old list when the parameter is missing and goes back to the default for an empty one.
func (s *Server) allow(r *request) *Fault {
	if r.params["allowed_updates"] == "" {
		return nil
	}
	var kinds []string
	if fault := r.object("allowed_updates", &kinds); fault != nil {
		return fault
	}
	s.allowed = kinds
	return nil
}

// confirm forgets what lies before the offset; a negative one keeps only so many of the newest.
func (s *Server) confirm(offset int64) {
	pending := s.state.pending
	if offset < 0 {
		s.state.pending = pending[max(0, int64(len(pending))+offset):]
		return
	}
	s.state.pending = slices.DeleteFunc(pending, func(u update) bool { return u.id < offset })
}

// getUpdates waits for news up to timeout seconds. A second poll ends the first with 409.
func (s *Server) getUpdates(r *request) (any, *Fault) {
	turn, fault := s.beginPoll(r)
	if fault != nil {
		return nil, fault
	}
	defer s.endPoll(turn)
	wait := min(time.Duration(max(0, r.number("timeout")))*time.Second, maxPoll)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for over := wait == 0; ; {
		batch, changed, fault := s.batch(turn, r.number("limit"))
		if fault != nil || over || len(batch) > 0 {
			return batch, fault
		}
		select {
		case <-changed:
		case <-timer.C:
			over = true
		case <-r.ctx.Done():
			over = true
		}
	}
}

func (s *Server) beginPoll(r *request) (turn int64, fault *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.hook != nil {
		return 0, conflict("can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	if fault := s.allow(r); fault != nil {
		return 0, fault
	}
	s.pollTurn++
	s.pollEnd = "terminated by other getUpdates request; make sure that only one bot instance is running"
	s.confirm(r.number("offset"))
	s.state.polling = true
	s.wake()
	return s.pollTurn, nil
}

func (s *Server) endPoll(turn int64) {
	s.locked(func() {
		if turn == s.pollTurn {
			s.state.polling = false
		}
	})
}

// batch is what can be given out now, and the signal to look again.
func (s *Server) batch(turn, limit int64) ([]json.RawMessage, chan struct{}, *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn != s.pollTurn {
		return nil, nil, conflict(s.pollEnd)
	}
	if limit < 1 || limit > 100 {
		limit = 100
	}
	list := []json.RawMessage{}
	for _, u := range s.state.pending[:min(int64(len(s.state.pending)), limit)] {
		list = append(list, u.raw)
	}
	return list, s.changed, nil
}

func conflict(why string) *Fault { return &Fault{Status: 409, Description: "Conflict: " + why} }
