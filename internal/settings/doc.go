// Package settings is what is decided while the service runs: the dynamic
// configuration of the platform, and feature flags, by one mechanism.
//
// The store keeps every value with its history; a table at the broker spreads
// changes to all nodes; each node reads from an immutable Snapshot in memory,
// without a lock and without allocating. While the broker is away or was
// emptied, and while the store cannot be read, the last known value counts.
//
// It does not know SQL, NATS or HTTP, and it decides nothing about comments: it
// answers what a value is. What is fixed at the start (addresses to listen on,
// secrets) is app.Config and not here. Secrets never are: values are shown in
// the history.
//
// The rule a newcomer would break: never keep a value. Ask Live.Now for the
// snapshot in each request (or each round of a task), read everything from that
// one snapshot, and forget it; a value kept in a field is a value that no
// change ever reaches.
//
// # To declare an entry
//
// Add a variable to the file of its family (catalog_*.go); declaring it makes
// it appear in the admin API, the history and the generated documentation:
//
//	var SlowGap = declare(&Duration{
//		Info:    Info{Name: "limits.slow_gap", Doc: "How long one person waits …", PerSite: true},
//		Default: time.Minute, Min: time.Second, Max: 24 * time.Hour,
//	})
//
// The types are Bool, Int, Float, Duration, Text, Enum, List, Texts (one per
// language) and Rates. An Info with Shown set drops the cached public answers
// when its value changes.
//
// # To read an entry
//
// Rooms do not import this package. They take a function, and app passes it:
//
//	intake.New(…, func(site postil.SiteID) time.Duration { return settings.EditWindow.Get(live.Now(), site) })
//
// The site "" asks for what counts everywhere. A site without a value of its
// own has that of everywhere; a List of a site is joined with the one of
// everywhere, and a Bool that is declared with AnyTrue is on for a site when it
// is on in either place.
//
// # To change an entry
//
// Live.Set checks the value, stores it with who and why, and spreads it. There
// is no other way in: a PATCH of a site's policy ends in the same rows.
package settings
