package pageview

import (
	"slices"
	"strings"
)

// robots are parts of user agents, in lower case, of programs that say what
// they are: crawlers, makers of link previews, feed readers, monitors. Nearly
// all of them name themselves a bot or give an address with "+http".
//
// To add one: its part here, a line of its own in robots_test.go, and a look at
// the browsers there, none of which may match.
var robots = []string{
	"bot", "+http", "crawl", "spider", "slurp", "archiver", "scraper",
	"preview", "facebookexternalhit", "facebookcatalog", "meta-externalagent", "whatsapp", "embedly", "iframely", "vkshare", "slack-imgproxy",
	"mastodon/", "pleroma", "misskey", "akkoma",
	"feedfetcher", "mediapartners-google", "google-inspectiontool", "googleother",
	"lighthouse", "pagespeed", "pingdom", "uptime", "statuscake",
}

// isRobot reports whether a user agent belongs to a program that nobody looks
// at. An empty one says nothing and counts as a person.
func isRobot(agent string) bool {
	agent = strings.ReplaceAll(strings.ToLower(agent), "cubot", "") // a maker of phones
	return slices.ContainsFunc(robots, func(part string) bool { return strings.Contains(agent, part) })
}
