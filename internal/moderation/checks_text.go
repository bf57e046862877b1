package moderation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// longText is the length, in characters, from which a person should look.
const longText = 5000

// blockedWords looks for the site's blocked words in what readers see of the
// text, addresses of links included, in the name and in the website.
func blockedWords(s Subject) []postil.Finding {
	words := markup.NewWordList(slices.Concat(s.Memory.Site.Blocked, s.Memory.Site.HeldEverywhere))
	for _, place := range []struct{ what, text string }{
		{"the text", markup.PlainHTML(s.HTML)}, {"the name", s.Comment.Author.Name}, {"the website", s.Comment.Author.Website},
	} {
		if word, ok := words.Match(place.text); ok {
			return objection(fmt.Sprintf("“%s” in %s is on the block list", word, place.what))
		}
	}
	return nil
}

// links counts them; the website beside the name is not one of them.
func links(s Subject) []postil.Finding {
	n := 0
	for _, link := range markup.LinksHTML(s.HTML) {
		if counted(s, link) {
			n++
		}
	}
	if n <= s.Memory.Site.MaxLinks {
		return nil
	}
	return objection(plural(n, "link"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return number(n) + " " + noun + "s"
}

// number writes small numbers as words, as people do in a sentence.
func number(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n >= 0 && n < len(words) {
		return words[n]
	}
	return postil.Thousands(n)
}

// lookAlike finds words that mix letters of scripts which look the same, and
// controls that turn the direction of the text around.
func lookAlike(s Subject) []postil.Finding {
	if markup.HasBidiControl(s.Text) {
		return objection("the text hides its real order with direction controls")
	}
	for _, word := range strings.FieldsFunc(s.Comment.Author.Name+" "+s.Text, notInWord) {
		if markup.MixedScript(word) {
			return objection(fmt.Sprintf("“%s” mixes alphabets that look alike", word))
		}
	}
	return nil
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }

// invisible finds characters that nobody can see and that have no business in
// the script around them.
func invisible(s Subject) []postil.Finding {
	if n := markup.Invisible(s.Text); n > 0 {
		return objection(plural(n, "invisible character"))
	}
	return nil
}

func length(s Subject) []postil.Finding {
	if n := utf8.RuneCountInString(s.Text); n > longText {
		return objection(fmt.Sprintf("%s characters long", postil.Thousands(n)))
	}
	return nil
}
