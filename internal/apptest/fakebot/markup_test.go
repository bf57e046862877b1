package fakebot_test

import (
	"html"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/postil/postil/internal/apptest/fakebot"
	"pgregory.net/rapid"
)

const unparsed = "Bad Request: can't parse entities: "

func TestBrokenHTMLIsRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	for text, want := range map[string]string{
		"a < b":                       "Unsupported start tag \"\" at byte offset 2",
		"I <3 you":                    "Unsupported start tag \"3\" at byte offset 2",
		"I <3":                        "Unclosed start tag at byte offset 2",
		"R&D":                         "Unescaped character '&' at byte offset 1",
		"a && b; c":                   "Unescaped character '&' at byte offset 2",
		"&nbsp;":                      "Unescaped character '&' at byte offset 0",
		"&#0;":                        "Unescaped character '&' at byte offset 0",
		"a<br>b":                      "Unsupported start tag \"br\" at byte offset 1",
		"<p>x</p>":                    "Unsupported start tag \"p\" at byte offset 0",
		"<team>":                      "Unsupported start tag \"team\" at byte offset 0",
		"<!-- x -->":                  "Unsupported start tag \"!--\" at byte offset 0",
		"<b>x":                        "Can't find end tag corresponding to start tag \"b\"",
		"x</b>":                       "Unexpected end tag at byte offset 1",
		"<b><i>x</b></i>":             "Unmatched end tag at byte offset 7, expected \"</i>\", found \"</b>\"",
		"<b>x</b":                     "Unclosed end tag at byte offset 4",
		"<b":                          "Unclosed start tag at byte offset 0",
		"<a href>x</a>":               "Expected equal sign in declaration of an attribute of the tag \"a\" at byte offset 0",
		"<a href=\"x>y</a>":           "Unclosed start tag at byte offset 0",
		"<a href=\"/?a=1&b=2\">x</a>": "Unescaped character '&' at byte offset 14",
		"<span>x</span>":              "Tag \"span\" must have class \"tg-spoiler\" at byte offset 0",
		"<script>x</script>":          "Unsupported start tag \"script\" at byte offset 0",
		"ü<u2>":                       "Unsupported start tag \"u2\" at byte offset 2",
	} {
		_, err := d.send(text, "HTML")
		refused(t, err, 400, unparsed+want)
	}
	if n := len(d.Messages(group)); n != 0 {
		t.Errorf("%d messages came through", n)
	}
}

