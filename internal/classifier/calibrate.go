package classifier

import (
	"math"
	"slices"
)

// outcome is how a comment was judged before a person decided, and what the
// person said.
type outcome struct {
	z    float64
	spam bool
}

const maxPast = 500

func (m *Model) record(o outcome) {
	if len(m.past) >= maxPast {
		m.past = slices.Delete(m.past, 0, 1)
	}
	m.past = append(m.past, o)
}

// scale turns logits into what they turned out to mean on this site: an offset,
// which also takes in how much spam the site gets, and a slope for each side,
// since the two thresholds lie on different sides.
type scale struct{ offset, up, down float64 }

var identity = scale{0, 1, 1}

func (s scale) of(z float64) float64 {
	return s.offset + s.up*max(z, 0) + s.down*min(z, 0)
}

// Slopes stay within these bounds.
const minSlope, maxSlope = 0.4, 3

// calibrate fits the scale to the past judgements (Platt's method, by Newton's
// steps), drawn to the identity as long as there are few. That people decide
// only about comments of some logits does no harm: within a logit they are a
// fair sample.
func (m *Model) calibrate() scale {
	t := m.tune
	w := [3]float64{identity.offset, identity.up, identity.down}
	for range 8 {
		g := [3]float64{t.PullOffset * w[0], t.PullSlope * (w[1] - 1), t.PullSlope * (w[2] - 1)}
		h := [3][3]float64{{t.PullOffset}, {0, t.PullSlope}, {0, 0, t.PullSlope}}
		for _, o := range m.past {
			x := [3]float64{1, max(o.z, 0), min(o.z, 0)}
			p := sigmoid(w[0]*x[0] + w[1]*x[1] + w[2]*x[2])
			e, d := p-flag(o.spam), p*(1-p)
			for i := range g {
				g[i] += e * x[i]
				for k := range g {
					h[i][k] += d * x[i] * x[k]
				}
			}
		}
		step := solve(h, g)
		if settled(step) {
			break
		}
		for i := range w {
			w[i] -= min(max(step[i], -1), 1)
		}
		w[0] = min(max(w[0], -t.MaxOffset), t.MaxOffset)
		w[1] = min(max(w[1], minSlope), maxSlope)
		w[2] = min(max(w[2], minSlope), maxSlope)
	}
	return scale{w[0], w[1], w[2]}
}

// settled reports whether a step changes nothing that could be seen.
func settled(step [3]float64) bool {
	for _, d := range step {
		if math.Abs(d) > 1e-7 {
			return false
		}
	}
	return true
}

// solve returns h⁻¹g for a positive definite h.
func solve(h [3][3]float64, g [3]float64) [3]float64 {
	for i := range 3 {
		for k := i + 1; k < 3; k++ {
			f := h[k][i] / h[i][i]
			for c := range 3 {
				h[k][c] -= f * h[i][c]
			}
			g[k] -= f * g[i]
		}
	}
	for i := 2; i >= 0; i-- {
		for k := i + 1; k < 3; k++ {
			g[i] -= h[i][k] * g[k]
		}
		g[i] /= h[i][i]
	}
	return g
}
