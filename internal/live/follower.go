package live

import (
	"context"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Invalidator is a cache that is told what is out of date.
type Invalidator interface {
	Invalidate(ctx context.Context, ev postil.Event)
	DropAll()
}

// reactionPause is how long the readers of a thread are left alone after they
// were told of a reaction.
const reactionPause = time.Second

// Follower follows the events of the service for its readers.
type Follower struct {
	cache Invalidator
	hub   *Hub

	mu   sync.Mutex
	held map[topic]*postil.Notice // threads that were told of a reaction a moment ago, and what has come since
}

// NewFollower returns a follower that refreshes cache before it tells hub.
func NewFollower(cache Invalidator, hub *Hub) *Follower {
	return &Follower{cache: cache, hub: hub, held: map[topic]*postil.Notice{}}
}

// Handle refreshes the cache and then tells the readers, in this order: a page
// that asks at once must not get the old answer. Handling an event again does
// no harm.
func (f *Follower) Handle(ctx context.Context, ev postil.Event) {
	f.cache.Invalidate(ctx, ev)
	change := ev.PublicChange()
	if change == "" {
		return
	}
	n := postil.Notice{Change: change, Event: ev.ID, Post: ev.Post, Version: ev.Version, Comment: ev.Comment}
	if change == "thread.updated" {
		n.Comment = 0
	}
	if ev.Kind == postil.CommentReacted {
		f.seldom(ev.Site, n)
		return
	}
	f.hub.Publish(ev.Site, n)
	if ev.Moved {
		f.hub.Leave(ev.Site, ev.Post)
	}
}

// seldom tells of a reaction at once, and of those that follow it together
// once the pause is over. A crowd that reacts must not make every open page
// fetch the thread for each of them.
func (f *Follower) seldom(site postil.SiteID, n postil.Notice) {
	at := topic{site, n.Post}
	f.mu.Lock()
	defer f.mu.Unlock()
	waiting, told := f.held[at]
	if told {
		if waiting != nil && waiting.Comment != n.Comment {
			n.Change, n.Comment = string(postil.ThreadUpdated), 0
		}
		f.held[at] = &n
		return
	}
	f.held[at] = nil
	f.hub.Publish(site, n)
	time.AfterFunc(reactionPause, func() { f.release(at) })
}

// release ends the pause of a thread, with what has come meanwhile.
func (f *Follower) release(at topic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.held[at]
	delete(f.held, at)
	if n == nil {
		return
	}
	f.held[at] = nil
	f.hub.Publish(at.site, *n)
	time.AfterFunc(reactionPause, func() { f.release(at) })
}

// OnGap is for when events may have been missed: whatever is cached counts as
// changed, and every open page is told to read its thread again.
func (f *Follower) OnGap() {
	f.cache.DropAll()
	f.hub.Reload()
}
