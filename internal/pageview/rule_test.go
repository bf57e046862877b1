package pageview

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func TestPRIV_05_ReloadsRobotsEarlyFetchesAndTheOwnerAreNotCounted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)
	c := New(quiet, newBook(), "one", func(context.Context) time.Time { return now })
	for range 20 {
		c.Visit(t.Context(), visit(1))
	}
	wantCount(t, c, 1)
	for name, change := range map[string]func(*postil.Visit){
		"a robot":             func(v *postil.Visit) { v.Agent = "Googlebot/2.1 (+http://www.google.com/bot.html)" },
		"prefetch, prerender": func(v *postil.Visit) { v.Early = true },
		"the owner":           func(v *postil.Visit) { v.Owner = true },
	} {
		v := visit(2)
		change(&v)
		if c.Visit(t.Context(), v) {
			t.Errorf("%s was counted", name)
		}
	}
	if !c.Visit(t.Context(), visit(2)) {
		t.Error("a person was not counted because a page was fetched for them before")
	}
	other := visit(1)
	other.Post = "/q"
	elsewhere := visit(1)
	elsewhere.Site = "other"
	if !c.Visit(t.Context(), other) || !c.Visit(t.Context(), elsewhere) {
		t.Error("another post or site is no reload")
	}
	wantCount(t, c, 2)
	now = now.Add(time.Minute) // midnight in UTC
	if !c.Visit(t.Context(), visit(1)) {
		t.Error("a new day is a new visit")
	}
	wantCount(t, c, 3)
}

func TestEverybodyIsForgottenWithTheDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := newReaders()
	r.first(visit(1), now)
	before := r.key
	r.turn(now.Add(24 * time.Hour))
	if n := r.seen.EstimatedSize(); n != 0 || r.key == before {
		t.Errorf("%d visitors of yesterday are known, or by the same key", n)
	}
}

func TestRobotsAreTellingAndPeopleAreNot(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36",
		"Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
		"Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
		"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
		"meta-externalagent/1.1",
		"Twitterbot/1.0", "TelegramBot (like TwitterBot)", "WhatsApp/2.23.20.0 A", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
		"Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5", "Embedly/0.2", "Iframely/1.3.1",
		"http.rb/5.1.1 (Mastodon/4.3.0; +https://mastodon.example/)", "Pleroma 2.5.0; https://p.example", "Misskey/13",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120 Safari/537.36 Chrome-Lighthouse",
		"Pingdom.com_bot_version_1.4", "Mozilla/5.0 (compatible; UptimeRobot/2.0)", "ia_archiver", "GPTBot/1.2", "CCBot/2.0 (https://commoncrawl.org/faq/)",
	} {
		if !isRobot(agent) {
			t.Errorf("taken for a person: %s", agent)
		}
	}
	for _, agent := range []string{
		firefox, "",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
		"Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36",
		"curl/8.5.0", "Go-http-client/2.0", "node",
	} {
		if isRobot(agent) {
			t.Errorf("taken for a robot: %q", agent)
		}
	}
}

// TestTIME_01_HoursAndDaysAreThoseOfUTC runs itself again under other zones:
// half hours east and west of Greenwich are where local hours begin elsewhere.
func TestTIME_01_HoursAndDaysAreThoseOfUTC(t *testing.T) {
	t.Parallel()
	const inside = "POSTIL_TEST_ZONE"
	if os.Getenv(inside) == "" {
		for _, zone := range []string{"Asia/Tokyo", "America/St_Johns", "Asia/Kathmandu"} {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), "TZ="+zone, inside+"="+zone)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", zone, err, out)
			}
		}
		return
	}
	if zone := time.Local.String(); zone != os.Getenv(inside) {
		t.Fatalf("the zone was not taken: %s", zone)
	}
	b := newBook()
	at := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC).Local()
	c := New(quiet, b, "one", func(context.Context) time.Time { return at })
	c.Visit(t.Context(), visit(1))
	if c.Visit(t.Context(), visit(1)) {
		t.Error("a reload was counted")
	}
	at = at.Add(time.Second)
	if !c.Visit(t.Context(), visit(1)) {
		t.Error("the next day in UTC is a new visit")
	}
	if err := c.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, hour := range []time.Time{time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)} {
		if b.hours[hour] != 1 {
			t.Errorf("hours in UTC: %v", b.hours)
		}
	}
}
