package settings

import "time"

// When somebody is told that something is wrong with the service.
var (
	SlowAfter = declare(&Duration{
		Info:    Info{Name: "alerts.slow", Doc: "How long a request takes that is written down as slow."},
		Default: 2 * time.Second, Min: time.Second, Max: time.Minute,
	})
	AlertAgain = declare(&Duration{
		Info:    Info{Name: "alerts.again", Doc: "How long after something was said of trouble that lasts it is spoken of again."},
		Default: 6 * time.Hour, Min: 15 * time.Minute, Max: 30 * day,
	})
	AlertErrors  = alert("errors", "How many requests fail in five minutes, through a fault of the service, until it is told; 0: never.", "requests", 5)
	AlertCards   = alert("cards", "How many cards are undelivered for 15 minutes until it is told; 0: never.", "cards", 1)
	AlertBacklog = alert("backlog", "How many events wait for the broker for five minutes until it is told; 0: never.", "events", 1000)
	AlertDisk    = alert("disk", "How much of the disk should be free; it is told when less is. 0: never.", "MB", 500)
)

func alert(name, doc, unit string, standard int) *Int {
	return declare(&Int{Info: Info{Name: "alerts." + name, Doc: doc, Unit: unit}, Default: standard, Min: 0, Max: 1_000_000})
}
