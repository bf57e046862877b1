package markup

import (
	"strings"
	"testing"
	"time"
)

// hostile are units whose repetition costs Markdown parsers more than linear time somewhere.
var hostile = []string{"[a](", "[", "![", "]", "[]", "[a][", "[a](<", "[a](x \"", "[a](\"", "](", "[[a]]", "*[a](b)", "**[a](b)**", "![a](https://a.b/c)",
	"> ", "- ", "1. ", "> - ", "- a\n", "1) a\n\n", "#\n", "a\n---\n", "```\n", "\n>", "    - a\n",
	"*a_", "*a ", "**a ", "a**", "a*", "_a*b~~", "~~a ", "*a**b", "***a** b* ", "\u00e9*", "a* _b",
	"`", "` ", "<", "<a ", "<a b=", "<a href='", "<b>", "</b>", "<!--", "<?", "<![CDATA[", "<!A", "<script>", "<script></script>",
	"&#", "&lt;", "\\", "(", "https://a.b/( ", "https://a.b/)))) ", " a@", "<a@b.c> ", "[a]: x\n", "[a]: <", "[a]: x '", "\t", "a\n", "\u0301", "👩\u200D"}

// filled repeats unit up to n characters, or as far as the text is still read as Markdown.
func filled(unit string, n int) string {
	fits := func(times int) bool { return formattable(strings.Repeat(unit, times)) }
	low, high := 0, n/len([]rune(unit))
	for low < high {
		if middle := (low + high + 1) / 2; fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return strings.Repeat(unit, low)
}

func ticks(n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("`", i) + " ")
	}
	return b.String()[:n]
}

func TestEightThousandHostileCharactersAreRenderedInTime(t *testing.T) {
	sources := map[string]string{
		"ticks":      ticks(length),
		"staircase":  filled(strings.Repeat("> ", 9)+"a\n"+strings.Repeat("> ", 60)+"a\n", length),
		"nested":     strings.Repeat("*a **b ", 350) + strings.Repeat("c** d*", 350),
		"references": "[a]: https://a.b/" + strings.Repeat("z", 1_900) + "\n\n" + strings.Repeat("[a] ", 1_900),
	}
	for _, unit := range hostile {
		sources[unit] = filled(unit, length)
		sources["unbounded "+unit] = strings.Repeat(unit, length/len([]rune(unit)))
	}
	for name, source := range sources {
		if best := fastest(3, func() { Render(source) }); best > patience {
			t.Errorf("%q took %v", name, best)
		}
		if best := fastest(3, func() { Plain(source); Hints(source) }); best > 2*patience {
			t.Errorf("%q took %v to read", name, best)
		}
	}
}

// fastest is the best of several runs: the machine may be busy with something else during one.
func fastest(runs int, f func()) time.Duration {
	best := time.Hour
	for range runs {
		start := time.Now()
		f()
		if best = min(best, time.Since(start)); best < patience/4 {
			break
		}
	}
	return best
}

func TestEmphasisIsNotNestedWithoutEnd(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("*a **b ", 350) + strings.Repeat("c** d*", 350)
	html := Render(source)
	mustBeSafe(t, source, html)
	if strings.Contains(html, strings.Repeat("<em>", maxInline+1)) {
		t.Errorf("got %.200q", html)
	}
}

func BenchmarkRender(b *testing.B) {
	typical := "I **agree**, see https://blog.example/post and [this](https://blog.example/other).\n\n> quoted text\n\n- one\n- two `code`\n\n```go\nx := 1\n```\n"
	for name, source := range map[string]string{"typical": typical, "plain": strings.Repeat("Just some words. ", 20), "hostile": filled("*a ", 8_000)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Render(source)
			}
		})
	}
}
