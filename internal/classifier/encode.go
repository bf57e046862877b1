package classifier

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// format is the first byte of what MarshalBinary returns. It changes with
// everything that gives old bytes another meaning, hashes included.
const format = 1

var errFormat = errors.New("the bytes are no model of this version")

// MarshalBinary returns what the model has learned, the same bytes for the same
// decisions. Neither the shipped weights nor the traffic are in it.
func (m *Model) MarshalBinary() ([]byte, error) {
	w := writer{b: make([]byte, 0, 1<<20)}
	w.b = append(w.b, format)
	w.uint(m.seq)
	w.uint(uint64(m.spam))
	w.uint(uint64(m.honest))
	w.tallies(m.memory.young)
	w.tallies(m.memory.old)
	w.local(m.local)
	for c, kept := range m.kept {
		w.uint(uint64(m.next[c]))
		w.uint(uint64(len(kept)))
		for _, l := range kept {
			w.lesson(l)
		}
	}
	w.uint(uint64(len(m.past)))
	for _, o := range m.past {
		w.float(o.z)
		w.uint(uint64(kindOf(o.spam)))
	}
	for _, x := range []float64{m.scale.offset, m.scale.up, m.scale.down} {
		w.float(x)
	}
	return w.b, nil
}

// UnmarshalBinary brings a new model to what another had learned.
func (m *Model) UnmarshalBinary(b []byte) error {
	r := reader{b: b}
	if len(b) == 0 || r.byte() != format {
		return errFormat
	}
	fresh := *m
	fresh.seq, fresh.spam, fresh.honest = r.uint(), int(r.uint()), int(r.uint())
	fresh.memory = newMemory(m.memory.limit)
	fresh.memory.young, fresh.memory.old = r.tallies(), r.tallies()
	fresh.local = newLocal(m.tune)
	r.local(fresh.local)
	for c := range fresh.kept {
		fresh.next[c] = int(r.uint())
		fresh.kept[c] = make([]lesson, r.length(4))
		for i := range fresh.kept[c] {
			fresh.kept[c][i] = r.lesson()
		}
		if r.failed || len(fresh.kept[c]) > m.tune.Keep || fresh.next[c] >= max(m.tune.Keep, 1) {
			return errFormat
		}
	}
	fresh.past = make([]outcome, r.length(9))
	for i := range fresh.past {
		fresh.past[i] = outcome{r.float(), r.uint() == 1}
	}
	fresh.scale = scale{r.float(), r.float(), r.float()}
	if r.failed || len(r.b) > 0 {
		return errFormat
	}
	*m = fresh
	return nil
}

type writer struct{ b []byte }

func (w *writer) uint(n uint64)   { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) float(x float64) { w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x)) }
func (w *writer) key(k uint64)    { w.b = binary.LittleEndian.AppendUint64(w.b, k) }
func (w *writer) single(x float32) {
	w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(x))
}

func (w *writer) tallies(m map[uint64]tally) {
	ks := make([]uint64, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	w.uint(uint64(len(ks)))
	for _, k := range ks {
		w.key(k)
		w.uint(uint64(m[k].Spam))
		w.uint(uint64(m[k].Honest))
	}
}

// local writes the weights that were ever moved.
func (w *writer) local(l *local) {
	w.float(l.bias)
	w.float(l.biasSpeed)
	w.uint(uint64(l.lessons[0]))
	w.uint(uint64(l.lessons[1]))
	last := 0
	for i := range l.weights {
		if l.speed[i] == 0 && l.counts[0][i] == 0 && l.counts[1][i] == 0 {
			continue
		}
		w.uint(uint64(i - last + 1))
		w.single(l.weights[i])
		w.single(l.speed[i])
		w.uint(uint64(l.counts[0][i]))
		w.uint(uint64(l.counts[1][i]))
		last = i
	}
	w.uint(0)
}

func (w *writer) lesson(l lesson) {
	w.uint(uint64(l.ID))
	w.uint(l.Seq)
	w.float(l.Base)
	w.float(l.Logit)
	w.uint(uint64(len(l.F.Index)))
	start := 0
	for _, end := range l.F.Ends {
		w.uint(uint64(int(end) - start))
		last := uint32(0)
		for _, i := range l.F.Index[start:end] {
			w.uint(uint64(i - last))
			last = i
		}
		start = int(end)
	}
	w.uint(uint64(len(l.Keys)))
	for _, k := range l.Keys {
		w.key(k)
	}
}

// reader reads what writer wrote. After bytes that are too few or wrong it is
// failed and returns zeros.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) fail() {
	r.failed, r.b = true, nil
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) uint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most are this small
		c := r.b[0]
		r.b = r.b[1:]
		return uint64(c)
	}
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return n
}

// length reads how many things of at least size bytes follow.
func (r *reader) length(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) key() uint64 {
	if len(r.b) < 8 {
		r.fail()
		return 0
	}
	k := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return k
}

func (r *reader) float() float64 {
	x := math.Float64frombits(r.key())
	if math.IsNaN(x) || math.IsInf(x, 0) {
		r.fail()
		return 0
	}
	return x
}

func (r *reader) single() float32 {
	if len(r.b) < 4 {
		r.fail()
		return 0
	}
	x := math.Float32frombits(binary.LittleEndian.Uint32(r.b))
	r.b = r.b[4:]
	if x != x || x-x != 0 {
		r.fail()
		return 0
	}
	return x
}

func (r *reader) tallies() map[uint64]tally {
	n := r.length(10)
	m := make(map[uint64]tally, n)
	for range n {
		k := r.key()
		m[k] = tally{uint16(r.uint()), uint16(r.uint())}
	}
	return m
}

func (r *reader) local(l *local) {
	l.bias, l.biasSpeed = r.float(), r.float()
	l.lessons = [2]int{int(r.uint()), int(r.uint())}
	for at := uint64(0); ; {
		step := r.uint()
		if step == 0 {
			return
		}
		if at += step - 1; at >= uint64(len(l.weights)) {
			r.fail()
			return
		}
		l.weights[at], l.speed[at] = r.single(), r.single()
		l.counts[0][at], l.counts[1][at] = uint16(r.uint()), uint16(r.uint())
	}
}

func (r *reader) lesson() lesson {
	l := lesson{ID: int64(r.uint()), Seq: r.uint(), Base: r.float(), Logit: r.float()}
	l.F.Index = make([]uint32, 0, r.length(1))
	for g := range l.F.Ends {
		n := r.length(1)
		last := uint64(0)
		for range n {
			last += r.uint()
			if last >= 1<<localBits {
				r.fail()
				return l
			}
			l.F.Index = append(l.F.Index, uint32(last))
		}
		l.F.Ends[g] = uint16(len(l.F.Index))
	}
	l.Keys = make([]uint64, r.length(8))
	for i := range l.Keys {
		l.Keys[i] = r.key()
	}
	return l
}
