package classifier

import (
	"math"
	"slices"
)

// Options are what a model is made with; nil means what is shipped.
type Options struct {
	Weights *Weights
	Tuning  *Tuning
}

// Weights are what the shipped part adds for each signal, by name, and the
// logit that it begins with.
type Weights struct {
	Bias   float64
	Signal map[string]float64
}

// Model judges the comments of one site. It is not safe for concurrent use.
type Model struct {
	bias    float64
	weights []float64
	tune    Tuning

	memory       *memory
	traffic      *traffic
	local        *local
	spam, honest int         // decisions
	kept         [2][]lesson // the latest decisions, honest and spam
	next         [2]int      // where the oldest of them stands once there are as many as are kept
	seq          uint64      // decisions learned, for their order
	past         []outcome   // the latest decisions, by how they were judged before
	scale        scale       // what logits turned out to mean here
}

// lesson is a decision that is kept to be learned again.
type lesson struct {
	ID    int64
	Seq   uint64
	Base  float64 // logit of the shipped part when it was judged
	Logit float64 // the whole logit when it was judged
	F     features
	Keys  []uint64 // what the memory has counted for it
}

const (
	remembered = 32_000 // things in one generation of the memory
	passages   = 1_000  // submissions in the traffic
)

// New returns the model of a site on its first day.
func New(o Options) *Model {
	w, t := Shipped, DefaultTuning()
	if o.Weights != nil {
		w = *o.Weights
	}
	if o.Tuning != nil {
		t = *o.Tuning
	}
	m := &Model{bias: w.Bias, tune: t, memory: newMemory(remembered), traffic: newTraffic(passages), local: newLocal(t), scale: identity}
	m.weights = make([]float64, len(signals))
	for i, s := range signals {
		m.weights[i] = w.Signal[s.Name]
	}
	return m
}

// Decisions returns how many decisions of each kind the model stands on.
func (m *Model) Decisions() (honest, spam int) { return m.honest, m.spam }

// fade is how much the shipped part still counts: with decisions of both kinds
// the site's own experience takes over.
func (m *Model) fade() float64 {
	n := float64(2 * min(m.spam, m.honest))
	return m.tune.FadeTo + (1-m.tune.FadeTo)*m.tune.Fade/(m.tune.Fade+n)
}

// judged is a sample with everything that follows from it.
type judged struct {
	view     *view
	recall   *recall
	values   []float64
	shingles []uint64
	features features
	base     float64
}

func (m *Model) judge(s Sample) judged {
	j := judged{view: s.look(), base: m.bias}
	j.shingles = sketch(j.view.words)
	j.recall = m.recall(j.view, j.shingles)
	j.values = read(j.view, j.recall)
	for i, x := range j.values {
		j.base += m.weights[i] * x
	}
	j.features = featuresOf(j.view, j.values)
	return j
}

func (m *Model) logit(j judged) float64 { return m.fade()*j.base + m.local.logit(j.features) }

// Values returns what each signal says of a sample, from 0 to 1, in the order
// of Signals.
func (m *Model) Values(s Sample) []float64 {
	v := s.look()
	return read(v, m.recall(v, sketch(v.words)))
}

// Score judges a sample. It changes nothing.
func (m *Model) Score(s Sample) Score {
	j := m.judge(s)
	words := m.local.logit(j.features)
	out := Score{Shipped: j.base, Local: words}
	out.Logit = m.scale.of(m.fade()*j.base + words)
	out.P = sigmoid(out.Logit)
	out.Verdict = m.verdict(j, out)
	out.Reasons = m.reasons(j, words)
	return out
}

// Seen tells the model of a submission that was judged, whatever the verdict.
// Telling it twice changes nothing.
func (m *Model) Seen(s Sample) {
	v := s.look()
	p := passage{ID: s.ID, At: s.At.Unix(), Author: who(v), Page: key(aPage, v.Page), Keys: sketch(v.words)}
	if len(v.words) >= 3 {
		p.Keys = append(p.Keys, key(aText, textOf(v)))
	}
	for _, h := range hostsOf(v) {
		p.Keys = append(p.Keys, key(aHost, h))
	}
	m.traffic.add(p)
}

