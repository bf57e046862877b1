package classifier

import "time"

// traffic remembers the latest submissions, whatever became of them: the same
// text under many names is a sign by itself, and nobody has to decide first. It
// is a ring; what has one thing in common is chained, the latest first.
type traffic struct {
	ring   []passage
	next   uint32            // number of the next passage; its place is that modulo the size of the ring
	latest map[uint64]uint32 // thing -> number of the latest passage with it
}

// passage is one submission.
type passage struct {
	ID     int64
	At     int64  // unix seconds
	Author uint64 // device, or else name
	Page   uint64
	Keys   []uint64
	Before []uint32 // for each key, the number of the passage before with it
}

// none is no number: numbers begin with 1.
const none = 0

func newTraffic(size int) *traffic {
	return &traffic{ring: make([]passage, size), next: 1, latest: map[uint64]uint32{}}
}

// who identifies a sender for telling a double click from a flood.
func who(v *view) uint64 {
	if v.Author != "" {
		return key(anAuthor, v.Author)
	}
	return key(aName, v.nameLC)
}

// at returns a passage by its number, nil when it has been overwritten.
func (t *traffic) at(n uint32) *passage {
	if n == none || t.next-n > uint32(len(t.ring)) {
		return nil
	}
	return &t.ring[n%uint32(len(t.ring))]
}

func (t *traffic) add(p passage) {
	for i := range t.ring {
		if p.ID != 0 && t.ring[i].ID == p.ID {
			return
		}
	}
	if t.next > 1<<31 { // start anew rather than count over
		*t = *newTraffic(len(t.ring))
	}
	place := &t.ring[t.next%uint32(len(t.ring))]
	for _, k := range place.Keys {
		if t.next-t.latest[k] >= uint32(len(t.ring)) {
			delete(t.latest, k)
		}
	}
	p.Before = make([]uint32, len(p.Keys))
	for i, k := range p.Keys {
		p.Before[i] = t.latest[k]
		t.latest[k] = t.next
	}
	*place = p
	t.next++
}

// enough is the count from which more makes no difference.
const enough = 5

// others counts earlier submissions with a thing; those of the same sender on
// the same page within the hour are a double click and do not count.
func (t *traffic) others(k uint64, v *view) int {
	n := 0
	me, page, now := who(v), key(aPage, v.Page), v.At.Unix()
	for p := t.at(t.latest[k]); p != nil && n < enough; p = t.at(p.before(k)) {
		if p.ID == v.ID && v.ID != 0 || p.Author == me && p.Page == page && now-p.At < 3600 {
			continue
		}
		n++
	}
	return n
}

func (p *passage) before(k uint64) uint32 {
	for i := range p.Keys {
		if p.Keys[i] == k {
			return p.Before[i]
		}
	}
	return none
}

// within counts the submissions of the last while, all and of this sender.
func (t *traffic) within(v *view, d time.Duration) (all, mine int) {
	me, now := who(v), v.At.Unix()
	for i := range uint32(64) {
		p := t.at(t.next - 1 - i)
		if p == nil || p.At < now-int64(d/time.Second) {
			break
		}
		if p.ID == v.ID && v.ID != 0 {
			continue
		}
		all++
		mine += int(flag(p.Author == me))
	}
	return all, mine
}
