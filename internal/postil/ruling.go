package postil

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// RulingID numbers the rules that moderators lay down; at the API it is a string.
type RulingID int64

// String returns the id as the API writes it.
func (id RulingID) String() string { return strconv.FormatInt(int64(id), 10) }

// SubjectKind says what a rule is about.
type SubjectKind string

// The closed set of subjects. Who wrote a comment is known by the first three,
// and by nothing that is typed.
const (
	OnDevice  SubjectKind = "device"  // the hash of a device key
	OnUser    SubjectKind = "user"    // the id of a verified identity
	OnNetwork SubjectKind = "network" // the id of a network
	OnName    SubjectKind = "name"    // a name, or whole words in one
	OnWord    SubjectKind = "word"    // whole words in text, name or website
	OnHost    SubjectKind = "host"    // the host of a link, and every host below it
)

// Subject is what a rule is about.
type Subject struct {
	Kind  SubjectKind
	Value string // as it is compared, see Ruling.Check
}

// Effect says what a rule does to a comment in which its subject is met.
type Effect string

// The closed set of effects.
const (
	EffectBan    Effect = "ban"    // stopped as spam, whatever the policy; of an author or a name
	EffectTrust  Effect = "trust"  // published when nothing speaks against it; of a device or user
	EffectHold   Effect = "hold"   // waits for a person
	EffectSpam   Effect = "spam"   // stopped as spam where the policy lets checks stop anything
	EffectAllow  Effect = "allow"  // never stopped without a person, except by a ban; of a host also: its links do not count
	EffectSignal Effect = "signal" // a doubt, which decides nothing alone
)

// effects says which effects a subject may have.
var effects = map[SubjectKind][]Effect{
	OnDevice:  {EffectBan, EffectTrust, EffectHold},
	OnUser:    {EffectBan, EffectTrust, EffectHold},
	OnNetwork: {EffectBan, EffectHold, EffectSpam, EffectAllow, EffectSignal},
	OnName:    {EffectBan, EffectHold, EffectSpam, EffectAllow, EffectSignal},
	OnWord:    {EffectHold, EffectSpam, EffectAllow, EffectSignal},
	OnHost:    {EffectHold, EffectSpam, EffectAllow, EffectSignal},
}

// Ruling is a rule that a moderator laid down for the comments to come: a ban,
// a trust or an entry of a list.
type Ruling struct {
	ID      RulingID
	Site    SiteID // "": every site
	Subject Subject
	Effect  Effect
	Shown   string // as people read it
	Reason  string // why, for colleagues; never told to the author
	List    string // the list it was imported with; "" for a rule of its own
	Until   time.Time
	By      By
	Created time.Time
}

// InForce reports whether the rule counts at a time; without Until it counts
// for ever.
func (r Ruling) InForce(at time.Time) bool { return r.Until.IsZero() || at.Before(r.Until) }

const (
	maxSubject = 200 // characters of a name, word or host
	maxReason  = 500
)

// Check returns r with its subject as it is compared, or an Invalid error that
// names the member. Networks must be ids already: who has only the address of
// one turns it into the id first.
func (r Ruling) Check() (Ruling, error) {
	allowed, known := effects[r.Subject.Kind]
	if !known {
		return r, InvalidField("kind", "“kind” is device, user, network, name, word or host.")
	}
	if !hasEffect(allowed, r.Effect) {
		return r, InvalidField("effect", "A rule about a %s can be %s.", r.Subject.Kind, effectNames(allowed))
	}
	typed := CleanTitle(r.Subject.Value)
	if n := utf8.RuneCountInString(typed); n > maxSubject || typed == "" {
		return r, InvalidField("value", "“value” has 1 to %d characters: the %s that the rule is about.", maxSubject, r.Subject.Kind)
	}
	if r.Shown == "" {
		r.Shown = typed
	}
	switch r.Subject.Kind {
	case OnName, OnWord:
		r.Subject.Value = NameKey(typed)
	case OnHost:
		host, ok := CleanHost(typed)
		if !ok {
			return r, InvalidField("value", "A host is written as in a link, for example casino.example.")
		}
		r.Subject.Value, r.Shown = host, host
	default:
		r.Subject.Value = typed
	}
	if r.Subject.Value == "" {
		return r, InvalidField("value", "Nothing of that can be seen.")
	}
	r.Reason, r.List, r.Shown = cut(oneLine(r.Reason), maxReason), cut(oneLine(r.List), MaxName), cut(oneLine(r.Shown), maxSubject)
	return r, nil
}

func hasEffect(all []Effect, e Effect) bool {
	for _, a := range all {
		if a == e {
			return true
		}
	}
	return false
}

func effectNames(all []Effect) string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = string(e)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// CleanHost returns the host that an address or a bare host names, in lower
// case and punycode, without "www." and port; ok is false when it names none.
func CleanHost(s string) (host string, ok bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "*."), ".")
	canonical, err := CleanWebsite(s)
	if err != nil {
		return "", false
	}
	u, err := url.Parse(canonical)
	if err != nil {
		return "", false
	}
	host = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ".")
	return host, host != ""
}

// RulingFilter selects rules, the newest first.
type RulingFilter struct {
	Sites  []SiteID // rules of these sites and of every site; empty: all
	List   string   // "": rules of their own, and one line for each list is told by Lists
	Limit  int      // 1 to 200
	Before RulingID // the last one of the page before; 0: the first page
}

// RulingList is what is known of an imported list.
type RulingList struct {
	Name    string
	Site    SiteID // "": every site
	Kind    SubjectKind
	Effect  Effect
	Entries int
	Created time.Time // of its first entry
}
