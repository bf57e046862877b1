package classifier

import (
	"iter"
	"math"
	"slices"
)

const (
	localBits   = 17 // weights of the local model: 2^17
	maxFeatures = 400
)

// features are the hashed traits of a sample for the local model, in groups of
// which each has the same total weight, however long the text.
type features struct {
	Index []uint32
	Ends  [groups]uint16
}

// The groups of features.
const (
	fWords  = iota // words and pairs of words
	fGrams         // character n-grams
	fNames         // name and its words
	fHosts         // hosts and pages
	fTraits        // the signals that fired
	groups
)

func featuresOf(v *view, values []float64) features {
	var f features
	f.words(v)
	f.end(fWords)
	f.grams(v)
	f.end(fGrams)
	if v.nameLC != "" {
		f.add('N', v.nameLC, "")
		for _, w := range v.name {
			f.add('n', w, "")
		}
	}
	f.end(fNames)
	for _, h := range hostsOf(v) {
		f.add('h', h, "")
	}
	if v.Page != "" {
		f.add('p', v.Page, "")
	}
	f.end(fHosts)
	for i, x := range values {
		if x >= 0.5 {
			f.add('s', signals[i].Name, "")
		}
	}
	f.end(fTraits)
	return f
}

func (f *features) add(kind byte, a, b string) {
	h := hashString(hashString(uint64(kind)*0x9E3779B97F4A7C15, a)^0x5bd1e995, b)
	f.Index = append(f.Index, uint32(mix(h)>>(64-localBits)))
}

// hashString is FNV-1a.
func hashString(h uint64, s string) uint64 {
	h ^= 0xcbf29ce484222325
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// end closes a group: each feature counts once.
func (f *features) end(group int) {
	start := 0
	if group > 0 {
		start = int(f.Ends[group-1])
	}
	part := f.Index[start:]
	slices.Sort(part)
	part = slices.Compact(part)
	f.Index = f.Index[:start+len(part)]
	f.Ends[group] = uint16(len(f.Index))
}

// parts yields the groups that are not empty.
func (f *features) parts() iter.Seq2[int, []uint32] {
	return func(yield func(int, []uint32) bool) {
		start := 0
		for g, end := range f.Ends {
			if int(end) > start && !yield(g, f.Index[start:end]) {
				return
			}
			start = int(end)
		}
	}
}

func (f *features) words(v *view) {
	last := ""
	for _, w := range v.words {
		if len(f.Index) >= maxFeatures/2 {
			return
		}
		f.add('w', w, "")
		if last != "" {
			f.add('b', last, w)
		}
		last = w
	}
}

// grams adds runs of four characters within words, so that a word is known in
// its other forms and with a letter changed.
func (f *features) grams(v *view) {
	var at []int
	for _, w := range v.words {
		at = at[:0]
		for i := range w {
			at = append(at, i)
		}
		if len(at) < 5 {
			continue
		}
		at = append(at, len(w))
		for i := 0; i+4 < len(at); i++ {
			f.add('g', w[at[i]:at[i+4]], "")
		}
		if len(f.Index) >= maxFeatures {
			return
		}
	}
}

// local is what a site's own decisions teach: a logistic regression over hashed
// features, trained one decision at a time (AdaGrad), and beside it plain counts
// (naive Bayes), which are quicker to say something and slower to be sure.
type local struct {
	tune            Tuning
	weights, speed  []float32
	bias, biasSpeed float64
	counts          [2][]uint16 // decisions with each feature, honest and spam
	lessons         [2]int      // decisions
}

func newLocal(t Tuning) *local {
	const n = 1 << localBits
	return &local{tune: t, weights: make([]float32, n), speed: make([]float32, n), counts: [2][]uint16{make([]uint16, n), make([]uint16, n)}}
}

// logit is what the local part says of a sample.
func (l *local) logit(f features) float64 { return l.regression(f) + l.bayes(f) }

func (l *local) regression(f features) float64 {
	z := l.bias
	for g, part := range f.parts() {
		sum := float32(0)
		for _, i := range part {
			sum += l.weights[i]
		}
		z += l.tune.Scale[g] * float64(sum) / math.Sqrt(float64(len(part)))
	}
	return z
}

// bayes adds up, group by group, how much likelier each feature is in spam than
// in honest comments; a feature that was never seen says nothing.
func (l *local) bayes(f features) float64 {
	z := 0.0
	odds := math.Log(float64(l.lessons[0]+4) / float64(l.lessons[1]+4))
	for g, part := range f.parts() {
		if l.tune.Bayes[g] == 0 {
			continue
		}
		sum := 0.0
		for _, i := range part {
			spam, honest := float64(l.counts[1][i]), float64(l.counts[0][i])
			if spam+honest > 0 {
				sum += math.Log((spam+l.tune.Smooth)/(honest+l.tune.Smooth)) + odds
			}
		}
		z += l.tune.Bayes[g] * sum / math.Sqrt(float64(len(part)))
	}
	return min(max(z, -l.tune.BayesMax), l.tune.BayesMax)
}

// learn moves the weights so that the logit comes nearer to the decision; base
// is what the shipped part says.
func (l *local) learn(f features, base float64, spam bool) {
	err := sigmoid(base+l.regression(f)) - flag(spam)
	l.biasSpeed += err * err
	l.bias -= l.tune.BiasRate * l.tune.Rate * err / math.Sqrt(1+l.biasSpeed)
	for g, part := range f.parts() {
		grad := err * l.tune.Scale[g] / math.Sqrt(float64(len(part)))
		for _, i := range part {
			l.speed[i] += float32(grad * grad)
			l.weights[i] -= float32(l.tune.Rate * grad / math.Sqrt(0.05+float64(l.speed[i])))
		}
	}
}

// count counts the features of a decision, once for each decision.
func (l *local) count(f features, spam bool) {
	c := kindOf(spam)
	l.lessons[c]++
	for _, i := range f.Index {
		if l.counts[c][i] < 1<<16-1 {
			l.counts[c][i]++
		}
	}
}
