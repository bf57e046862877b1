package settings

import (
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// How much and how often. The rates are those of one actor on one route.
var (
	CommentRates  = rates("comments", "Comments of one reader.", postil.Rate{N: 3, Per: 10 * time.Second}, postil.Rate{N: 30, Per: time.Hour})
	PreviewRates  = rates("preview", "Previews of one reader.", postil.Rate{N: 30, Per: time.Minute})
	ReactionRates = rates("reactions", "Reactions of one reader.", postil.Rate{N: 20, Per: time.Minute})
	ReportRates   = rates("reports", "Reports of one reader.", postil.Rate{N: 20, Per: time.Minute})
	FormRates     = rates("form", "Forms that one reader asks for.", postil.Rate{N: 60, Per: time.Minute})
	OwnRates      = rates("own", "How often one reader asks for their own comments.", postil.Rate{N: 60, Per: time.Minute})
	EditRates     = rates("edit", "Changes and removals of one's own comments.", postil.Rate{N: 30, Per: time.Minute})
	QuestionRates = rates("questions", "Questions of one reader.", postil.Rate{N: 10, Per: time.Minute})
	SigninRates   = rates("signin", "Attempts to sign in from one address.", postil.Rate{N: 5, Per: time.Minute})

	SlowGap = declare(&Duration{
		Info:    Info{Name: "limits.slow_gap", Doc: "How long one person waits between two comments in slow mode.", PerSite: true},
		Default: time.Minute, Min: time.Second, Max: day,
	})
	EditWindow = declare(&Duration{
		Info:    Info{Name: "limits.edit_window", Doc: "How long commenters may change and remove what they wrote.", PerSite: true},
		Default: 15 * time.Minute, Min: 0, Max: 30 * day,
	})
	TextLimit = declare(&Int{
		Info:    Info{Name: "limits.text", Doc: "How long a comment of a reader may be.", Unit: "characters", PerSite: true},
		Default: postil.MaxText, Min: 1, Max: postil.MaxText,
	})
)

const ratesOf = "limits.rate."

// rates declares the limit of a route.
func rates(route, doc string, standard ...postil.Rate) *Rates {
	return declare(&Rates{Info: Info{Name: ratesOf + route, Doc: doc}, Default: standard})
}

// Routes returns the limits of all routes that have one, by the route's name.
func (s *Snapshot) Routes() map[string][]postil.Rate {
	routes := map[string][]postil.Rate{}
	for _, e := range catalog {
		if e, ok := e.(*Rates); ok {
			routes[strings.TrimPrefix(e.Name, ratesOf)] = e.Get(s, "")
		}
	}
	return routes
}
