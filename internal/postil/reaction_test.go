package postil

import (
	"slices"
	"strings"
	"testing"
)

func TestAnEmojiIsKnownInEverySpellingAndNothingElseIs(t *testing.T) {
	site := Site{Reactions: DefaultReactions()}
	for _, row := range []struct{ given, key string }{
		{"👍", "👍"}, {"❤️", "❤"}, {"❤", "❤"}, {"❤\uFE0E", "❤"}, {" 🎉\uFE0F ", "🎉"},
		{"", ""}, {"👍👍", ""}, {"👍🏽", ""}, {"+1", ""}, {"<b>", ""}, {"👍\x00", ""}, {"\uFE0F", ""}, {strings.Repeat("👍", 1000), ""},
	} {
		key, err := site.Reaction(row.given)
		if key != row.key && row.key != "" || (err == nil) != (row.key != "") {
			t.Errorf("%q is %q, %v", row.given, key, err)
		}
		if err != nil && (KindOf(err) != Invalid || !strings.Contains(err.Error(), "👍 ❤️ 😄 🎉 🤔 👎")) {
			t.Errorf("%q is refused with %v", row.given, err)
		}
	}
	if _, err := (Site{Reactions: []string{}}).Reaction("👍"); KindOf(err) != Invalid {
		t.Errorf("a site without reactions takes one: %v", err)
	}
}

func TestWhatASiteNoLongerOffersIsNotShown(t *testing.T) {
	site := Site{Reactions: []string{"❤️", "👎"}}
	if got := site.Offered(map[string]int{"❤": 2, "👍": 5, "👎": 0}); len(got) != 1 || got["❤️"] != 2 {
		t.Errorf("it shows %v", got)
	}
	if got := site.Spelled([]string{"👎", "👍", "❤"}); !slices.Equal(got, []string{"❤️", "👎"}) {
		t.Errorf("it spells %q", got)
	}
}

func TestASiteOffersEmojiAndNothingElse(t *testing.T) {
	good := []string{"👍", "❤️", "❤", "👨‍👩‍👧‍👦", "👍🏽", "🇺🇦", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"}
	got, err := CleanReactions(good)
	if want := slices.Delete(slices.Clone(good), 2, 3); err != nil || !slices.Equal(got, want) {
		t.Errorf("it offers %q, %v", got, err)
	}
	for _, bad := range []string{"", "a", "👍a", "<", "👍 👎", "\u202e👍", "1", "\u200d", strings.Repeat("👍", 11)} {
		if _, err := CleanReactions([]string{bad}); KindOf(err) != Invalid {
			t.Errorf("%q was taken: %v", bad, err)
		}
	}
	many := strings.Split("😀😁😂😃😄😅😆😇😈😉😊😋😌", "")
	if _, err := CleanReactions(many); KindOf(err) != Invalid {
		t.Errorf("%d were taken: %v", len(many), err)
	}
}
