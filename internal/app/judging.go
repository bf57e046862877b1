package app

import (
	"context"
	"net/netip"
	"sync"

	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/netid"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
)

// judged asks the classifier and says in the terms of the checks what it found.
// What is rather spam than not keeps a comment from being published without a
// person; a mere doubt does so only where doubt is the policy's business.
func (a *App) judged(ctx context.Context, c postil.Comment, text string) (postil.Finding, error) {
	now := a.settings.Now()
	if !settings.Classifier.Get(now, c.Site) {
		return postil.Finding{}, nil
	}
	score, err := a.learned.Judge(ctx, c, text)
	if err != nil {
		return postil.Finding{}, err
	}
	score.Verdict = within(score.Verdict, score.P, settings.Publish.Get(now, c.Site), settings.Stop.Get(now, c.Site))
	return postil.Finding{Reason: score.Sentence(), P: score.P, Weight: weightOf(score.Verdict, score.P)}, nil
}

// weightOf says what an opinion weighs.
func weightOf(v postil.Verdict, p float64) float64 {
	switch {
	case v == postil.VerdictSpam:
		return moderation.Clear
	case v == postil.VerdictApprove:
		return -moderation.Objection
	case p >= 0.5:
		return moderation.Objection
	}
	return moderation.Objection / 2
}

// verdictOf reads an opinion back from its weight.
func verdictOf(f postil.Finding) postil.Verdict {
	switch {
	case f.Weight >= moderation.Clear:
		return postil.VerdictSpam
	case f.Weight <= -moderation.Objection:
		return postil.VerdictApprove
	}
	return postil.VerdictHold
}

// within holds a verdict against the site's own thresholds. They make the
// classifier more careful, or let it publish more; what it may not stop, since
// the site has shown it too little, no threshold lets it stop.
func within(v postil.Verdict, p, publish, stop float64) postil.Verdict {
	switch {
	case publish == settings.Publish.Default && stop == settings.Stop.Default: // nobody has touched them: the model knows best
		return v
	case v == postil.VerdictSpam && p < stop:
		return postil.VerdictHold
	case v == postil.VerdictApprove && p > publish:
		return postil.VerdictHold
	case v == postil.VerdictHold && p <= publish:
		return postil.VerdictApprove
	}
	return v
}

// listsOf makes rules of the lists in the settings, once for each snapshot and
// site.
type listsOf struct {
	live    *settings.Live
	network func(netip.Prefix) string

	mu    sync.Mutex
	of    *settings.Snapshot
	ready map[postil.SiteID][]postil.Ruling
}

// entries returns the rules that the settings hold for a site, and whether they
// changed since the mark that the caller has.
func (l *listsOf) entries(site postil.SiteID) (rulings []postil.Ruling, mark any) {
	now := l.live.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of != now {
		l.of, l.ready = now, map[postil.SiteID][]postil.Ruling{}
	}
	rulings, ok := l.ready[site]
	if !ok {
		rulings = l.read(now, site)
		l.ready[site] = rulings
	}
	return rulings, now
}

func (l *listsOf) read(now *settings.Snapshot, site postil.SiteID) (out []postil.Ruling) {
	for _, list := range []struct {
		entry  *settings.List
		kind   postil.SubjectKind
		effect postil.Effect
	}{
		{settings.HoldNames, postil.OnName, postil.EffectHold}, {settings.HoldHosts, postil.OnHost, postil.EffectHold}, {settings.HoldNetworks, postil.OnNetwork, postil.EffectHold},
		{settings.SpamWords, postil.OnWord, postil.EffectSpam}, {settings.SpamNames, postil.OnName, postil.EffectSpam},
		{settings.SpamHosts, postil.OnHost, postil.EffectSpam}, {settings.SpamNetworks, postil.OnNetwork, postil.EffectSpam},
		{settings.AllowWords, postil.OnWord, postil.EffectAllow}, {settings.AllowNames, postil.OnName, postil.EffectAllow},
		{settings.AllowHosts, postil.OnHost, postil.EffectAllow}, {settings.AllowNetworks, postil.OnNetwork, postil.EffectAllow},
	} {
		for _, value := range list.entry.Get(now, site) {
			r := postil.Ruling{Site: site, Subject: postil.Subject{Kind: list.kind, Value: value}, Effect: list.effect}
			if list.kind != postil.OnNetwork {
				if r, err := r.Check(); err == nil {
					out = append(out, r)
				}
				continue
			}
			networks, err := netid.ParseNetworks(value)
			if err != nil { // the id of a network, as a comment shows it
				out = append(out, r)
				continue
			}
			for _, n := range networks {
				r.Subject.Value, r.Shown = l.network(n), n.String()
				out = append(out, r)
			}
		}
	}
	return out
}
