package cache

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/postil/postil/internal/postil"
)

// epochs counts changes. Posts share the counters by hash: that two of them
// meet costs a load too many, never one too few, and the table stays small
// whatever is asked for.
type epochs struct {
	seed  maphash.Seed
	all   atomic.Uint64
	table [1 << 14]atomic.Uint64
}

// scope is what a counter stands for.
type scope struct {
	site postil.SiteID
	post postil.PostID
	part part
}

type part int

const (
	onePost   part = iota
	anyPost        // raised with every post of the site
	wholeSite      // raised when everything of the site changed
)

func newEpochs() *epochs { return &epochs{seed: maphash.MakeSeed()} }

func (p *epochs) counter(s scope) *atomic.Uint64 {
	return &p.table[maphash.Comparable(p.seed, s)%uint64(len(p.table))]
}

// scopes returns the counters that a view depends on.
func (p *epochs) scopes(v postil.View) []*atomic.Uint64 {
	list := make([]*atomic.Uint64, 0, 3+strings.Count(v.Posts, "\n"))
	list = append(list, &p.all, p.counter(scope{site: v.Site, part: wholeSite}))
	switch {
	case v.Post != "":
		return append(list, p.counter(scope{v.Site, v.Post, onePost}))
	case v.Posts != "":
		for post := range strings.SplitSeq(v.Posts, "\n") {
			list = append(list, p.counter(scope{v.Site, postil.PostID(post), onePost}))
		}
		return list
	}
	return append(list, p.counter(scope{site: v.Site, part: anyPost}))
}

// changed notes a change of a post, or of the whole site when post is "".
func (p *epochs) changed(site postil.SiteID, post postil.PostID) {
	if post == "" {
		p.counter(scope{site: site, part: wholeSite}).Add(1)
		return
	}
	p.counter(scope{site, post, onePost}).Add(1)
	p.counter(scope{site: site, part: anyPost}).Add(1)
}

// sum adds the counters up. They only grow, so a load that began after a
// change has a higher sum than one that read its data before it.
func sum(counters []*atomic.Uint64) (n uint64) {
	for _, c := range counters {
		n += c.Load()
	}
	return n
}
