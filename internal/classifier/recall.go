package classifier

import (
	"strings"
	"time"
	"unicode"
)

// recall is what a site remembers of the things in one sample.
type recall struct {
	hosts            []tally // of the links and the website, big hosts left out
	author, mail     tally
	network          tally
	name, page, text tally
	near             float64 // share of the text that stood in spam and in nothing honest
	nearHonest       float64
	nearSeen         float64 // share of the text seen in other submissions, whatever became of them
	repeated         int     // submissions with the same text before, of others or elsewhere
	burst            int     // submissions to the site in the last ten minutes
	authorBurst      int
	hostSeen         int  // submissions with one of the hosts by others
	strange          bool // a script that the site has not yet approved
	foreign          bool // a language that the site has not yet approved
	anyApproved      bool
	linkNew, siteNew bool
	answers          bool // begins with the name of somebody who was approved here
}

// bigHosts carry everybody's pages: that one of them stood in spam says nothing
// of the next.
var bigHosts = setOf("github.com", "google.com", "youtube.com", "youtu.be", "facebook.com", "twitter.com", "x.com", "wikipedia.org", "en.wikipedia.org", "amazon.com", "medium.com", "reddit.com",
	"stackoverflow.com", "microsoft.com", "apple.com", "linkedin.com", "instagram.com", "yahoo.com", "flickr.com", "wordpress.com", "blogspot.com", "gmail.com", "pinterest.com", "vk.com", "docs.google.com", "imgur.com", "gist.github.com", "msdn.microsoft.com", "plus.google.com")

func nothing(t tally) bool { return t == (tally{}) }

// memorySignals look at what the site's own people decided before, and at what
// else came in.
var memorySignals = []Signal{
	{"host-spam", "a host that stood in spam", 1, recalls(func(r *recall) bool { return anyTally(r.hosts, tally.onlySpam) })},
	{"host-spam-3", "a host that stood in spam three times", 1, recalls(func(r *recall) bool {
		return anyTally(r.hosts, func(t tally) bool { return t.onlySpam() && t.Spam >= 3 })
	})},
	{"host-known", "only hosts that stood in approved comments", -1, recalls(func(r *recall) bool { return len(r.hosts) > 0 && !anyTally(r.hosts, notHonest) })},
	{"link-new", "a link to a host not seen before", 1, recalls(func(r *recall) bool { return r.linkNew })},
	{"website-new", "a website not seen before", 1, recalls(func(r *recall) bool { return r.siteNew })},
	{"host-busy", "a host that others send as well", 1, recalls(func(r *recall) bool { return r.hostSeen >= 1 })},
	{"author-approved", "comments of this author were approved", -1, recalls(func(r *recall) bool { return r.author.onlyHonest() || r.mail.onlyHonest() })},
	{"author-approved-3", "three comments of this author were approved", -1, recalls(func(r *recall) bool { return r.author.onlyHonest() && r.author.Honest >= 3 })},
	{"author-spam", "comments of this author were marked as spam", 1, recalls(func(r *recall) bool { return r.author.onlySpam() || r.mail.onlySpam() })},
	{"author-spam-3", "three comments of this author were marked as spam", 1, recalls(func(r *recall) bool { return r.author.onlySpam() && r.author.Spam >= 3 })},
	{"author-new", "", 0, recalls(func(r *recall) bool { return nothing(r.author) })},
	{"network-spam", "comments from this network were marked as spam", 1, recalls(func(r *recall) bool { return r.network.onlySpam() })},
	{"name-spam", "comments under this name were marked as spam", 1, recalls(func(r *recall) bool { return r.name.onlySpam() })},
	{"name-known", "comments under this name were approved", -1, recalls(func(r *recall) bool { return r.name.onlyHonest() })},
	{"page-spam", "a page with spam and nothing approved", 1, recalls(func(r *recall) bool { return r.page.onlySpam() && r.page.Spam >= 3 })},
	{"page-mostly-spam", "a page that spammers like", 1, func(_ *view, r *recall) float64 { return pageShare(r.page) }},
	{"page-honest", "a page with approved comments alone", -1, recalls(func(r *recall) bool { return r.page.onlyHonest() && r.page.Honest >= 2 })},
	{"text-spam", "the same text was marked as spam", 1, recalls(func(r *recall) bool { return r.text.onlySpam() })},
	{"text-honest", "", 0, recalls(func(r *recall) bool { return r.text.onlyHonest() })},
	{"near-spam", "much like a text that was marked as spam", 1, func(_ *view, r *recall) float64 { return r.near }},
	{"near-spam-half", "half of a text that was marked as spam", 1, recalls(func(r *recall) bool { return r.near >= 0.4 })},
	{"near-honest", "", -1, func(_ *view, r *recall) float64 { return r.nearHonest }},
	{"repeated", "the same text came before", 1, recalls(func(r *recall) bool { return r.repeated > 0 })},
	{"near-repeated", "much like another text that came in", 1, recalls(func(r *recall) bool { return r.nearSeen >= 0.3 })},
	{"burst", "many comments within minutes", 1, recalls(func(r *recall) bool { return r.burst >= 3 })},
	{"author-burst", "several comments of this author within minutes", 1, recalls(func(r *recall) bool { return r.authorBurst >= 2 })},
	{"answers", "speaks to somebody who wrote here", -1, recalls(func(r *recall) bool { return r.answers })},
	{"language", "a language in which nothing was approved here yet", 1, recalls(func(r *recall) bool { return r.anyApproved && r.foreign })},
	{"script", "a script in which nothing was approved here yet", 1, recalls(func(r *recall) bool { return r.anyApproved && r.strange })},
}

