// Package live tells open pages what has changed: a Hub fans notices out to
// the streams of readers, and a Follower turns events into notices after the
// cache has forgotten what they made out of date.
//
// It writes no stream and carries no content: a page that is told of a change
// reads the thread again.
//
// The rule a newcomer would break: publishing never waits for a reader. One
// whose buffer is full is dropped; its page connects again and reloads, which
// costs less than everybody else's delay.
package live

import (
	"cmp"
	"log/slog"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Options are the measures of a Hub.
type Options struct {
	Buffer   int // notices that a reader may be behind; 0 means 16
	PerActor int // streams of one actor; 0 for no bound
	Max      int // streams altogether; 0 for no bound
}

// topic is what a stream listens to.
type topic struct {
	site postil.SiteID
	post postil.PostID
}

// Hub hands notices to the streams that asked for their post. Its methods may
// be called at any time from any goroutine.
type Hub struct {
	lg *slog.Logger
	o  Options

	mu     sync.RWMutex // held for reading while notices are handed out
	topics map[topic]map[*Subscription]struct{}
	actors map[string]int
	count  int
	closed bool
}

// New returns a hub without streams.
func New(lg *slog.Logger, o Options) *Hub {
	o.Buffer = cmp.Or(o.Buffer, 16)
	return &Hub{lg: lg, o: o, topics: map[topic]map[*Subscription]struct{}{}, actors: map[string]int{}}
}

// Subscribe opens a stream of notices about posts of a site. actor is whom the
// stream counts for. The caller owns the subscription and closes it.
//
// The errors are Invalid without posts, Throttled when the actor has too many
// streams, and Unavailable when the hub is full or shut down.
func (h *Hub) Subscribe(site postil.SiteID, posts []postil.PostID, actor string) (*Subscription, error) {
	if len(posts) == 0 {
		return nil, postil.InvalidField("post", "Name at least one post to listen to, for example ?post=/posts/hello.")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.admit(actor); err != nil {
		return nil, err
	}
	s := &Subscription{hub: h, actor: actor, notices: make(chan postil.Notice, h.o.Buffer), topics: make([]topic, 0, len(posts))}
	for _, post := range posts {
		h.add(s, topic{site, post})
	}
	h.actors[actor]++
	h.count++
	return s, nil
}

// admit says why the actor may not open a stream now. h.mu is held.
func (h *Hub) admit(actor string) error {
	switch {
	case h.closed:
		return postil.Busy("stopping", "The service is restarting. Please connect again in a moment.", time.Second, nil)
	case h.o.Max > 0 && h.count >= h.o.Max:
		return postil.Busy("overloaded", "Too many pages are listening at this moment. Please try again in a minute.", time.Minute, nil)
	case h.o.PerActor > 0 && h.actors[actor] >= h.o.PerActor:
		return &postil.Error{Kind: postil.Throttled, Slug: "too-many-streams", Limit: h.o.PerActor, RetryAfter: 30 * time.Second,
			Sentence: "Too many pages of this site are open from your address. Close some of them and try again."}
	}
	return nil
}

// add enters s under t, once. h.mu is held.
func (h *Hub) add(s *Subscription, t topic) {
	readers := h.topics[t]
	if readers == nil {
		readers = map[*Subscription]struct{}{}
		h.topics[t] = readers
	}
	if _, ok := readers[s]; !ok {
		readers[s] = struct{}{}
		s.topics = append(s.topics, t)
	}
}

// remove forgets s and closes its channel. h.mu is held, so nobody sends.
func (h *Hub) remove(s *Subscription) {
	if s.closed {
		return
	}
	s.closed = true
	for _, t := range s.topics {
		delete(h.topics[t], s)
		if len(h.topics[t]) == 0 {
			delete(h.topics, t)
		}
	}
	if h.actors[s.actor]--; h.actors[s.actor] == 0 {
		delete(h.actors, s.actor)
	}
	h.count--
	close(s.notices)
}

// Publish hands n to every stream that listens to its post. It does not wait:
// a reader with a full buffer is dropped.
func (h *Hub) Publish(site postil.SiteID, n postil.Notice) {
	h.mu.RLock()
	slow := offer(nil, h.topics[topic{site, n.Post}], n)
	h.mu.RUnlock()
	h.drop(slow)
}

// Reload tells every stream that each of its posts may have changed.
func (h *Hub) Reload() {
	var slow []*Subscription
	h.mu.RLock()
	for t, readers := range h.topics {
		slow = offer(slow, readers, postil.Notice{Change: string(postil.ThreadUpdated), Post: t.post})
	}
	h.mu.RUnlock()
	h.drop(slow)
}

// offer hands n out and appends to slow who could not take it.
func offer(slow []*Subscription, readers map[*Subscription]struct{}, n postil.Notice) []*Subscription {
	for s := range readers {
		select {
		case s.notices <- n:
		default:
			slow = append(slow, s)
		}
	}
	return slow
}

func (h *Hub) drop(slow []*Subscription) {
	if len(slow) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range slow {
		h.remove(s)
	}
	h.lg.Debug("slow readers dropped", "streams", len(slow))
}

// End closes the streams of a site that is no more. Whoever connects again is
// told so.
func (h *Hub) End(site postil.SiteID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t, readers := range h.topics {
		for s := range readers {
			if t.site == site {
				h.remove(s)
			}
		}
	}
}

// Leave closes the streams that listen to a post whose key leads elsewhere now.
// Whoever connects again listens to where it leads.
func (h *Hub) Leave(site postil.SiteID, post postil.PostID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.topics[topic{site, post}] {
		h.remove(s)
	}
}

// Shutdown closes all streams. Afterwards nobody can subscribe.
func (h *Hub) Shutdown() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, readers := range h.topics {
		for s := range readers {
			h.remove(s)
		}
	}
}

// Count returns the number of open streams.
func (h *Hub) Count() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.count
}

// Subscription is one open stream.
type Subscription struct {
	hub     *Hub
	actor   string
	topics  []topic
	notices chan postil.Notice
	closed  bool // guarded by hub.mu
}

// C returns the notices. It is closed when the reader was too slow, when the
// hub shuts down, and by Close: the reader connects again and reloads.
func (s *Subscription) C() <-chan postil.Notice { return s.notices }

// Close ends the stream. It may be called more than once.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.remove(s)
}
