package live

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// Invalidator is a cache that is told what is out of date.
type Invalidator interface {
	Invalidate(ctx context.Context, ev postil.Event)
	DropAll()
}

// Follower follows the events of the service for its readers.
type Follower struct {
	cache Invalidator
	hub   *Hub
}

// NewFollower returns a follower that refreshes cache before it tells hub.
func NewFollower(cache Invalidator, hub *Hub) *Follower { return &Follower{cache, hub} }

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
	f.hub.Publish(ev.Site, n)
}

// OnGap is for when events may have been missed: whatever is cached counts as
// changed, and every open page is told to read its thread again.
func (f *Follower) OnGap() {
	f.cache.DropAll()
	f.hub.Reload()
}
