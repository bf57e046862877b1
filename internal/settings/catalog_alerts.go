package settings

import "time"

// When somebody is told that something is wrong with the service.
var (
	SlowAfter = declare(&Duration{
		Info:    Info{Name: "alerts.slow", Doc: "How long a request takes that is written down as slow."},
		Default: 2 * time.Second, Min: time.Second, Max: time.Minute,
	})
)
