package moderation

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/postil/postil/internal/netid"
	"github.com/postil/postil/internal/postil"
)

// Rules keeps what was laid down, each change with its line in the audit log.
type Rules interface {
	Lay(ctx context.Context, r postil.Ruling, by postil.By) (postil.Ruling, error)
	Lift(ctx context.Context, id postil.RulingID, by postil.By) (postil.Ruling, error)
	Import(ctx context.Context, entries []postil.Ruling, by postil.By) (int, error)
	Comment(ctx context.Context, id postil.CommentID) (postil.Comment, error)
}

// Book is where moderators lay down rules: bans, trusts and lists. A rule is for
// the comments to come; what is there already is decided by the Door.
type Book struct {
	rules   Rules
	network func(netip.Prefix) string // the id under which comments keep a network
	now     func(context.Context) time.Time
}

// NewBook returns the book over what keeps the rules.
func NewBook(rules Rules, network func(netip.Prefix) string, now func(context.Context) time.Time) *Book {
	return &Book{rules, network, now}
}

// Lay lays a rule down, in the place of the one that its subject had. A network
// may be given as address, as range or as id. Errors name the member that is
// wrong.
func (b *Book) Lay(ctx context.Context, r postil.Ruling, by postil.By) (postil.Ruling, error) {
	r, err := r.Check()
	if err != nil {
		return r, err
	}
	if !r.Until.IsZero() && !r.Until.After(b.now(ctx)) {
		return r, postil.InvalidField("until", "“until” is a time in the future, or is left out for a rule that stays.")
	}
	if r.Subject.Kind == postil.OnNetwork {
		networks, err := netid.ParseNetworks(r.Subject.Value)
		switch {
		case err != nil && !looksHashed(r.Subject.Value):
			return r, postil.InvalidField("value", "A network is an address, a range such as 203.0.113.0/24, or the network of a comment.")
		case err == nil && len(networks) != 1:
			return r, postil.InvalidField("value", "A rule is about one network, the /24 of an IPv4 or the /48 of an IPv6 address. Import a wider range as a list.")
		case err == nil:
			r.Subject.Value, r.Shown = b.network(networks[0]), networks[0].String()
		}
	}
	return b.rules.Lay(ctx, r, by)
}

// looksHashed reports whether s can be the id of a network.
func looksHashed(s string) bool { return len(s) >= 20 && !strings.ContainsAny(s, " ./:") }

// Lift takes a rule back.
func (b *Book) Lift(ctx context.Context, id postil.RulingID, by postil.By) (postil.Ruling, error) {
	return b.rules.Lift(ctx, id, by)
}

// networkBan is how long the neighbours of somebody have to bear with it that
// he is known by nothing but his network.
const networkBan = 30 * 24 * time.Hour

// BanAuthor bans whoever wrote a comment on its site, until a time or for ever.
// He is known by his account, else by his device, else by his network, and then
// for 30 days at most. The comment itself stays as it is.
func (b *Book) BanAuthor(ctx context.Context, id postil.CommentID, until time.Time, reason string, by postil.By) (postil.Ruling, error) {
	c, err := b.rules.Comment(ctx, id)
	if err != nil {
		return postil.Ruling{}, err
	}
	who, ok := c.KnownBy()
	if !ok && c.Origin.Network != "" {
		who, ok = postil.Subject{Kind: postil.OnNetwork, Value: c.Origin.Network}, true
		if latest := b.now(ctx).Add(networkBan); until.IsZero() || until.After(latest) {
			until = latest
		}
	}
	if !ok {
		return postil.Ruling{}, conflict("This author wrote without a device key, and the network is forgotten by now. There is nothing by which a ban could know him again.")
	}
	return b.Lay(ctx, postil.Ruling{Site: c.Site, Subject: who, Effect: postil.EffectBan, Shown: c.Author.Name, Reason: reason, Until: until}, by)
}

// TrustAuthor trusts whoever wrote a comment on its site: what he writes is
// published when nothing speaks against it. Trust needs an account or a device;
// a typed name and a network prove nothing.
func (b *Book) TrustAuthor(ctx context.Context, id postil.CommentID, by postil.By) (postil.Ruling, error) {
	c, err := b.rules.Comment(ctx, id)
	if err != nil {
		return postil.Ruling{}, err
	}
	who, ok := c.KnownBy()
	if !ok {
		return postil.Ruling{}, conflict("This author wrote without a device key, so nobody could tell him from somebody who types the same name.")
	}
	return b.Lay(ctx, postil.Ruling{Site: c.Site, Subject: who, Effect: postil.EffectTrust, Shown: c.Author.Name}, by)
}

// MaxImport is how many entries one request may bring.
const MaxImport = 20_000

// Import adds the lines of a public block list, one word, name, host or network
// each, as doubts: whoever made the list does not know this blog, so nothing of
// it ever decides alone. Lines that are empty or begin with "#" do not count;
// of a hosts file the second column does. A list grows with every part that is
// imported under its name. It returns how many entries count through this list,
// and how many lines were no entry.
func (b *Book) Import(ctx context.Context, list string, site postil.SiteID, kind postil.SubjectKind, lines []string, by postil.By) (inForce, skipped int, err error) {
	if strings.TrimSpace(list) == "" {
		return 0, 0, postil.InvalidField("list", "Name the list, so that it can be taken back as a whole.")
	}
	if _, err := (postil.Ruling{Subject: postil.Subject{Kind: kind, Value: "example.org"}, Effect: postil.EffectSignal}).Check(); err != nil {
		return 0, 0, err
	}
	var entries []postil.Ruling
	for _, line := range lines {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		more := b.entries(postil.Ruling{Site: site, List: list, Effect: postil.EffectSignal, Subject: postil.Subject{Kind: kind, Value: line}})
		if entries = append(entries, more...); len(more) == 0 {
			skipped++
		}
		if len(entries) > MaxImport {
			return 0, 0, postil.InvalidField("entries", "At most %s entries can be imported at once. Send the rest under the same name.", postil.Thousands(MaxImport))
		}
	}
	inForce, err = b.rules.Import(ctx, entries, by)
	return inForce, skipped, err
}

// entries reads one line of a list; none when it is no entry.
func (b *Book) entries(r postil.Ruling) (out []postil.Ruling) {
	line := r.Subject.Value
	fields := strings.Fields(line)
	if r.Subject.Kind == postil.OnHost {
		r.Subject.Value = fields[len(fields)-1] // the second column of a hosts file
	}
	if r.Subject.Kind == postil.OnNetwork {
		networks, err := netid.ParseNetworks(strings.TrimRight(fields[0], ";,"))
		if err != nil {
			return nil
		}
		for _, n := range networks {
			one := r
			one.Subject.Value, one.Shown = b.network(n), n.String()
			out = append(out, one)
		}
		return out
	}
	if r, err := r.Check(); err == nil {
		return []postil.Ruling{r}
	}
	return nil
}