// Learn takes in what a person decided. Of a comment that was learned already
// only another decision counts, and replaces the first.
func (m *Model) Learn(s Sample, spam bool) {
	if class, i := m.find(s.ID); i >= 0 {
		if class == kindOf(spam) {
			return
		}
		m.Unlearn(s.ID)
	}
	j := m.judge(s)
	l := lesson{ID: s.ID, Seq: m.seq, Base: j.base, Logit: m.logit(j), F: j.features, Keys: keys(j.view, j.shingles)}
	for _, k := range l.Keys {
		m.memory.add(k, spam, 1)
	}
	m.take(l, spam)
	m.scale = m.calibrate()
}

// Remember counts a decision in the memory and nowhere else, for deriving
// weights.
func (m *Model) Remember(s Sample, spam bool) {
	v := s.look()
	for _, k := range keys(v, sketch(v.words)) {
		m.memory.add(k, spam, 1)
	}
	m.count(spam, 1)
}

// Unlearn forgets the decision about a comment, as though it had never been
// taken: the local part is trained anew on what is left. A decision that is no
// longer kept stays.
func (m *Model) Unlearn(id int64) {
	class, i := m.find(id)
	if i < 0 {
		return
	}
	for _, k := range m.kept[class][i].Keys {
		m.memory.add(k, class == 1, -1)
	}
	m.count(class == 1, -1)
	m.kept[class] = slices.Delete(slices.Clone(m.kept[class]), i, i+1)
	m.retrain()
}

func kindOf(spam bool) int { return int(flag(spam)) }

func (m *Model) count(spam bool, n int) {
	if spam {
		m.spam += n
	} else {
		m.honest += n
	}
}

// find returns where the lesson of a comment is kept, -1 for nowhere.
func (m *Model) find(id int64) (class, i int) {
	if id != 0 {
		for class := range m.kept {
			for i := range m.kept[class] {
				if m.kept[class][i].ID == id {
					return class, i
				}
			}
		}
	}
	return 0, -1
}

// take learns a lesson and keeps it.
func (m *Model) take(l lesson, spam bool) {
	m.seq = l.Seq + 1
	m.count(spam, 1)
	m.record(outcome{l.Logit, spam})
	m.train(l, spam)
	m.local.count(l.F, spam)
	c := kindOf(spam)
	l.F.Index, l.Keys = slices.Clone(l.F.Index), slices.Clone(l.Keys) // no room to spare
	if len(m.kept[c]) < m.tune.Keep {
		m.kept[c] = append(m.kept[c], l)
		return
	}
	m.kept[c][m.next[c]] = l
	m.next[c] = (m.next[c] + 1) % m.tune.Keep
}

// train teaches the local part a lesson, and as many old ones of each kind, so
// that a flood of one kind does not wash the other away. Which ones follows
// from the number of the lesson: the same decisions make the same model.
func (m *Model) train(l lesson, spam bool) {
	fade := m.fade()
	m.local.learn(l.F, fade*l.Base, spam)
	random := mix(l.Seq + 1)
	for range m.tune.Replay {
		for c := range m.kept {
			if n := uint64(len(m.kept[c])); n > 0 {
				random = mix(random + 0x9E3779B97F4A7C15)
				old := m.kept[c][random%n]
				m.local.learn(old.F, fade*old.Base, c == 1)
			}
		}
	}
}

// retrain makes the local part and its scale anew from the lessons kept.
func (m *Model) retrain() {
	type labelled struct {
		lesson
		spam bool
	}
	var all []labelled
	for c, kept := range m.kept {
		m.count(c == 1, -len(kept))
		for _, l := range kept {
			all = append(all, labelled{l, c == 1})
		}
	}
	slices.SortFunc(all, func(a, b labelled) int { return int(int64(a.Seq) - int64(b.Seq)) })
	m.local, m.past, m.scale, m.seq = newLocal(m.tune), nil, identity, 0
	m.kept, m.next = [2][]lesson{}, [2]int{}
	for _, l := range all {
		m.take(l.lesson, l.spam)
	}
	m.scale = m.calibrate()
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
