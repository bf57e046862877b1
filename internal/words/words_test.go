package words

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"github.com/postil/postil/internal/postil"
)

var place = regexp.MustCompile(`\{[a-z]+\}`)

func places(t text) string {
	all := map[string]bool{}
	for _, said := range t {
		for _, p := range place.FindAllString(said, -1) {
			all[p] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), " ")
}

func TestEveryLanguageHasEveryTextWithTheSamePlaces(t *testing.T) {
	t.Parallel()
	en := catalogue()["en"]
	if got := strings.Join(Languages(), " "); got != "de en es fr ru zh-Hans" {
		t.Errorf("languages %s", got)
	}
	for code, texts := range catalogue() {
		for key, want := range en {
			have, ok := texts[key]
			switch {
			case !ok:
				t.Errorf("%s: %s is missing", code, key)
			case places(have) != places(want):
				t.Errorf("%s: %s has the places %q, not %q", code, key, places(have), places(want))
			}
		}
		for key := range texts {
			if _, ok := en[key]; !ok {
				t.Errorf("%s: nobody says %s", code, key)
			}
		}
	}
}

func TestEveryFormOfAPluralIsThere(t *testing.T) {
	t.Parallel()
	for code, texts := range catalogue() {
		tag := language.MustParse(code)
		for key, said := range texts {
			if said["other"] == "" {
				t.Errorf("%s: %s has no form for every other number", code, key)
			}
			if len(said) == 1 {
				continue
			}
			for n := range 200 {
				if form := forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)]; said[form] == "" {
					t.Errorf("%s: %s has no form %q, which %d takes", code, key, form, n)
					break
				}
			}
		}
	}
}

func TestACodeFindsTheLanguageThatComesClosest(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"": "en", "en-GB": "en", "de-AT": "de", "pt": "en", "zh-CN": "zh-Hans", "zh": "zh-Hans", "ru": "ru", "fr-CA": "fr",
		"es-419": "es", "xx": "en", "not a code": "en", "ja": "en"} {
		if got := In(code).Code(); got != want {
			t.Errorf("%q is answered in %s, not %s", code, got, want)
		}
	}
}

func TestNumbersAndFormsFollowTheLanguage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ code, want string }{
		{"en", "1 comment waits, the oldest for 2 h.|21 comments wait, the oldest for 2 h.|1,234 comments wait, the oldest for 2 h."},
		{"ru", "1 комментарий ждёт, старейший — 2 ч.|21 комментарий ждёт, старейший — 2 ч.|1 234 комментария ждут, старейший — 2 ч."},
		{"de", "1 Kommentar wartet, seit 2 h.|21 Kommentare warten, der älteste seit 2 h.|1.234 Kommentare warten, der älteste seit 2 h."},
	} {
		say := In(tt.code)
		var got []string
		for _, n := range []int{1, 21, 1234} {
			got = append(got, strings.ReplaceAll(say.Count("queue.waits", n, "age", say.Ago(2*time.Hour)), "\u202f", " "))
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %s", tt.code, strings.Join(got, "|"))
		}
	}
}

func TestWhatStandsInAPlaceIsNoPlaceItself(t *testing.T) {
	t.Parallel()
	if got := In("en").Say("card.note", "standing", "{name}", "name", "{post}", "post", "x"); got != "{name} — {post} on x" {
		t.Errorf("%q", got)
	}
}

func TestTheHistoryOfAnAuthorInAFewWords(t *testing.T) {
	t.Parallel()
	known := postil.Comment{Origin: postil.Origin{Device: "d"}}
	seen := time.Date(2025, 2, 1, 3, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		c    postil.Comment
		r    postil.AuthorRecord
		want string
	}{
		{postil.Comment{}, postil.AuthorRecord{}, "unknown device"},
		{known, postil.AuthorRecord{}, "first comment"},
		{known, postil.AuthorRecord{Approved: 3, FirstSeen: seen}, "3 approved, first seen 2025-02-01"},
		{known, postil.AuthorRecord{Rejected: 1, Spam: 1200, FirstSeen: seen}, "1 rejected, 1,200 spam, first seen 2025-02-01"},
		{known, postil.AuthorRecord{FirstSeen: seen}, "nothing decided yet, first seen 2025-02-01"},
	} {
		if got := In("en").History(tt.c, tt.r); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
