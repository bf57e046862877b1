package settings

import (
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// What happens to a comment. The first four names are those that a site
// carries with it, so that a transaction sees them as they are.
var (
	Policy = declare(&Enum{
		Info:    Info{Name: postil.PolicySetting, Doc: "What happens to a comment against which nothing speaks.", PerSite: true},
		Default: string(postil.NewSite("").Policy),
		Options: []string{string(postil.HoldAll), string(postil.FirstComment), string(postil.ByScore), string(postil.Open)},
	})
	MaxLinks = declare(&Int{
		Info:    Info{Name: postil.LinksSetting, Doc: "How many links a comment may have before it is held.", Unit: "links", PerSite: true},
		Default: postil.NewSite("").MaxLinks, Min: 0, Max: 100,
	})
	Lockdown = declare(&Bool{
		Info:    Info{Name: postil.LockdownSetting, Doc: "No new comments from readers, the composer is hidden, and what is in the queue is held.", PerSite: true, Shown: true},
		AnyTrue: true,
	})
	Slow = declare(&Bool{
		Info:    Info{Name: "policy.slow", Doc: "Slow mode: one person may comment only once in limits.slow_gap.", PerSite: true},
		AnyTrue: true,
	})

	Publish = declare(&Float{
		Info:    Info{Name: "moderation.publish", Doc: "The likelihood of spam up to which the policy “score” publishes without a person.", Unit: "likelihood", PerSite: true},
		Default: 0.246, Min: 0, Max: 0.5,
	})
	Stop = declare(&Float{
		Info:    Info{Name: "moderation.stop", Doc: "The likelihood of spam from which a comment goes to the spam list without a person.", Unit: "likelihood", PerSite: true},
		Default: 0.944, Min: 0.5, Max: 1,
	})
	Classifier = declare(&Bool{
		Info:    Info{Name: "moderation.classifier", Doc: "Whether the learned classifier has a say.", PerSite: true},
		Default: true,
	})

	CheckTimeout = declare(&Duration{
		Info:    Info{Name: "outside.check_timeout", Doc: "How long the check of another service may take; a comment that it says nothing about in time is held."},
		Default: 3 * time.Second, Min: 100 * time.Millisecond, Max: 30 * time.Second,
	})

	AkismetOn = declare(&Bool{
		Info:    Info{Name: "outside.akismet", Doc: "Whether Akismet is asked, where the server has a key for it.", PerSite: true},
		Default: true,
	})
	AkismetNetwork = declare(&Bool{
		Info: Info{Name: "outside.akismet_network", Doc: "Whether Akismet is told the network of a commenter's address (never the address).", PerSite: true},
	})
	ModelTimeout = declare(&Duration{
		Info:    Info{Name: "outside.model_timeout", Doc: "How long a language model may take; a comment that it says nothing about in time is held."},
		Default: 20 * time.Second, Min: 100 * time.Millisecond, Max: 2 * time.Minute,
	})
	BotScore = declare(&Int{
		Info:    Info{Name: "outside.bot_score", Doc: "A comment is held whose sender's score, as the trusted proxy tells it, is below this.", PerSite: true},
		Default: 30, Min: 0, Max: 100,
	})
	Countries = declare(&List{
		Info: Info{Name: "outside.countries", Doc: "Countries whose comments are held, as two letters, where a trusted proxy tells the country.", PerSite: true}, Item: country,
	})

	RemindAfter   = patience("remind_after", "How long a comment waits before moderators are reminded, and then each day; 0s: never.", 8*time.Hour)
	EscalateAfter = patience("escalate_after", "How long a comment waits before the next chat is asked; 0s: never.", day)
	ExpireAfter   = patience("expire_after", "How long a comment waits before it is rejected as expired; 0s: never.", 0)
)

// country tidies the code of a country.
func country(s string) (string, error) {
	code := strings.ToUpper(s)
	if len(code) != 2 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return "", wrong("“%s” is no country; write it as two letters, such as “DE”.", postil.CleanTitle(s))
	}
	return code, nil
}

// patience declares how long comments may wait for a person.
func patience(name, doc string, standard time.Duration) *Duration {
	return declare(&Duration{Info: Info{Name: "moderation." + name, Doc: doc}, Default: standard, Max: 3650 * day})
}
