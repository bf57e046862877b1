package classifier

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// kind says what a remembered thing is, so that a host and a name never meet.
type kind byte

const (
	aHost kind = iota
	aHome      // host and path of a website
	anAuthor
	aMail
	aNetwork
	aName
	aPage
	aText
	aShingle
	aScript
	aLanguage
	aCalled
)

func key(k kind, s string) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(k) + 1)
	_, _ = d.WriteString(s)
	return d.Sum64()
}

// tally is how often something stood in what people decided.
type tally struct{ Spam, Honest uint16 }

func (t tally) onlySpam() bool   { return t.Spam > 0 && t.Honest == 0 }
func (t tally) onlyHonest() bool { return t.Honest > 0 && t.Spam == 0 }

// memory counts things in two generations: when the young one is full, the old
// one is forgotten, so that what is met again and again stays.
type memory struct {
	limit      int
	young, old map[uint64]tally
}

func newMemory(limit int) *memory {
	return &memory{limit: limit, young: map[uint64]tally{}, old: map[uint64]tally{}}
}

func (m *memory) get(k uint64) tally {
	if t, ok := m.young[k]; ok {
		return t
	}
	return m.old[k]
}

func (m *memory) add(k uint64, spam bool, n int) {
	t := m.get(k)
	field := &t.Honest
	if spam {
		field = &t.Spam
	}
	*field = uint16(max(0, min(int(*field)+n, 1<<16-1)))
	if t == (tally{}) {
		delete(m.young, k)
		delete(m.old, k)
		return
	}
	if _, ok := m.young[k]; !ok && len(m.young) >= m.limit {
		m.old, m.young = m.young, make(map[uint64]tally, m.limit)
	}
	m.young[k] = t
	delete(m.old, k)
}

// sketchSize is how many shingles of a text are remembered.
const sketchSize = 20

// sketch returns the smallest hashes of a text's runs of three words: two texts
// share about as many of them as they share of their words.
func sketch(words []string) []uint64 {
	if len(words) < 4 {
		return nil
	}
	hashes := make([]uint64, 0, len(words))
	var h [3]uint64
	for i, w := range words {
		h[0], h[1], h[2] = h[1], h[2], key(aShingle, w)
		if i >= 2 {
			hashes = append(hashes, mix(h[0]*3+h[1]*5+h[2]*7))
		}
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return hashes[:min(len(hashes), sketchSize)]
}

// mix spreads the bits of a hash (the finisher of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
