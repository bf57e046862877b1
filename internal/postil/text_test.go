package postil

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesAreCleanedToOneVisibleLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"UNI-01 right-to-left override", "Eve\u202etxt.exe", "Evetxt.exe"},
		{"UNI-01 every direction character", "E\u202av\u202b\u202c\u202de\u202e \u2066A\u2067\u2068\u2069n\u200e\u200fn\u061c", "Eve Ann"},
		{"UNI-02 invisible characters around", "\u200b\ufeffAnn\u200c\u2800 \u3164", "Ann"},
		{"UNI-05 NUL", "a\u0000b", "ab"},
		{"UNI-05 other controls", "a\x01\x1b\x7f\u0080b", "ab"},
		{"UNI-10 lone surrogate", "x \xed\xa0\xbd y", "x \ufffd y"},
		{"UNI-07 Cyrillic", "Анна", "Анна"},
		{"UNI-07 Chinese", "李雷", "李雷"},
		{"UNI-07 Arabic", "علي", "علي"},
		{"UNI-07 apostrophe", "O'Neil", "O'Neil"},
		{"UNI-07 hyphen", "Jean-Luc", "Jean-Luc"},
		{"UNI-07 Devanagari", "अन्ना", "अन्ना"},
		{"XSS-04 markup stays literal text", `Ann"</a><iframe srcdoc="&#60;b&#62;x">`, `Ann"</a><iframe srcdoc="&#60;b&#62;x">`},
		{"emoji sequences stay whole", "朵朵🌸 👨‍👩‍👧‍👦 ❤️ 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "朵朵🌸 👨‍👩‍👧‍👦 ❤️ 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"},
		{"joiners in Persian words stay", "می\u200cخواهم", "می\u200cخواهم"},
		{"white space becomes one space", " \tAnn \r\n\u3000 Lee\u2028", "Ann Lee"},
		{"composed", "Jose\u0301", "José"},
		{"composed across what is removed", "Jose\u200b\u0301", "José"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, err := CleanName(tt.in); err != nil || got != tt.want {
				t.Errorf("CleanName(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestUNI_02_ANameThatNobodySeesIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", " \n\t", "\u200b", "\u200c", "\ufeff", "\u2800", "\u3164", "\uffa0", "\u115f", "\u1160", "\u00ad", "\u034f", "\u2060", "\u180e",
		"\ufe0f", "\U000E0041", "\u202e\u2066", "\x00", "\u200b \u2800\u200d", "\u0301", "\u17b4",
	} {
		_, err := CleanName(name)
		wantInvalid(t, name, err, "author.name")
	}
}

func TestUNI_02_NamesThatLookTheSameHaveOneKey(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"ann lee", "Ann Lee", "A\u200bnn Lee", "Ann\u200d Lee\ufeff", "ANN  LEE", "Ａｎｎ　Ｌｅｅ", "Ann\u00a0Lee", "\u2800Ann Lee\u3164", "A\u00adn\ufe0fn Lee",
	} {
		if got, want := NameKey(name), NameKey("Ann Lee"); got != want {
			t.Errorf("NameKey(%q) = %q, want %q", name, got, want)
		}
	}
	for a, b := range map[string]string{"Straße": "STRASSE", "José": "JOSE\u0301", "ΣΊΣΥΦΟΣ": "σίσυφος"} {
		if NameKey(a) != NameKey(b) {
			t.Errorf("%q and %q have different keys", a, b)
		}
	}
	if NameKey("Ann") == NameKey("Anna") || NameKey("Анна") == NameKey("Анни") {
		t.Error("different names have one key")
	}
}

func TestANameHasAtMost64Characters(t *testing.T) {
	t.Parallel()
	if _, err := CleanName(strings.Repeat("李", MaxName) + strings.Repeat(" ", 99)); err != nil {
		t.Error(err)
	}
	_, err := CleanName(strings.Repeat("李", MaxName+1))
	if e := wantInvalid(t, "65 characters", err, "author.name"); e.Limit != MaxName {
		t.Errorf("limit %d", e.Limit)
	}
}

func TestTextIsKeptByteForByte(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"use &lt;b&gt; here", "&amp;lt;", "`vec<int>`", "ok 🐘 after 👨‍👩‍👧 🇩🇪", "\ta\tb  \n\n  trailing  ", "a\r\nb\r\n", "e\u0301 stays in two", "\u202eabc\u202c",
		"می\u200cخواهم", "<script>alert(1)</script>", "\ufeffx", "a\u2028b", ".",
	} {
		if got, err := CleanText(text); err != nil || got != text {
			t.Errorf("MD-01: CleanText(%q) = %q, %v", text, got, err)
		}
	}
}

