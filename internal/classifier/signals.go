package classifier

import "strings"

// Signal is one generic trait of spam or of honest comments. It knows no site,
// no language but where it says so, and no weight: that stands in Shipped.
type Signal struct {
	Name   string
	Reason string // words that complete "held: …"; "" for what only shades others
	Toward int    // 1: may only point to spam, -1: only to honest, 0: either
	read   func(*view, *recall) float64
}

// Expected returns what is known of a signal beside the streams, where it is too
// rare in them: the weight to which a lack of evidence draws it, 0 for most.
func (s Signal) Expected() float64 { return expected[s.Name] }

// expected are judgements: what hardly ever happens by accident counts more
// than a dozen examples can show.
var expected = map[string]float64{
	"name-link": 2, "two-syntaxes": 1, "bbcode": 1, "html-link": 1, "spun": 1, "broken-encoding": 0.5, "website-broken": 1, "website-path": 1, "website-slug": 0.5,
	"look-alike": 1, "invisible": 0.5, "network-spam": 0.7, "language": 0.8, "script": 0.8, "host-spam": 1.2, "host-spam-3": 0.7, "author-spam": 1, "author-spam-3": 0.5,
	"author-approved": -1.5, "text-spam": 1.5, "near-spam": 1.5, "near-repeated": 0.5, "repeated": 0.5, "answers": -0.7, "page-spam": 0.5, "author-burst": 0.5,
}

// Signals returns all signals, in the order of their weights.
func Signals() []Signal { return signals }

var signals = slicesOf(contentSignals, voiceSignals, formSignals, nameSignals, memorySignals)

func slicesOf(lists ...[]Signal) (all []Signal) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// is makes a signal of a yes or no about the comment alone.
func is(f func(*view) bool) func(*view, *recall) float64 {
	return func(v *view, _ *recall) float64 { return flag(f(v)) }
}

// recalls makes a signal of a yes or no about what the site remembers.
func recalls(f func(*recall) bool) func(*view, *recall) float64 {
	return func(_ *view, r *recall) float64 { return flag(f(r)) }
}

// read returns the values of all signals, each from 0 to 1.
func read(v *view, r *recall) []float64 {
	values := make([]float64, len(signals))
	for i := range signals {
		values[i] = signals[i].read(v, r)
	}
	return values
}

func hasAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
