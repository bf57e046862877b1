package postil

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of what a site may offer.
const (
	MaxReactions  = 12 // different emoji
	maxEmojiRunes = 10 // of one emoji: the longest families have seven
)

// DefaultReactions returns what a site offers that has chosen nothing else.
func DefaultReactions() []string { return []string{"👍", "❤️", "😄", "🎉", "🤔", "👎"} }

// Person is somebody without an account who reacts or reports.
type Person struct {
	ID       string // keyed hash of the device key, else of the address and the day
	Fleeting bool   // the latter: tomorrow the same person has another ID
}

// Reaction is one emoji that a person puts on a comment or takes back.
type Reaction struct {
	Site    SiteID
	Comment CommentID
	Person  Person
	Emoji   string // as EmojiKey writes it
	On      bool
}

// Reacted is how a comment stands after a reaction, and what is the person's.
type Reacted struct {
	Comment   CommentID
	Score     int            // distinct people who reacted
	Reactions map[string]int // by EmojiKey
	Mine      []string       // EmojiKeys
	Version   int64          // of the thread
}

// EmojiKey returns the form in which emoji are compared and stored: composed,
// and without the variation selectors that say how they are to be drawn.
func EmojiKey(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r == 0xFE0E || r == 0xFE0F {
			return -1
		}
		return r
	}, strings.TrimSpace(s)))
}

// Reaction returns the key of an emoji that the site offers. Any other is
// Invalid, with those that there are.
func (v Site) Reaction(emoji string) (key string, err error) {
	key = EmojiKey(emoji)
	if slices.ContainsFunc(v.Reactions, func(offered string) bool { return EmojiKey(offered) == key }) {
		return key, nil
	}
	if len(v.Reactions) == 0 {
		return "", InvalidField("emoji", "Comments of this site take no reactions.")
	}
	return "", InvalidField("emoji", "Comments of this site take these reactions: %s.", strings.Join(v.Reactions, " "))
}

// Offered returns the numbers under the site's own spellings. What the site no
// longer offers is left out.
func (v Site) Offered(byKey map[string]int) map[string]int {
	out := map[string]int{}
	for _, emoji := range v.Reactions {
		if n := byKey[EmojiKey(emoji)]; n > 0 {
			out[emoji] = n
		}
	}
	return out
}

// Spelled returns those of the keys that the site offers, in its order and
// spelling.
func (v Site) Spelled(keys []string) []string {
	out := []string{}
	for _, emoji := range v.Reactions {
		if slices.Contains(keys, EmojiKey(emoji)) {
			out = append(out, emoji)
		}
	}
	return out
}

// CleanReactions checks what a site is to offer, each emoji once and in order.
// Errors are Invalid with the field "reactions".
func CleanReactions(list []string) ([]string, error) {
	out, seen := []string{}, map[string]bool{}
	for _, raw := range list {
		emoji := norm.NFC.String(strings.TrimSpace(raw))
		if !isEmoji(emoji) {
			return nil, InvalidField("reactions", "“%s” is no emoji. Name one emoji each, for example 👍 and ❤️.", CleanTitle(raw))
		}
		if key := EmojiKey(emoji); !seen[key] {
			seen[key] = true
			out = append(out, emoji)
		}
	}
	if n := len(out); n > MaxReactions {
		e := InvalidField("reactions", "That is %d reactions; %d fit.", n, MaxReactions)
		e.Limit = MaxReactions
		return nil, e
	}
	return out, nil
}

// isEmoji reports whether s is made of symbols and what joins and tints them,
// and could be one picture. It knows no list of emoji, which grows each year.
func isEmoji(s string) bool {
	if n := utf8.RuneCountInString(s); n == 0 || n > maxEmojiRunes {
		return false
	}
	pictures := 0
	for _, r := range s {
		switch {
		case r > 0x7F && unicode.Is(unicode.So, r), r >= 0x2190 && unicode.Is(unicode.Sm, r): // arrows are among the mathematical signs
			pictures++
		case r == 0x200D, r == 0xFE0E, r == 0xFE0F, r == 0x20E3, r >= 0x1F3FB && r <= 0x1F3FF, r >= 0xE0020 && r <= 0xE007F:
		default:
			return false
		}
	}
	return pictures > 0
}
