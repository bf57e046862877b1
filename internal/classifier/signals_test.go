package classifier

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Each signal of a text with what it must find and what it must leave alone:
// the nearest thing that honest people write.
func TestEachSignalFindsWhatItShouldAndNothingElse(t *testing.T) {
	t.Parallel()
	text := func(s string) Sample { return Sample{Text: s, Page: "pruning-old-roses"} }
	name := func(s string) Sample { return Sample{Name: s, Text: "I agree with that."} }
	site := func(s string) Sample { return Sample{Website: s, Text: "I agree with that."} }
	long := strings.Repeat("Another sentence about the weather of last week. ", 30)
	for _, row := range []struct {
		signal   string
		yes, not Sample
	}{
		{"link", text("see http://a.example/"), text("ASP.NET and node.js, e.g. v1.2")},
		{"link", text("see shop.example.com"), text("a file called main.go or index.html")},
		{"links-2", text("http://a.example http://b.example"), text("http://a.example")},
		{"links-4", text("http://a.example http://b.example www.c.example http://d.example"), text("http://a.example")},
		{"link-heavy", text("go http://a.example/a/long/address"), text(long + " http://a.example")},
		{"link-only", text("http://a.example/x"), text("I found this: http://a.example/x")},
		{"link-last", text("That is what I wanted to know. http://a.example"), text("http://a.example says more about it than I could, and I read it all again yesterday with pleasure.")},
		{"link-slug", text("http://a.example/buy-cheap-red-shoes"), text("http://a.example/shoes")},
		{"link-home", text("http://a.example/"), text("http://a.example/page")},
		{"html-link", text(`<a href="http://a.example">x</a>`), text("a < b and b > c")},
		{"html-tag", text("<b>new</b> shoes"), text("generics like List<String>")},
		{"bbcode", text("[url=http://a.example]x[/url]"), text("see [1] and [2]")},
		{"two-syntaxes", text(`<a href="http://a.example">x</a> [url=http://a.example]x[/url]`), text("[x](http://a.example)")},
		{"markdown-link", text("[x](http://a.example)"), text("f[x](y)")},
		{"mail-address", text("write to joe @ mail.example"), text("meet me @ the pub")},
		{"phone", text("call +1 (555) 010-9999"), text("between 1914 and 1918, about 25.000 to 30.000")},
		{"phone", text("call 0555 010 99 99"), text("http://a.example/12345678901")},
		{"tld", text("http://pills.xyz"), text("http://roses.example")},
		{"shortener", text("http://bit.ly/abc"), text("http://bits.example/abc")},
		{"host-words", text("http://buy-cheap-shoes.example"), text("http://roses.example")},
		{"look-alike", text("a bеautiful post"), text("Привет, QR-код and hello")},
		{"invisible", text("bea\u200butiful"), text("👨‍👩‍👧 नमस्ते")},
		{"broken-encoding", text("I don?t know what you mean"), text("Really? that is news")},
		{"spun", text("a {nice|great|good} post"), text("`{a|b}` in a shell")},
		{"hard-breaks", text("This is a sentence that was wrapped by a tool \nand goes on in the next line."), text("A line that ends with a stop.\nAnd another line.")},
		{"long", text(long), text("short")},
		{"very-long", text(long + long + long), text(long)},
		{"block", text(long), text(strings.Replace(long, ". ", ".\n", 3))},
		{"short", text("Thanks!"), text(long)},
		{"brief", text("Thanks for that."), text(long)},
		{"few-words", text("me too"), text("me too and everybody else")},
		{"off-topic", text("The football match of last night was the best one that I have ever seen in my life."), text("I have been pruning trees all of my life and never did it as you say here, to be honest.")},
		{"on-topic", text("Old roses are the best."), text("Old trees are the best.")},
		{"site-talk", text("I love your blog"), text("I love my dog")},
		{"praise", text("Very informative post"), text("A very cold winter")},
		{"praise-only", text("Thanks for sharing."), text("Thanks for sharing. When do you prune?")},
		{"praise-link", text("Nice post http://a.example"), text("Nice post")},
		{"technical", text("my version of SetupSequence fails"), text("I live in Paris. You too, I hear")},
		{"technical", text("what does _config.yml do, or render()?"), text("see http://a.example/MyPage.html and me@a.example")},
		{"technical-3", text("HttpContext, web.config and GetCount()"), text("HttpContext alone")},
		{"contraction", text("I don't know"), text("Joe's roses are 'fine'")},
		{"contraction", text("I’m not sure"), text("the roses’ thorns")},
		{"trouble", text("I get an error"), text("I get a rose")},
		{"trouble", text("it does not work"), text("a work of love, not of duty")},
		{"calls", text("subscribe to me"), text("I wrote a letter")},
		{"calls", text("contact us on the phone"), text("we were in contact")},
		{"own-site", text("look at my channel"), text("look at my roses")},
		{"calls-link", text("visit us at http://a.example"), text("visit us")},
		{"offer", text("only $20 a month"), text("only 20 a month")},
		{"code", text("try `x := 1`"), text("try it")},
		{"question", text("When do you prune?"), text("I prune in March.")},
		{"mention", text("@ann that is right"), text("ann@mail.example")},
		{"reply", Sample{Text: "yes", Reply: true}, text("yes")},
		{"shouting", text("BUY THIS NOW FROM us"), text("I use HTML and CSS with my friends")},
		{"exclaims", text("Wow!!!"), text("Wow!")},
		{"emoji", text("🌹🌹 nice"), text("🌹 nice")},
		{"random", text("xvbnkrt qwrtpsd"), text("Schmetterling im Herbst")},
		{"no-lower", text("roses are red"), text("Roses are red")},
		{"headline", text("Cheap Shoes For Sale In Your Town Today"), text("I bought the shoes in Paris last year on Sunday")},
		{"repeats", text("roses roses are the best of all roses and my roses are red roses of old"), text("I planted three of them last autumn, and two of these plants have come through the winter well")},
		{"website", site("https://ann.example"), text("yes")},
		{"website-home", site("https://ann.example/"), site("https://ann.example/about")},
		{"website-path", site("https://ann.example/shop?id=1"), site("https://ann.example/")},
		{"website-slug", site("https://ann.example/buy-cheap-red-shoes"), site("https://ann.example/about")},
		{"website-again", Sample{Website: "https://ann.example", Text: "see http://ann.example/x"}, Sample{Website: "https://ann.example", Text: "see http://bob.example/x"}},
		{"website-broken", site("seo plugin"), site("ann.example")},
		{"website-case", site("http://Cheap-Shoes.example"), site("http://ann.example/About")},
		{"name-link", name("http://a.example/shoes"), name("Dr. Ann Example")},
		{"name-mail", name("ann@mail.example"), name("Ann @ home")},
		{"name-digits", name("ann1985"), name("Ann")},
		{"name-3-words", name("best running shoes"), name("Ann Example")},
		{"name-5-words", name("best running shoes for men"), name("Ann Maria van Example")},
		{"name-lower", name("ann"), name("李小龙")},
		{"name-lower-2", name("cheap shoes"), name("ann")},
		{"name-host", Sample{Name: "Cheap Shoes", Text: "http://cheapshoes.example"}, Sample{Name: "Ann", Text: "http://cheapshoes.example"}},
		{"name-in-link", Sample{Name: "Shoes", Text: "http://a.example/shoes"}, Sample{Name: "Ann", Text: "http://a.example/shoes"}},
		{"name-in-text", Sample{Name: "Cheap Shoes", Text: "cheap shoes here"}, Sample{Name: "Ann", Text: "ann was here"}},
		{"name-random", name("xvbnkrt"), name("Christopher")},
		{"name-joined", name("ThomasHok"), name("Thomas")},
		{"name-script", Sample{Name: "Иван", Text: "I agree with that."}, name("Ann")},
		{"name-long", name("The best running shoes of the year"), name("Ann Example")},
		{"name-short", name("Al"), name("Albert")},
		{"name-none", Sample{Text: "x"}, name("Ann")},
	} {
		i := slices.IndexFunc(signals, func(s Signal) bool { return s.Name == row.signal })
		if i < 0 {
			t.Errorf("there is no signal %q", row.signal)
			continue
		}
		m := New(Options{})
		if m.Values(row.yes)[i] == 0 {
			t.Errorf("%s: not in %.60q by %q %q", row.signal, row.yes.Text, row.yes.Name, row.yes.Website)
		}
		if m.Values(row.not)[i] != 0 {
			t.Errorf("%s: in %.60q by %q %q", row.signal, row.not.Text, row.not.Name, row.not.Website)
		}
	}
}

