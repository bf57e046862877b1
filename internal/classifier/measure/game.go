package main

import (
	"math/rand/v2"

	"github.com/postil/postil/internal/classifier"
	"github.com/postil/postil/internal/postil"
)

// rules are those of one game.
type rules struct {
	first    int     // comments that the owner decides about whatever the verdict; they do not count
	careless float64 // share of the owner's decisions that are wrong
}

// result counts what became of a stream.
type result struct {
	spam, honest                              int
	stopped, wrong, public, queue, spamPublic int
}

func (r *result) add(o result) {
	r.spam += o.spam
	r.honest += o.honest
	r.stopped += o.stopped
	r.wrong += o.wrong
	r.public += o.public
	r.queue += o.queue
	r.spamPublic += o.spamPublic
}

// reportAfter is how many submissions later published spam is reported.
const reportAfter = 10

// play lets a fresh site under the policy "score" meet a stream. Held comments
// are decided at once; stopped honest ones are never corrected. mistake is told
// of each comment that was stopped or published wrongly.
func play(s stream, o classifier.Options, r rules, mistake func(at int, sub submission, sc classifier.Score)) (res result) {
	m := classifier.New(o)
	random := rand.New(rand.NewPCG(1, 2))
	reports := map[int]submission{}
	for i, sub := range s.rows {
		if late, ok := reports[i-reportAfter]; ok {
			m.Learn(late.Sample, true)
		}
		sc := m.Score(sub.Sample)
		m.Seen(sub.Sample)
		if i < r.first || sc.Verdict == postil.VerdictHold {
			m.Learn(sub.Sample, sub.spam != (random.Float64() < r.careless))
		}
		if i < r.first {
			continue
		}
		res.count(sc.Verdict, sub.spam)
		if sub.spam && sc.Verdict == postil.VerdictApprove {
			reports[i] = sub
		}
		if sc.Verdict == postil.VerdictApprove && sub.spam || sc.Verdict == postil.VerdictSpam && !sub.spam {
			mistake(i, sub, sc)
		}
	}
	return res
}

func (r *result) count(v postil.Verdict, spam bool) {
	if spam {
		r.spam++
	} else {
		r.honest++
	}
	switch {
	case v == postil.VerdictSpam && spam:
		r.stopped++
	case v == postil.VerdictSpam:
		r.wrong++
	case v == postil.VerdictApprove && spam:
		r.spamPublic++
	case v == postil.VerdictApprove:
		r.public++
	default:
		r.queue++
	}
}
