package limit

import (
	"maps"
	"time"
)

var defaults = map[string]Rule{
	"comments":  {Name: "comments", Rates: []Rate{{3, 10 * time.Second}, {30, time.Hour}}},
	"preview":   {Name: "preview", Rates: []Rate{{30, time.Minute}}},
	"reactions": {Name: "reactions", Rates: []Rate{{20, time.Minute}}},
	"reports":   {Name: "reports", Rates: []Rate{{20, time.Minute}}},
	"form":      {Name: "form", Rates: []Rate{{60, time.Minute}}},
	"own":       {Name: "own", Rates: []Rate{{60, time.Minute}}},
	"questions": {Name: "questions", Rates: []Rate{{10, time.Minute}}},
	"signin":    {Name: "signin", Rates: []Rate{{5, time.Minute}}},
}

// Defaults returns rules as a service would have them, by name.
func Defaults() map[string]Rule { return maps.Clone(defaults) }