// remembered by the site: a comment before and one after, with what is known.
func TestEachSignalOfMemoryFindsWhatItShould(t *testing.T) {
	t.Parallel()
	base := Sample{ID: 1, Page: "p", Name: "Ann Example", Author: "device", Mail: "a@b", Network: "net", At: noon,
		Text: "The same words of this text come again and again, with http://host.example/page in it."}
	for _, row := range []struct {
		signal       string
		spam         bool
		times        int
		after        func(*Sample)
		seen, absent bool
	}{
		{signal: "host-spam", spam: true, times: 1}, {signal: "host-spam", times: 1, absent: true}, {signal: "host-spam-3", spam: true, times: 3},
		{signal: "host-known", times: 1}, {signal: "link-new", times: 0}, {signal: "link-new", times: 1, absent: true},
		{signal: "website-new", times: 0, after: func(s *Sample) { s.Website = "http://w.example" }},
		{signal: "author-approved", times: 1}, {signal: "author-approved-3", times: 3}, {signal: "author-spam", spam: true, times: 1}, {signal: "author-spam-3", spam: true, times: 3},
		{signal: "author-new", times: 0}, {signal: "network-spam", spam: true, times: 1}, {signal: "name-spam", spam: true, times: 1}, {signal: "name-known", times: 1},
		{signal: "page-spam", spam: true, times: 3}, {signal: "page-spam", spam: true, times: 2, absent: true}, {signal: "page-mostly-spam", spam: true, times: 2}, {signal: "page-honest", times: 2},
		{signal: "text-spam", spam: true, times: 1}, {signal: "text-honest", times: 1}, {signal: "near-honest", times: 1},
		{signal: "near-spam", spam: true, times: 1, after: func(s *Sample) { s.Text += " And one more." }},
		{signal: "near-spam-half", spam: true, times: 1, after: func(s *Sample) { s.Text += " And one more." }},
		{signal: "answers", times: 1, after: func(s *Sample) { s.Text = "Ann, what do you think of it now?" }},
		{signal: "answers", times: 1, after: func(s *Sample) { s.Text = "Bob, what do you think of it now?" }, absent: true},
		{signal: "script", times: 5, after: func(s *Sample) { s.Text = "Привет, как дела" }}, {signal: "script", times: 0, absent: true},
		{signal: "language", times: 5, after: func(s *Sample) { s.Text = "Ich weiß nicht, ob das für mich und die anderen gut ist" }}, {signal: "language", times: 5, absent: true},
		{signal: "repeated", seen: true, after: func(s *Sample) { s.Author = "other" }}, {signal: "repeated", seen: true, absent: true}, // a double click
		{signal: "near-repeated", seen: true, after: func(s *Sample) { s.Author = "other" }}, {signal: "host-busy", seen: true, after: func(s *Sample) { s.Author = "other" }},
	} {
		m := New(Options{})
		if row.seen {
			m.Seen(base)
		}
		for i := range row.times {
			s := base
			s.ID = int64(i + 1)
			m.Learn(s, row.spam)
		}
		after := base
		after.ID = 99
		if row.after != nil {
			row.after(&after)
		}
		i := slices.IndexFunc(signals, func(s Signal) bool { return s.Name == row.signal })
		if got := m.Values(after)[i]; (got == 0) != row.absent {
			t.Errorf("%s after %d decisions (spam %t, seen %t): %v", row.signal, row.times, row.spam, row.seen, got)
		}
	}
}