func TestGoodMarkupBecomesTextAndEntities(t *testing.T) {
	t.Parallel()
	type entities = []fakebot.Entity
	for name, c := range map[string]struct {
		mode, source, text string
		entities           entities
	}{
		"html nesting": {"HTML", "😀<b>bold <i>both</i></b>", "😀bold both",
			entities{{Type: "bold", Offset: 2, Length: 9}, {Type: "italic", Offset: 7, Length: 4}}},
		"html link": {"html", `<a href="https://example.org/?a=1&amp;b=&quot;">x</a>`, "x",
			entities{{Type: "text_link", Length: 1, URL: `https://example.org/?a=1&b="`}}},
		"html references": {"HTML", "&lt;b&gt; &amp;amp; &quot; &#39; &#x1F600;", "<b> &amp; \" ' 😀", nil},
		"html bare >":     {"HTML", "a > b", "a > b", nil},
		"html code": {"HTML", `<pre><code class="language-go">x</code></pre><blockquote expandable>q</blockquote>`, "xq",
			entities{{Type: "pre", Length: 1, Language: "go"}, {Type: "expandable_blockquote", Offset: 1, Length: 1}}},
		"html dead link":  {"HTML", `<a href="http://localhost/">x</a>`, "x", nil},
		"html trimmed":    {"HTML", "\n <b>\tx\r\n</b> ", "x", entities{{Type: "bold", Length: 1}}},
		"html upper case": {"HTML", "<B>x</b>", "x", entities{{Type: "bold", Length: 1}}},
		"markdown": {"MarkdownV2", `*b _i_* \. ~s~ ||p||`, "b i . s p",
			entities{{Type: "bold", Length: 3}, {Type: "italic", Offset: 2, Length: 1},
				{Type: "strikethrough", Offset: 6, Length: 1}, {Type: "spoiler", Offset: 8, Length: 1}}},
		"markdown link": {"MarkdownV2", `[x\]](https://example.org/\))`, "x]",
			entities{{Type: "text_link", Length: 2, URL: "https://example.org/)"}}},
		"markdown code": {"MarkdownV2", "`a_b*` ```go\nx.y\n```", "a_b* x.y",
			entities{{Type: "code", Length: 4}, {Type: "pre", Offset: 5, Length: 3, Language: "go"}}},
		"markdown quote": {"MarkdownV2", ">a\n>b\nc", "a\nb\nc", entities{{Type: "blockquote", Length: 4}}},
		"plain":          {"", "<b>&*_", "<b>&*_", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			if _, err := d.send(c.source, c.mode); err != nil {
				t.Fatal(err)
			}
			m := d.Messages(group)[0]
			if diff := cmp.Diff(c.text, m.Text); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.entities, m.Entities); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnescapedMarkdownIsRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, c := range "]()>#+-=|{}.!" {
		text := "x" + string(c)
		_, err := d.send(text, "MarkdownV2")
		refused(t, err, 400, unparsed+"Character '"+string(c)+"' is reserved and must be escaped with the preceding '\\'")
		if _, err := d.send("x\\"+string(c), "MarkdownV2"); err != nil {
			t.Errorf("escaped %q: %v", c, err)
		}
	}
	for text, want := range map[string]string{
		"node.js_fan!":   "Character '.' is reserved and must be escaped with the preceding '\\'",
		"js_fan":         "Can't find end of Italic entity at byte offset 2",
		"*b":             "Can't find end of Bold entity at byte offset 0",
		"*a _b* c_":      "Can't find end of Italic entity at byte offset 8",
		"🏟 🏟```":         "Can't find end of Pre entity at byte offset 9",
		"🏟 🏟_🏟 🏟__":      "Can't find end of Underline entity at byte offset 19",
		"[x](http://a.b": "Can't find end of a URL at byte offset 3",
	} {
		_, err := d.send(text, "MarkdownV2")
		refused(t, err, 400, unparsed+want)
	}
	_, err := d.send("x", "XML")
	refused(t, err, 400, "Bad Request: unsupported parse_mode")
}

func TestEscapedTextIsShownAsItWasWritten(t *testing.T) {
	t.Parallel()
	d := open(t)
	markdown := func(text string) string {
		var b strings.Builder
		for _, r := range text {
			if r > 0 && r < 127 {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		return b.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("<>&\"'`*_~|[](){}.!#+-=\\abü😀 ;/")), 0, 60, -1).Draw(t, "text")
		for mode, source := range map[string]string{"HTML": html.EscapeString(text), "MarkdownV2": markdown(text)} {
			m, err := d.send("x"+source+"x", mode)
			if err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
			if m.Text != "x"+text+"x" {
				t.Fatalf("%s: sent %q, shown %q", mode, text, m.Text)
			}
		}
	})
}

func TestExplicitEntitiesAreChecked(t *testing.T) {
	t.Parallel()
	d := open(t)
	send := func(entities string) error {
		_, err := d.call("sendMessage", "chat_id", "-1001", "text", "  a <b> 😀", "entities", entities)
		return err
	}
	if err := send(`[{"type":"bold","offset":8,"length":2}]`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]fakebot.Entity{{Type: "bold", Offset: 6, Length: 2}}, d.Messages(group)[0].Entities); diff != "" {
		t.Error(diff)
	}
	refused(t, send(`[{"type":"bold","offset":8,"length":3}]`), 400, "Bad Request: ENTITY_BOUNDS_INVALID")
	refused(t, send(`nonsense`), 400, "Bad Request: can't parse entities JSON object")
}
