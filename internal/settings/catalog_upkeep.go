package settings

import (
	"net/netip"
	"time"

	"github.com/postil/postil/internal/postil"
)

// How long things are kept, who reaches the admin API, how long others may
// take, and what readers are told in the operator's own words.
var (
	KeepSpam      = keep("spam_days", "How long comments on the spam list are kept.")
	KeepQuestions = keep("question_days", "How long questions are kept.")
	KeepNetworks  = keep("network_days", "How long the network id of a comment is kept.")
	KeepHours     = keep("hour_days", "How long the views of single hours are kept; days are kept for good.")
	KeepSignals   = keep("signal_days", "How long the record of what happened and the figures of each minute are kept.")

	AdminNetworks = declare(&List{
		Info: Info{Name: "access.admin_networks", Doc: "Networks that may reach the admin API and the desk; empty: all. This machine always may."},
		Item: prefix,
	})

	CheckTimeout = declare(&Duration{
		Info:    Info{Name: "outside.check_timeout", Doc: "How long a check of another service may take before the comment is held."},
		Default: 3 * time.Second, Min: 100 * time.Millisecond, Max: time.Minute,
	})
	HookTimeout = declare(&Duration{
		Info:    Info{Name: "outside.webhook_timeout", Doc: "How long the receiver of a webhook may take."},
		Default: 10 * time.Second, Min: 100 * time.Millisecond, Max: time.Minute,
	})
	MailTimeout = declare(&Duration{
		Info:    Info{Name: "outside.mail_timeout", Doc: "How long a mail server may take."},
		Default: 30 * time.Second, Min: time.Second, Max: 5 * time.Minute,
	})

	LockdownText = declare(&Texts{
		Info: Info{Name: "texts.lockdown", Doc: "What readers are told while comments are paused.", PerSite: true, Shown: true}, Max: 300,
		Default: Languages{"en": "The author of this blog has paused new comments for now. Please come back later."},
	})
)

func keep(name, doc string) *Int {
	return declare(&Int{Info: Info{Name: "retention." + name, Doc: doc, Unit: "days"}, Default: 30, Min: 1, Max: 3650})
}

// prefix tidies an address or a network.
func prefix(s string) (string, error) {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Masked().String(), nil
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()).String(), nil
	}
	return "", wrong("“%s” is no network; write it as “203.0.113.0/24” or as one address.", postil.CleanTitle(s))
}
