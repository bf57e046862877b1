package settings

import (
	"time"
	_ "time/tzdata" // a machine without a list of time zones has one here

	"github.com/postil/postil/internal/postil"
)

// What moderators are told of their site from time to time.
var (
	SummaryEvery = declare(&Enum{
		Info:    Info{Name: "summary.every", Doc: "How often the moderators of a site get a summary in Telegram; weekly on Mondays.", PerSite: true},
		Default: string(postil.SummaryWeekly), Options: []string{"off", string(postil.SummaryDaily), string(postil.SummaryWeekly)},
	})
	SummaryHour = declare(&Int{
		Info:    Info{Name: "summary.hour", Doc: "At which hour of the day.", Unit: "o'clock", PerSite: true},
		Default: 9, Min: 0, Max: 23,
	})
	SummaryZone = declare(&Text{
		Info:    Info{Name: "summary.zone", Doc: "In which time zone, such as Europe/Berlin.", PerSite: true},
		Default: "UTC", Max: 64, Check: zone,
	})
)

// zone checks the name of a time zone. The machine's own is none: another node
// may stand elsewhere.
func zone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return wrong("“summary.zone” cannot be “%s”, which is no time zone; write it as “Europe/Berlin” or “UTC”.", postil.CleanTitle(name))
	}
	return nil
}
