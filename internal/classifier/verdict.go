package classifier

import (
	"math"
	"slices"

	"github.com/postil/postil/internal/postil"
)

// Score is a judgement.
type Score struct {
	Logit   float64 // calibrated; above 0: rather spam
	P       float64 // how likely it is spam, 0 to 1
	Verdict postil.Verdict
	Reasons []Reason // the strongest first
	Shipped float64  // what the shipped part says, as a logit
	Local   float64  // what the local part adds
}

// Reason is a signal that spoke, with what it added to the logit.
type Reason struct {
	Name   string
	Weight float64
	Text   string // words that complete "held: …"
}

// telling is the weight from which a signal is worth a word.
const telling = 0.3

func (m *Model) reasons(j judged, local float64) (rs []Reason) {
	for i, x := range j.values {
		if w := m.weights[i] * x; math.Abs(w) >= telling && signals[i].Reason != "" {
			rs = append(rs, Reason{signals[i].Name, w, signals[i].Reason})
		}
	}
	if local >= 1 {
		rs = append(rs, Reason{"words", local, "words and names like those in spam on this site"})
	}
	if local <= -1 {
		rs = append(rs, Reason{"words", local, "words and names like those in approved comments"})
	}
	slices.SortStableFunc(rs, func(a, b Reason) int {
		switch d := math.Abs(b.Weight) - math.Abs(a.Weight); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	return rs
}

// verdict is the rule: what is stopped, published and left to a person. Words
// alone stop nothing before the site has decisions of both kinds, nor ever in a
// script or language in which it has approved nothing: then what is shipped
// must agree. Whoever had a comment approved here is never stopped.
func (m *Model) verdict(j judged, s Score) postil.Verdict {
	mature := m.spam >= m.tune.Few && m.honest >= m.tune.Few
	strange := j.recall.strange || j.recall.foreign
	friend := j.recall.author.onlyHonest() || j.recall.mail.onlyHonest()
	switch {
	case s.Logit >= m.tune.Stop && !friend && (mature && !strange || s.Shipped >= m.tune.Alone):
		return postil.VerdictSpam
	case s.Logit <= m.tune.Publish:
		return postil.VerdictApprove
	}
	return postil.VerdictHold
}
