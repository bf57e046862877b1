package moderation

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Lists are the rules about words, names and hosts, ready to be matched. They
// never change.
type Lists struct {
	words, names []wordRules
	hosts        map[string]postil.Ruling
}

// wordRules are the words or names of one effect.
type wordRules struct {
	list    markup.WordList
	rulings map[string]postil.Ruling // by the entry as written
}

// listed are the effects of words, names and hosts, the heaviest first.
var listed = []postil.Effect{postil.EffectSpam, postil.EffectHold, postil.EffectSignal, postil.EffectAllow}

// newLists makes rules ready that are in force at a time.
func newLists(rulings []postil.Ruling, at time.Time) *Lists {
	l := &Lists{hosts: map[string]postil.Ruling{}}
	for _, effect := range listed {
		for kind, into := range map[postil.SubjectKind]*[]wordRules{postil.OnWord: &l.words, postil.OnName: &l.names} {
			set := wordRules{rulings: map[string]postil.Ruling{}}
			var entries []string
			for _, r := range rulings {
				if r.Subject.Kind == kind && r.Effect == effect && r.InForce(at) {
					entries = append(entries, r.Shown)
					set.rulings[r.Shown] = r
				}
			}
			if set.list = markup.NewWordList(entries); len(entries) > 0 {
				*into = append(*into, set)
			}
		}
	}
	for _, r := range rulings {
		if r.Subject.Kind == postil.OnHost && r.InForce(at) {
			l.hosts[r.Subject.Value] = r
		}
	}
	return l
}

// host returns the rule about a host or the nearest one above it.
func (l *Lists) host(host string) (postil.Ruling, bool) {
	for host != "" {
		if r, ok := l.hosts[host]; ok {
			return r, true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return postil.Ruling{}, false
}

// hostsOf returns the hosts that a subject links to, its website included,
// each once and without "www.".
func hostsOf(s Subject) (hosts []string) {
	seen := map[string]bool{}
	for _, link := range append(markup.LinksHTML(s.HTML), s.Comment.Author.Website) {
		if host := hostOf(link); host != "" && !seen[host] {
			seen[host] = true
			hosts = append(hosts, host)
		}
	}
	return hosts
}

func hostOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ".")
}

// ListShelf is where the rules about words, names and hosts are found.
type ListShelf interface {
	// ListEntries returns those of a site, or with "" those for every site.
	ListEntries(ctx context.Context, site postil.SiteID) ([]postil.Ruling, error)
}

// library keeps lists ready in memory for as long as no rule changes.
type library struct {
	shelf ListShelf
	mu    sync.Mutex
	mark  string
	ready map[postil.SiteID]shelved

	configMark any
	fromConfig map[postil.SiteID]*Lists
}

type shelved struct {
	lists *Lists
	until time.Time // when the first of the rules is over; zero: never
}

// lists returns the lists of a site and those for every site, as they are in
// force at a time. mark is the one that the store has told with the comment.
func (b *library) lists(ctx context.Context, site postil.SiteID, mark string, at time.Time) ([]*Lists, error) {
	if mark == "" {
		return nil, nil // nobody ever laid down a rule
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mark != mark {
		b.mark, b.ready = mark, map[postil.SiteID]shelved{}
	}
	var out []*Lists
	for _, of := range []postil.SiteID{site, ""} {
		s, ok := b.ready[of]
		if !ok || !s.until.IsZero() && !at.Before(s.until) {
			rulings, err := b.shelf.ListEntries(ctx, of)
			if err != nil {
				return nil, err
			}
			s = shelved{newLists(rulings, at), firstEnd(rulings, at)}
			b.ready[of] = s
		}
		out = append(out, s.lists)
	}
	return out, nil
}

// configured returns the lists that are configuration of a site.
func (b *library) configured(site postil.SiteID, rulings []postil.Ruling, mark any, at time.Time) *Lists {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.configMark != mark || b.fromConfig == nil {
		b.configMark, b.fromConfig = mark, map[postil.SiteID]*Lists{}
	}
	l, ok := b.fromConfig[site]
	if !ok {
		l = newLists(rulings, at)
		b.fromConfig[site] = l
	}
	return l
}

// firstEnd returns when the first of the rules that are in force ends.
func firstEnd(rulings []postil.Ruling, at time.Time) (end time.Time) {
	for _, r := range rulings {
		if r.Until.After(at) && (end.IsZero() || r.Until.Before(end)) {
			end = r.Until
		}
	}
	return end
}
