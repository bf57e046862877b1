package markup

import (
	"strings"
	"testing"
	"unicode"

	xhtml "golang.org/x/net/html"
)

// Each row is one way in; the oracle decides, and shows/hides say what a reader must still see or never see.
var attacks = []struct {
	name, source string
	shows        string // part of Plain
	hides        string // not part of Plain
}{
	{"XSS-01 details with ontoggle", `<details open ontoggle=alert(1)>hi</details>`, "hi", ""},
	{"XSS-01 details with ontoggle, quoted and in a list", "- <details open ontoggle='alert(1)'>\n  hi", "hi", ""},
	{"XSS-01 image with onerror", `before <img src=x onerror=alert(1)> after`, "before", ""},
	{"XSS-01 unfinished tag", `<img src=x onerror=alert(1)//`, "", ""},
	{"XSS-01 svg", `<svg/onload=alert(1)><animate onbegin=alert(1)>`, "", ""},
	{"XSS-01 marquee, video, body, form", `<marquee onstart=1><video oncanplay=1><body onload=1><form><button formaction=javascript:0>b`, "b", ""},
	{"XSS-01 attribute in a link title", `[a](https://a.example "x\" onmouseover=alert(1) y=\"")`, "a", ""},
	{"XSS-01 attribute in an address", `[a](https://a.example/"onmouseover=alert(1))`, "a", ""},
	{"XSS-01 tag in code language", "```\"><img/src=x/onerror=1>\ncode\n```", "code", ""},
	{"XSS-01 tag in image text", `![<img src=x onerror=1>](https://a.example/x.png)`, "", ""},
	{"XSS-01 tag that closes its place", `</p></div></template><iframe srcdoc="&#60;b&#62;x">`, "", ""},
	{"XSS-01 mathml and foreign content", `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=1&gt;">`, "", ""},
	{"XSS-07 angle autolink with javascript", `<javascript:void(0)>`, "javascript:void(0)", ""},
	{"XSS-07 angle autolink with data", `<data:text/html,hi>`, "data:text/html,hi", ""},
	{"XSS-07 reference link", "[a][r] [r]\n\n[r]: javascript:void(0)", "a r", ""},
	{"XSS-07 image", `![alt](javascript:void(0)) ![alt](data:image/svg+xml,x)`, "alt", ""},
	{"XSS-07 bare addresses", "javascript:void(0) data:text/html,hi file:///etc/passwd ftp://a.example/x", "ftp://a.example", ""},
	{"XSS-07 other schemes", "<about:blank> <blob:x> <filesystem:x> <intent://x> <view-source:https://a.example> <tel:1> <sms:1>", "blob:x", ""},
	{"XSS-08 mixed case", `[text](JaVaScRiPt:0)`, "text", ""},
	{"XSS-08 vbscript", `[text](vbscript:0)`, "text", ""},
	{"XSS-08 data with base64", `[text](data:text/html;base64,PGI+)`, "text", ""},
	{"XSS-08 leading newline", "[text](\nJaVaScRiPt:0) [text](\nvbscript:0) [text](\ndata:text/html;base64,PGI+)", "text text text", ""},
	{"XSS-08 leading tab", "[text](\tJaVaScRiPt:0) [text](<\tvbscript:0>) [text](\tdata:text/html;base64,PGI+)", "text text text", ""},
	{"XSS-08 entities", `[text](&#106;avascript:0) [text](java&Tab;script:0) [text](javascript&colon;0) [text](&#x6A&#x61;vascript:0)`, "text", ""},
	{"XSS-08 escapes", `[text](javascript\:0) [text](%6Aavascript:0)`, "text", ""},
	{"XSS-08 control characters", "[text](\x01javascript:0) [text](java\x00script:0) [text](\u200bjavascript:0)", "text", ""},
	{"XSS-08 hidden host", `[text](https:\\evil.example) [text](https://good.example\@evil.example) [text](https:evil)`, "text", ""},
	{"XSS-11 select, option, style, script", `<select><option><style><script>1</script></style></option></select>`, "", "1"},
	{"XSS-11 style", "a <style>p{color:red}</style> b", "a", "color"},
	{"XSS-11 script over paragraphs", "a\n\n<script>\none\n\ntwo `three`\n\n- four\n</script>\n\nb", "a\n\nb", "two"},
	{"XSS-11 script in other case and with attributes", "a <ScRiPt\ntype='x'>one</sCrIpT > b", "b", "one"},
	{"XSS-11 script in a link and a quote", "> [x <script>one](https://a.example) two</script> c", "c", "one"},
	{"XSS-11 nested so that cutting joins a tag", "<scr<script>1</script>ipt>2</script>", "2", ""},
	{"XSS-11 textarea, title, noscript, xmp, plaintext", "<textarea><title><noscript><xmp><plaintext><style>one</style>", "", "one"},
	{"XSS-14 overlay by style", `<p style="position:fixed;inset:0">x`, "x", ""},
	{"XSS-14 overlay by class", `<p class="host-modal">x</p>`, "x", ""},
	{"XSS-14 class by code language", "```js host-modal\ncode\n```\n\n```x\"y\ncode\n```", "code", ""},
	{"XSS-14 address that leaves css", `![x](https://a.example/);background:url(//x)`, "x", ""},
	{"XSS-14 attribute syntax of other dialects", "# a {.host-modal style=x onclick=y}\n\n[a](https://a.example){.host-modal}", "a", ""},
}