func TestBurstsAreCounted(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	for i := range int64(4) {
		m.Seen(Sample{ID: i + 1, Author: "bot", Page: "p", Text: "x", At: noon})
		m.Seen(Sample{ID: i + 1, Author: "bot", Page: "p", Text: "x", At: noon}) // the same one, judged again
	}
	v := m.Values(Sample{ID: 9, Author: "bot", Text: "y", At: noon.Add(5e9)})
	later := m.Values(Sample{ID: 9, Author: "bot", Text: "y", At: noon.Add(3600e9)})
	for i, s := range signals {
		if (s.Name == "burst" || s.Name == "author-burst") && (v[i] == 0 || later[i] != 0) {
			t.Errorf("%s: %v at once, %v an hour later", s.Name, v[i], later[i])
		}
	}
}

func TestShippedWeightsAreThoseOfTheSignals(t *testing.T) {
	t.Parallel()
	if len(Shipped.Signal) != len(signals) {
		t.Errorf("%d weights for %d signals; derive them anew", len(Shipped.Signal), len(signals))
	}
	names := map[string]bool{}
	for _, s := range Signals() {
		w, ok := Shipped.Signal[s.Name]
		if !ok || names[s.Name] || s.read == nil {
			t.Errorf("%s has no weight or no name of its own; derive the weights anew", s.Name)
		}
		names[s.Name] = true
		if float64(s.Toward)*w < 0 || math.Abs(w) > 2 {
			t.Errorf("%s weighs %.2f, which it may not", s.Name, w)
		}
	}
	for name := range expected {
		if !names[name] {
			t.Errorf("something is expected of %q, which is no signal", name)
		}
	}
}
