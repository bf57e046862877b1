package limit

import (
	"fmt"
	"regexp"
	"time"

	"github.com/postil/postil/internal/postil"
)

// maxRates is how many windows a rule may have. It is an array bound in every
// counter, so each one more costs memory for every actor.
const maxRates = 2

// Rate allows N requests in a window that begins with the first of them.
type Rate struct {
	N   int
	Per time.Duration
}

// Rule is what one kind of request may do: all of its rates must agree.
type Rule struct {
	Name  string // a–z, 0–9 and "-"; appears in headers
	Rates []Rate // one or two, the shortest window first
}

var ruleName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Check says what is wrong with r, as an Invalid error; nil when it can be used.
func (r Rule) Check() error {
	if !ruleName.MatchString(r.Name) {
		return postil.InvalidField("name", "A limit is named with a–z, 0–9 and “-”, for example “comments”.")
	}
	if len(r.Rates) < 1 || len(r.Rates) > maxRates {
		return postil.InvalidField(r.Name, "A limit has one or two rates, for example 3 in 10 seconds and 30 in an hour.")
	}
	for _, rate := range r.Rates {
		if rate.N < 1 || rate.N > 1_000_000 || rate.Per < time.Second || rate.Per > 31*24*time.Hour {
			return postil.InvalidField(r.Name, "A rate allows 1 to 1,000,000 requests in 1 second to 31 days; %d in %s is not possible.", rate.N, rate.Per)
		}
	}
	return nil
}

// label names the i-th window of r in headers: the rule's own name, then the
// name with the length of the window.
func (r Rule) label(i int) string {
	if i == 0 {
		return r.Name
	}
	switch per := r.Rates[i].Per; per {
	case time.Minute:
		return r.Name + "-minute"
	case time.Hour:
		return r.Name + "-hour"
	case 24 * time.Hour:
		return r.Name + "-day"
	default:
		return fmt.Sprintf("%s-%ds", r.Name, seconds(per))
	}
}