func TestHostileSourcesGiveNothingActive(t *testing.T) {
	t.Parallel()
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			html := Render(a.source)
			mustBeSafe(t, a.source, html)
			plain := Plain(a.source)
			if !strings.Contains(plain, a.shows) {
				t.Errorf("%q reads %q and does not show %q", a.source, plain, a.shows)
			}
			if a.hides != "" && strings.Contains(plain, a.hides) {
				t.Errorf("%q reads %q and shows %q", a.source, plain, a.hides)
			}
			mustBeSafe(t, a.source, Sanitize(a.source))
		})
	}
}

func TestXSS_07_XSS_08_OnlyHTTPAndMailtoAreLinks(t *testing.T) {
	t.Parallel()
	schemes := []string{"JaVaScRiPt:0", "vbscript:0", "data:text/html;base64,PGI+", "javascript:void(0)", "data:text/html,hi",
		"file:///x", "x:y", "//a.example/x", "/x", "x", "#x", "?x", "https:", "https://", "https:///x", "http:x", "mailto:", "mailto://a@b"}
	forms := []string{"[text](%)", "[text](<%>)", "![text](%)", "<%>", "%", "[text][r]\n\n[r]: %", "[r]\n\n[r]: <%>", "[text](\n%)", "[text](\t%)", "[![text](%)](%)"}
	for _, scheme := range schemes {
		for _, form := range forms {
			source := strings.ReplaceAll(form, "%", scheme)
			html := Render(source)
			mustBeSafe(t, source, html)
			if found := hrefs(t, html); len(found) > 0 {
				t.Errorf("%q links to %q", source, found)
			}
			if strings.Contains(form, "text") && !strings.Contains(Plain(source), "text") {
				t.Errorf("%q lost its text: %q", source, html)
			}
		}
	}
}

func TestXSS_10_NoSpellingBecomesAScriptElement(t *testing.T) {
	t.Parallel()
	spellings := []string{"scrİpt", "ſcript", "SCRİPT", "scrıpt"}
	for i, letter := range "script" {
		for r := rune(0x80); r < 0x20000; r++ { // no letter beyond has a case
			if unicode.ToLower(r) == letter || unicode.ToUpper(r) == unicode.ToUpper(letter) || unicode.SimpleFold(r) == letter {
				spellings = append(spellings, "script"[:i]+string(r)+"script"[i+1:])
			}
		}
	}
	if len(spellings) < 7 {
		t.Fatalf("only %d spellings", len(spellings))
	}
	for _, s := range append(spellings, "\u212Aeygen", "lin\u212A", "\u212Abd") {
		source := "<" + s + ">1</" + s + ">"
		for _, html := range []string{Render(source), Sanitize(source)} {
			mustBeSafe(t, source, html)
			for _, folded := range []string{html, strings.ToLower(html), strings.ToUpper(html), FoldWords(html), strings.ToLowerSpecial(unicode.TurkishCase, html)} {
				if elements(folded)["script"] {
					t.Errorf("%q gives %q", source, html)
				}
			}
		}
		if !strings.Contains(Plain(source), "1") {
			t.Errorf("%q is no script for HTML and lost its text", source)
		}
	}
}

func elements(html string) map[string]bool {
	found := map[string]bool{}
	for z := xhtml.NewTokenizer(strings.NewReader(html)); z.Next() != xhtml.ErrorToken; {
		if token := z.Token(); token.Type != xhtml.TextToken {
			found[token.Data] = true
		}
	}
	return found
}

func TestSanitizeKeepsTheListedElementsAndDropsTheRest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`<p>a</p>`, `<p dir="auto">a</p>`},
		{`<p dir="rtl" onclick="x" style="y" class="z">a`, `<p dir="auto">a</p>`},
		{`<a href="https://A.example/x?a=1&b=2" target=_top rel=opener>a</a>`,
			`<a href="https://a.example/x?a=1&amp;b=2" rel="nofollow noopener noreferrer ugc" target="_blank">a</a>`},
		{`<a href="javascript:0">a</a><a href="/x">b</a><a name="x">c</a>`, `abc`},
		{"<a href=\"java\tscript:0\">a</a><a href=\" javascript:0\">b</a>", `ab`},
		{`<a href="https://u:p@a.example">a</a>`, `a`},
		{`<script>a</script>b<style>c</style>`, `b`},
		{`<code class="language-go">a</code><code class="x">b</code><code class="language-go host">c</code>`,
			`<code class="language-go">a</code><code>b</code><code>c</code>`},
		{`<ol start="3"><li>a</ol><ol start="x"><li>b</ol>`, `<ol start="3"><li dir="auto">a</li></ol><ol><li dir="auto">b</li></ol>`},
		{`</div></p>a<div id=x>b</div>`, `<p dir="auto"></p>ab`},
		{strings.Repeat("<em>", 600) + "a", strings.Repeat("&lt;em&gt;", 600) + "a"},
	} {
		if got := Sanitize(c.in); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
		mustBeSafe(t, c.in, Sanitize(c.in))
	}
}