func TestUNI_05_ControlCharactersAreRemovedFromText(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < 0xA0; r++ {
		if r == '\t' || r == '\n' || (r >= 0x20 && r < 0x7F) {
			continue
		}
		if got, err := CleanText("a" + string(r) + "b"); err != nil || got != "ab" {
			t.Errorf("%U: %q, %v", r, got, err)
		}
	}
	if got, _ := CleanText("a\r\r\nb\r\x00\nc\r"); got != "a\r\nb\r\nc" {
		t.Errorf("line ends became %q", got)
	}
}

func TestUNI_10_WhatIsNoUTF8BecomesAReplacementCharacter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"x \xed\xa0\xbd y": "x \ufffd y", "\xff": "\ufffd", "a\xc3": "a\ufffd", "x \ufffd y": "x \ufffd y"} {
		if got, err := CleanText(in); err != nil || got != want {
			t.Errorf("CleanText(%q) = %q, %v", in, got, err)
		}
		if got := CleanTitle(in); got != want {
			t.Errorf("CleanTitle(%q) = %q", in, got)
		}
	}
}

func TestTextThatNobodySeesIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n\t\r\n", "\u200b\ufeff", "\x00\x01", "\u2800", "\u3164 \u00ad"} {
		_, err := CleanText(text)
		if e := wantInvalid(t, text, err, "text"); e.Sentence != "Write a comment first." {
			t.Errorf("%q: %s", text, e.Sentence)
		}
	}
}

func TestTextHasAtMost8000CharactersAsSent(t *testing.T) {
	t.Parallel()
	if _, err := CleanText(strings.Repeat("🐘", MaxText)); err != nil {
		t.Error(err)
	}
	_, err := CleanText(strings.Repeat("x", MaxText) + "\x00")
	e := wantInvalid(t, "8001 characters", err, "text")
	if e.Limit != MaxText || !strings.Contains(e.Sentence, "8,001") {
		t.Errorf("limit %d: %s", e.Limit, e.Sentence)
	}
}

func TestURL_11_ATitleIsOnePlainLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Free <b>pills</b>": "Free <b>pills</b>", " A\u0000 \n title\u202e \x07": "A title", "a\u0000b": "ab", "\u200b\u2800": "", "": "",
		"Cafe\u0301": "Café", "👨‍👩‍👧": "👨‍👩‍👧",
	} {
		if got := CleanTitle(in); got != want {
			t.Errorf("CleanTitle(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestALongTitleIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxTitle-2)
	for in, want := range map[string]string{
		long + "abc":                           long + "ab",
		long + "a👍🏽 and more":                  long + "a",
		long + "👨‍👩‍👧 and more":                long,
		long + " é and more":                   long + " é",
		long + "aq\u0323\u0307":                long + "a",
		long + "a b":                           long + "a",
		strings.Repeat("\u0301", 400):          "",
		strings.Repeat("文", MaxTitle) + "more": strings.Repeat("文", MaxTitle),
	} {
		if got := CleanTitle(in); got != want || utf8.RuneCountInString(got) > MaxTitle {
			t.Errorf("CleanTitle(…%q) = …%q", in[max(0, len(in)-30):], got[max(0, len(got)-30):])
		}
	}
	if n := utf8.RuneCountInString(CleanTitle("x" + strings.Repeat("\u0323", 400))); n == 0 || n > MaxTitle {
		t.Errorf("a heap of marks keeps %d characters", n)
	}
}

func TestAUserAgentIsShortValidText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Mozilla/5.0 (X11)": "Mozilla/5.0 (X11)", "<img src=x onerror=1>": "<img src=x onerror=1>", "a\x00\r\nb\x1b": "a b", "\xff": "\ufffd", "": "",
		strings.Repeat("x", 500):       strings.Repeat("x", MaxUserAgent),
		"x" + strings.Repeat("é", 300): "x" + strings.Repeat("é", 199),
	} {
		if got := CleanUserAgent(in); got != want {
			t.Errorf("CleanUserAgent(%q) = %q", in, got)
		}
	}
}

// wantInvalid fails unless err is Invalid for field, and returns it.
func wantInvalid(t *testing.T, input string, err error, field string) *Error {
	t.Helper()
	e, ok := err.(*Error)
	if !ok || e.Kind != Invalid || e.Field != field || e.Sentence == "" {
		t.Errorf("%q: %#v, want an Invalid error for %s", input, err, field)
		return &Error{}
	}
	return e
}
