package markup

import (
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestFoldUnifiesWhatSearchShouldFind(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Straße": "strasse", "STRASSE": "strasse", "Grüße": "grusse", "GRÜẞE": "grusse", "Gru\u0308ße": "grusse",
		"ﬁne": "fine", "Ｆｕｌｌ": "full", "ｶﾞ": "ガ", "Ёлка": "елка", "йод": "иод", "ΣΊΣΥΦΟΣ": "σισυφοσ", "İstanbul": "istanbul",
		"s\u200Bp\u00ADa\uFEFFm": "spam", "a\u0336b\u0336": "ab", "شَدَّة": "شدة", "שָׁלוֹם": "שלום", "한글": "한글", "②": "2",
		"デ": "デ", "テ": "テ", "हिन्दी": "हिन्दी", "ที่": "ที่", "👍🏽": "👍🏽",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFoldWordsKeepsLettersApart(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"й": "й", "Й": "й", "и\u0306": "й", "и": "и", "Grüße": "grüsse", "Straße": "strasse", "s\u200Bpam": "spam", "ＳＰＡＭ": "spam",
		"s\u0336p\u0336a\u0336m": "spam", "СПАМ": "спам", "デ": "デ",
	} {
		if got := FoldWords(in); got != want {
			t.Errorf("FoldWords(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFoldingIsAtRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		for name, fold := range map[string]func(string) string{"Fold": Fold, "FoldWords": FoldWords} {
			once := fold(s)
			if twice := fold(once); twice != once {
				t.Fatalf("%s(%q) = %q, then %q", name, s, once, twice)
			}
		}
	})
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S) || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Tangut) {
			continue // nothing to fold, or far too many alike
		}
		if once := Fold(string(r)); Fold(once) != once {
			t.Errorf("Fold(%U) = %q, then %q", r, once, Fold(once))
		}
		if once := FoldWords(string(r)); FoldWords(once) != once {
			t.Errorf("FoldWords(%U) = %q, then %q", r, once, FoldWords(once))
		}
	}
}

func TestUNI_08_WordsMatchWholeInEveryScript(t *testing.T) {
	t.Parallel()
	list := NewWordList([]string{"ass", "спам", "spam", "buy now", "e-mail", "c++", "🍆", "博彩", "Grüße", "", " \u200B", "йод", "नमक"})
	for _, c := range []struct{ text, want string }{
		{"class", ""}, {"спаметь", ""}, {"an ass.", "ass"}, {"ASS", "ass"}, {"ass1", ""}, {"assé", ""}, {"ass\u0301", ""}, {"(ass)", "ass"},
		{"ass_x", "ass"}, {"СПАМ", "спам"}, {"это спам!", "спам"}, {"антиспам", ""},
		{"s\u200Bpam", "spam"}, {"s\u00ADp\u2060am", "spam"}, {"ＳＰＡＭ", "spam"}, {"𝓼𝓹𝓪𝓶", "spam"}, {"s\u0336p\u0336a\u0336m", "spam"}, {"spammer", ""},
		{"spam" + "\u200Bmer", ""},
		{"Buy   Now!", "buy now"}, {"buy\nnow", "buy now"}, {"buy, now", "buy now"}, {"buy it now", ""}, {"rebuy now", ""}, {"buy nowadays", ""},
		{"my e-mail", "e-mail"}, {"my E mail", "e-mail"}, {"email", ""},
		{"learn C++ today", "c++"}, {"c", ""}, {"abc++", ""}, {"x🍆y", "🍆"}, {"网络博彩平台", "博彩"}, {"GRÜSSE", "Grüße"}, {"Grusse", ""},
		{"йод", "йод"}, {"иод", ""}, {"नमक", "नमक"}, {"नमकीन", ""}, {"", ""}, {"class and ass", "ass"},
	} {
		got, ok := list.Match(c.text)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Match(%q) = %q, %v; want %q", c.text, got, ok, c.want)
		}
	}
	if _, ok := (WordList{}).Match("ass"); ok {
		t.Error("the zero value matches")
	}
}

func TestUNI_08_AListedWordIsFoundHoweverItIsDisguised(t *testing.T) {
	t.Parallel()
	list := NewWordList([]string{"спам", "spam"})
	rapid.Check(t, func(t *rapid.T) {
		var word []rune
		for _, r := range rapid.SampledFrom([]string{"спам", "СПАМ", "spam", "SPAM", "ＳＰＡＭ"}).Draw(t, "word") {
			word = append(word, r)
			word = append(word, rapid.SliceOfN(rapid.SampledFrom([]rune{0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD, 0x34F, 0x3164}), 0, 2).Draw(t, "hidden")...)
		}
		before := rapid.SampledFrom([]string{"", " ", "x ", "(", "\n", "…", "🐘"}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", " ", ". y", ")", "\n", "…", "🐘"}).Draw(t, "after")
		if text := before + string(word) + after; !matches(list, text) {
			t.Fatalf("%q passes", text)
		}
		letter := rapid.SampledFrom([]string{"a", "я", "7", "é", "ß"}).Draw(t, "letter")
		if text := letter + string(word) + after; matches(list, text) {
			t.Fatalf("%q is held", text)
		}
	})
}

func matches(l WordList, text string) bool {
	_, ok := l.Match(text)
	return ok
}

func TestMixedScriptSeesDisguisesAndNothingElse(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"pаypal": true, "раураl": true, "cпaм": true, "viаgrа": true, "gοοgle": true, "Αpple": true, "СasinО": true, "p\u200Bаypal": true,
		"paypal": false, "привет": false, "QR-код": false, "VIPовский": false, "PRщик": false, "Δt": false, "μTorrent": false, "Ελλάδα": false,
		"": false, "123": false, "東京tower": false, "naïve": false, "3D-модель": false, "λx": false,
	} {
		if got := MixedScript(word); got != want {
			t.Errorf("MixedScript(%q) = %v", word, got)
		}
	}
}

func TestHasBidiControlSeesWhatTurnsText(t *testing.T) {
	t.Parallel()
	for r := rune(0x2000); r < 0x2100; r++ {
		want := r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
		if got := HasBidiControl("Eve" + string(r) + "txt.exe"); got != want {
			t.Errorf("%U: %v", r, got)
		}
	}
}

func TestInvisibleCountsOnlyWhatHasNoBusinessThere(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"": 0, "plain": 0, "s\u200Bpam": 1, "\u200B\u200C\uFEFF": 3, "s\u200Dpam": 1, "s\u200Cpam": 1, "a\uFE0F": 1, "a\u00ADb": 1, "\u202Ea": 1,
		"👩‍👩‍👧‍👦": 0, "❤️": 0, "1️⃣": 0, "🏴󠁧󠁢󠁷󠁬󠁳󠁿": 0, "🏳️‍🌈": 0, "👩🏽‍💻": 0, "👩\u200D": 1, "x" + "\U000E0067": 1, "a\u3164b": 1,
		"می\u200Cخواهم": 0, "क्\u200Dष": 0, "ක්\u200Dර": 0, "می\u200C\u200Cخ": 1, "葛\U000E0100": 0, "ᠠ\u180B": 0, "日本": 0,
	} {
		if got := Invisible(s); got != want {
			t.Errorf("Invisible(%q) = %d, want %d", s, got, want)
		}
	}
}
