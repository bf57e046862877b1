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

	AuthorRates = shared("author", "Comments of one device, wherever it is.", 2, postil.Rate{N: 6, Per: time.Minute}, postil.Rate{N: 60, Per: time.Hour})
	PostRates   = shared("post", "Comments under one post of all readers together, in fair shares: whoever floods it locks out nobody else.", 1, postil.Rate{N: 60, Per: time.Minute})
	SiteRates   = shared("site", "Comments of all readers of a site together, in fair shares.", 1, postil.Rate{N: 240, Per: time.Minute})

	KeyMinute = declare(&Int{
		Info:    Info{Name: "limits.keys.minute", Doc: "Requests of one API key in a minute; 0 sets no limit.", Unit: "requests"},
		Default: 0, Min: 0, Max: 1_000_000,
	})
	KeyDay = declare(&Int{
		Info:    Info{Name: "limits.keys.day", Doc: "Requests of one API key on a day in UTC; 0 sets no limit.", Unit: "requests"},
		Default: 0, Min: 0, Max: 1_000_000,
	})

	ReportsToAsk = declare(&Int{
		Info:    Info{Name: "limits.reports", Doc: "How many different readers must report a comment until a person is asked about it again.", Unit: "readers", PerSite: true},
		Default: postil.ReportThreshold, Min: 1, Max: 100,
	})

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

// shared declares a limit of comments that is not one of a reader on a route.
func shared(name, doc string, most int, standard ...postil.Rate) *Rates {
	return declare(&Rates{Info: Info{Name: "limits.comments." + name, Doc: doc, PerSite: true}, Default: standard, Most: most})
}

// Routes returns the limits of all routes that have one, by the route's name.
func (s *Snapshot) Routes() map[string][]postil.Rate {
	routes := map[string][]postil.Rate{}
	for _, e := range catalog {
		if e, ok := e.(*Rates); ok && strings.HasPrefix(e.Name, ratesOf) {
			routes[strings.TrimPrefix(e.Name, ratesOf)] = e.Get(s, "")
		}
	}
	return routes
}