func notHonest(t tally) bool { return !t.onlyHonest() }

func anyTally(ts []tally, f func(tally) bool) bool {
	for _, t := range ts {
		if f(t) {
			return true
		}
	}
	return false
}

// pageShare grows with the share of spam among what was decided on a page.
func pageShare(t tally) float64 {
	return float64(t.Spam) / (float64(t.Spam) + 3*float64(t.Honest) + 3)
}

// recall asks the memory.
func (m *Model) recall(v *view, shingles []uint64) *recall {
	get := func(k kind, s string) tally {
		if s == "" {
			return tally{}
		}
		return m.memory.get(key(k, s))
	}
	r := &recall{author: get(anAuthor, v.Author), mail: get(aMail, v.Mail), network: get(aNetwork, v.Network), name: get(aName, v.nameLC), page: get(aPage, v.Page)}
	if len(v.words) >= 3 {
		r.text = get(aText, textOf(v))
	}
	for _, h := range hostsOf(v) {
		r.hosts = append(r.hosts, get(aHost, h))
		r.hostSeen = max(r.hostSeen, m.traffic.others(key(aHost, h), v))
	}
	if n := float64(len(shingles)); n >= 3 {
		spam, honest, seen := 0.0, 0.0, 0.0
		for _, s := range shingles {
			t := m.memory.get(s)
			spam += flag(t.onlySpam())
			honest += flag(t.onlyHonest())
			seen += flag(m.traffic.others(s, v) > 0)
		}
		r.near, r.nearHonest, r.nearSeen = spam/n, honest/n, seen/n
	}
	if len(v.words) >= 3 {
		r.repeated = m.traffic.others(key(aText, textOf(v)), v)
	}
	r.burst, r.authorBurst = m.traffic.within(v, 10*time.Minute)
	name := v.chars.mainScript()
	r.strange = name != "" && m.memory.get(key(aScript, name)).Honest == 0
	r.foreign = v.language != "" && m.memory.get(key(aLanguage, v.language)).Honest == 0
	r.anyApproved = m.honest >= 5
	for _, l := range v.links {
		r.linkNew = r.linkNew || !bigHosts[l.host] && nothing(get(aHost, l.host))
	}
	r.siteNew = v.site != nil && !bigHosts[v.site.host] && nothing(get(aHost, v.site.host))
	if w := called(v); w != "" {
		r.answers = get(aCalled, w).onlyHonest()
	}
	return r
}

// called returns the first word of a text that turns to somebody, "" for none.
func called(v *view) string {
	if len(v.words) < 3 || len(v.words[0]) < 3 {
		return ""
	}
	head := strings.TrimLeft(v.text[:min(len(v.text), 40)], "@> \n")
	if i := strings.IndexAny(head, ",: \n-"); i > 0 && unicode.IsUpper([]rune(head)[0]) || strings.HasPrefix(v.text, "@") {
		return v.words[0]
	}
	return ""
}

func textOf(v *view) string {
	n := 0
	for _, w := range v.words {
		n += len(w) + 1
	}
	b := make([]byte, 0, n)
	for _, w := range v.words {
		b = append(append(b, w...), ' ')
	}
	return string(b)
}

func hostsOf(v *view) (hosts []string) {
	seen := map[string]bool{}
	add := func(h string) {
		if !bigHosts[h] && !seen[h] && len(hosts) < 20 {
			seen[h] = true
			hosts = append(hosts, h)
		}
	}
	if v.site != nil {
		add(v.site.host)
	}
	for _, l := range v.links {
		add(l.host)
	}
	return hosts
}

// keys returns everything of a sample that a decision is remembered under.
func keys(v *view, shingles []uint64) []uint64 {
	var ks []uint64
	add := func(k kind, s string) {
		if s != "" {
			ks = append(ks, key(k, s))
		}
	}
	add(anAuthor, v.Author)
	add(aMail, v.Mail)
	add(aNetwork, v.Network)
	add(aName, v.nameLC)
	add(aPage, v.Page)
	add(aScript, v.chars.mainScript())
	add(aLanguage, v.language)
	if len(v.name) > 0 {
		add(aCalled, v.name[0])
	}
	if len(v.words) >= 3 {
		add(aText, textOf(v))
	}
	for _, h := range hostsOf(v) {
		add(aHost, h)
	}
	return append(ks, shingles...)
}
