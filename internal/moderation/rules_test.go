package moderation

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

func (w *world) book() *Book {
	return NewBook(w.Store, func(p netip.Prefix) string { return "hash-of-" + p.String() + "-long-enough" }, func(context.Context) time.Time { return w.clock })
}

func (w *world) lay(r postil.Ruling) postil.Ruling {
	w.Helper()
	out, err := w.book().Lay(ctx, r, mo)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func rule(kind postil.SubjectKind, value string, effect postil.Effect) postil.Ruling {
	return postil.Ruling{Site: "blog", Subject: postil.Subject{Kind: kind, Value: value}, Effect: effect}
}

// from stores a comment of somebody and has it checked.
func (w *world) from(text string, change func(*postil.NewComment)) postil.Comment {
	w.Helper()
	n := postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Text: text, HTML: markup.Render(text), TextHash: markup.Fingerprint(text),
		Nonce: "n", Author: postil.Author{Name: "Ann"}, Origin: ann, Form: postil.FormState{Token: "ok", Filled: time.Minute}}
	if change != nil {
		change(&n)
	}
	out, err := w.AddComment(ctx, n, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.check(out.Comment.ID)
	return w.now(out.Comment.ID)
}

func why(c postil.Comment) string { return postil.Why(c.Verdict, c.Findings) }

func TestABannedAuthorIsStoppedWhateverThePolicyAndNeverTold(t *testing.T) {
	t.Parallel()
	for _, policy := range []postil.Policy{postil.HoldAll, postil.FirstComment, postil.ByScore, postil.Open} {
		w := newWorld(t, policy)
		first := w.from("A first comment of Ann's", nil)
		w.decide(first.ID, postil.Approve)
		ban, err := w.book().BanAuthor(ctx, first.ID, time.Time{}, "insults", mo)
		if err != nil || ban.Subject != (postil.Subject{Kind: postil.OnDevice, Value: ann.Device}) || ban.Shown != "Ann" {
			t.Fatalf("%+v, %v", ban, err)
		}
		if c := w.from("Another one of Ann's", nil); c.Status != postil.Spam || why(c) != "spam: this author is banned (insults)" && policy != postil.ByScore {
			t.Errorf("%s: %s, %q", policy, c.Status, why(c))
		}
		if c := w.from("One of Bob's", func(n *postil.NewComment) { n.Origin.Device = "bob's device" }); c.Status == postil.Spam {
			t.Errorf("%s: Bob, who has Ann's name, is %s: %q", policy, c.Status, why(c))
		}
		if _, err := w.book().Lift(ctx, ban.ID, mo); err != nil {
			t.Fatal(err)
		}
		if c := w.from("A third one of Ann's", nil); c.Status == postil.Spam {
			t.Errorf("%s: after the ban: %s, %q", policy, c.Status, why(c))
		}
	}
}

func TestABanForATimeEndsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.Open)
	r := rule(postil.OnName, "Trolle", postil.EffectBan)
	r.Until = w.clock.Add(time.Hour)
	w.lay(r)
	troll := func(n *postil.NewComment) { n.Author.Name, n.Origin.Device = "ＴＲ\u200bＯＬＬＥ", "a device" }
	if c := w.from("What a trolle says", troll); c.Status != postil.Spam || !strings.Contains(why(c), "this name is banned until") {
		t.Errorf("%s, %q", c.Status, why(c))
	}
	if c := w.from("What a namesake says", func(n *postil.NewComment) { n.Author.Name = "Trolle Berg" }); c.Status == postil.Spam {
		t.Errorf("a longer name: %s, %q", c.Status, why(c))
	}
	w.clock = w.clock.Add(time.Hour)
	if c := w.from("What a trolle says later", troll); c.Status != postil.Approved {
		t.Errorf("after an hour: %s, %q", c.Status, why(c))
	}
}

func TestWhoIsKnownByTheNetworkAloneIsBannedForAMonthAtMost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.Open)
	bot := func(n *postil.NewComment) { n.Origin = postil.Origin{Actor: "a", Network: "a-network-hash-of-22"} }
	first := w.from("A first comment of a bot", bot)
	ban, err := w.book().BanAuthor(ctx, first.ID, time.Time{}, "", mo)
	if err != nil || ban.Subject.Kind != postil.OnNetwork || !ban.Until.Equal(w.clock.Add(networkBan)) {
		t.Fatalf("%+v, %v", ban, err)
	}
	if c := w.from("A second comment of a bot", bot); c.Status != postil.Spam || !strings.Contains(why(c), "this network is banned until") {
		t.Errorf("%s, %q", c.Status, why(c))
	}
	nobody := w.from("Out of nowhere", func(n *postil.NewComment) { n.Origin = postil.Origin{} })
	if _, err := w.book().BanAuthor(ctx, nobody.ID, time.Time{}, "", mo); postil.KindOf(err) != postil.Conflict {
		t.Errorf("somebody by whom nothing is known: %v", err)
	}
	if _, err := w.book().TrustAuthor(ctx, first.ID, mo); postil.KindOf(err) != postil.Conflict {
		t.Errorf("trust in a network: %v", err)
	}
}

func TestATrustedAuthorIsPublishedUntilSomethingSpeaksAgainst(t *testing.T) {
	t.Parallel()
	for _, policy := range []postil.Policy{postil.FirstComment, postil.ByScore} {
		w := newWorld(t, policy)
		first := w.from("A first comment of Ann's", nil)
		if first.Status != postil.Pending {
			t.Fatalf("%s: %s", policy, first.Status)
		}
		if _, err := w.book().TrustAuthor(ctx, first.ID, mo); err != nil {
			t.Fatal(err)
		}
		if c := w.from("A second comment, with https://new.example/", nil); c.Status != postil.Approved || !strings.Contains(why(c), "trusts this author") {
			t.Errorf("%s: %s, %q", policy, c.Status, why(c))
		}
		if c := w.from("Buy viagra", nil); c.Status != postil.Pending {
			t.Errorf("%s: a blocked word: %s, %q", policy, c.Status, why(c))
		}
		if c := w.from("From another device", func(n *postil.NewComment) { n.Origin.Device = "bob's" }); c.Status != postil.Pending {
			t.Errorf("%s: the same name: %s, %q", policy, c.Status, why(c))
		}
		w.lay(rule(postil.OnDevice, ann.Device, postil.EffectHold)) // the latest word counts
		if c := w.from("A third comment of Ann's", nil); c.Status != postil.Pending || !strings.Contains(why(c), "everything of this author waits") {
			t.Errorf("%s: no longer trusted: %s, %q", policy, c.Status, why(c))
		}
	}
}

func TestTrustThatGrewDoesNotReachToNewKindsOfLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	first := w.from("See https://www.ann.example/one", nil)
	w.decide(first.ID, postil.Approve)
	if c := w.from("And https://ann.example/two", nil); c.Status != postil.Approved {
		t.Errorf("a host she linked to before: %s, %q", c.Status, why(c))
	}
	for name, change := range map[string]func(*postil.NewComment){
		"in the text":    func(n *postil.NewComment) { n.HTML = markup.Render("See https://pills.example/") },
		"as the website": func(n *postil.NewComment) { n.Author.Website = "https://pills.example/" },
	} {
		if c := w.from("Something else "+name, change); c.Status != postil.Pending || why(c) != "held: this author has not linked to pills.example before" {
			t.Errorf("%s: %s, %q", name, c.Status, why(c))
		}
	}
	w.lay(rule(postil.OnHost, "https://pills.example/shop", postil.EffectAllow))
	if c := w.from("Go to https://www.pills.example/", nil); c.Status != postil.Approved {
		t.Errorf("an allowed host: %s, %q", c.Status, why(c))
	}
}

func TestUNI_08_ListsHoldStopAndDoubtByWholeWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.Open)
	w.lay(rule(postil.OnWord, "ass", postil.EffectHold))
	w.lay(rule(postil.OnWord, "спам", postil.EffectHold))
	w.lay(rule(postil.OnWord, "spam", postil.EffectSpam))
	w.lay(rule(postil.OnName, "casino", postil.EffectSpam))
	w.lay(rule(postil.OnHost, "*.Casino.example", postil.EffectSpam))
	w.lay(rule(postil.OnHost, "bücher.example", postil.EffectHold))
	w.lay(rule(postil.OnNetwork, "203.0.113.9", postil.EffectHold))
	w.lay(rule(postil.OnWord, "<script>alert(1)</script>", postil.EffectHold))
	named := func(name string) func(*postil.NewComment) {
		return func(n *postil.NewComment) { n.Author.Name = name }
	}
	for i, c := range []struct {
		text   string
		change func(*postil.NewComment)
		want   postil.Status
		why    string
	}{
		{"A class of its own", nil, postil.Approved, ""},
		{"спаметь", nil, postil.Approved, ""},
		{"СПАМ!", nil, postil.Pending, "“спам” in the text is on the block list"},
		{"s\u200bpam here", nil, postil.Spam, "“spam” in the text"},
		{"ｓｐａｍ here", nil, postil.Spam, "“spam” in the text"},
		{"Kick **ASS**", nil, postil.Pending, "“ass”"},
		{"fine", named("Best C\u200dasino"), postil.Spam, "“casino” in the name"},
		{"fine", named("Casinova"), postil.Approved, ""},
		{"casino, as a word", nil, postil.Approved, ""},
		{"[here](https://win.casino.example:8443/x)", nil, postil.Spam, "the link to win.casino.example"},
		{"[here](https://notcasino.example/)", nil, postil.Approved, ""},
		{"[hier](https://BÜCHER.example/)", nil, postil.Pending, "the link to xn--bcher-kva.example"},
		{"from a network", func(n *postil.NewComment) { n.Origin.Network = "hash-of-203.0.113.0/24-long-enough" }, postil.Pending, "this network is on the block list"},
		{"what is `<script>alert(1)</script>` for?", nil, postil.Pending, "“<script>alert(1)</script>” in the text"}, // XSS: told as text, never as markup
	} {
		got := w.from(fmt.Sprint(c.text, " ", i), c.change)
		if got.Status != c.want || !strings.Contains(why(got), c.why) {
			t.Errorf("UNI-08 %q: %s, %q; want %s, %q", c.text, got.Status, why(got), c.want, c.why)
		}
	}
}

func TestAPublicBlockListIsADoubtAndNeverARule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.Open)
	b := w.book()
	out, skipped, err := b.Import(ctx, "public", "blog", postil.OnWord, []string{"# a comment", "", "replica watches", "  Pills # cheap", "\u200b"}, mo)
	if err != nil || out != 2 || skipped != 1 {
		t.Fatalf("%d, %d, %v", out, skipped, err)
	}
	if out, skipped, err = b.Import(ctx, "hosts", "", postil.OnHost, []string{"0.0.0.0 ads.example", "127.0.0.1\tbad.example # why", "no host at all!"}, mo); err != nil || out != 2 || skipped != 1 {
		t.Fatalf("%d, %d, %v", out, skipped, err)
	}
	if out, skipped, err = b.Import(ctx, "drop", "", postil.OnNetwork, []string{"198.51.100.0/23 ; SBL1", "2001:db8::/47", "10.0.0.0/8"}, mo); err != nil || out != 4 || skipped != 1 {
		t.Fatalf("%d, %d, %v", out, skipped, err)
	}
	if c := w.from("I like my pills", nil); c.Status != postil.Approved || !strings.Contains(why(c), "“Pills” in the text is on the list “public”") {
		t.Errorf("one doubt: %s, %q", c.Status, why(c))
	}
	if c := w.from("I like my pills from https://www.bad.example/", nil); c.Status != postil.Pending || !strings.Contains(why(c), "the list “hosts”") {
		t.Errorf("two doubts: %s, %q", c.Status, why(c))
	}
	for range 20 { // however many there are, doubts stop nothing
		if _, _, err := b.Import(ctx, "more", "blog", postil.OnName, []string{"ann"}, mo); err != nil {
			t.Fatal(err)
		}
	}
	if c := w.from("My pills, replica watches and https://ads.example/", func(n *postil.NewComment) { n.Origin.Network = "hash-of-198.51.101.0/24-long-enough" }); c.Status != postil.Pending {
		t.Errorf("many doubts: %s, %q", c.Status, why(c))
	}
	own := w.lay(rule(postil.OnWord, "pills", postil.EffectHold)) // somebody's own word
	if out, _, err := b.Import(ctx, "public", "blog", postil.OnWord, []string{"pills"}, mo); err != nil || out != 0 {
		t.Errorf("an import over a rule of its own: %d, %v", out, err)
	}
	if got, err := w.Ruling(ctx, own.ID); err != nil || got.Effect != postil.EffectHold {
		t.Errorf("%+v, %v", got, err)
	}
	if n, err := w.DropList(ctx, "", "hosts", mo); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	if c := w.from("Once more https://ads.example/", nil); strings.Contains(why(c), "hosts") {
		t.Errorf("after the list was dropped: %q", why(c))
	}
}

func TestWhatIsAllowedIsNeverStoppedWithoutAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	w.lay(rule(postil.OnWord, "poker", postil.EffectSpam))
	w.lay(rule(postil.OnWord, "stove poker", postil.EffectAllow))
	if c := w.from("I play poker", nil); c.Status != postil.Spam {
		t.Errorf("%s, %q", c.Status, why(c))
	}
	if c := w.from("I use my stove poker", nil); c.Status != postil.Pending || !strings.Contains(why(c), "on the allow list") {
		t.Errorf("%s, %q", c.Status, why(c))
	}
}

func TestARuleIsCheckedAndItsMemberNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.Open)
	past := rule(postil.OnWord, "x", postil.EffectHold)
	past.Until = w.clock
	elsewhere := rule(postil.OnWord, "x", postil.EffectHold)
	elsewhere.Site = "nowhere"
	for name, c := range map[string]struct {
		r     postil.Ruling
		field string
	}{
		"an unknown subject":        {rule("address", "x", postil.EffectBan), "kind"},
		"trust in a name":           {rule(postil.OnName, "Ann", postil.EffectTrust), "effect"},
		"trust in a network":        {rule(postil.OnNetwork, "192.0.2.1", postil.EffectTrust), "effect"},
		"a doubt about a device":    {rule(postil.OnDevice, "d", postil.EffectSignal), "effect"},
		"nothing":                   {rule(postil.OnWord, " \u200b", postil.EffectHold), "value"},
		"a long word":               {rule(postil.OnWord, strings.Repeat("x", 201), postil.EffectHold), "value"},
		"no host":                   {rule(postil.OnHost, "javascript:alert(1)", postil.EffectHold), "value"},
		"a wide range":              {rule(postil.OnNetwork, "10.0.0.0/8", postil.EffectBan), "value"},
		"two networks":              {rule(postil.OnNetwork, "198.51.100.0/23", postil.EffectBan), "value"},
		"no network":                {rule(postil.OnNetwork, "home", postil.EffectBan), "value"},
		"a time that has gone by":   {past, "until"},
		"a site that there is not ": {elsewhere, ""},
	} {
		_, err := w.book().Lay(ctx, c.r, mo)
		var e *postil.Error
		if !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.book().Lift(ctx, 99, mo); postil.KindOf(err) != postil.NotFound {
		t.Errorf("%v", err)
	}
}

func TestTheSentenceTellsWhatTheSiteRemembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	said := func(post, text, device string) postil.Comment {
		return w.from(text, func(n *postil.NewComment) {
			n.Post.ID, n.Origin = postil.PostID(post), postil.Origin{Device: device, Actor: "a" + device, Network: "net"}
			n.Author.Name = "Name " + device
		})
	}
	const advert = "Silicone wristbands of every colour for your festival"
	for i := range 3 {
		w.decide(said(fmt.Sprint("/", i), advert, fmt.Sprint("d", i)).ID, postil.MarkSpam)
	}
	w.clock = w.clock.Add(24 * time.Hour)
	c := said("/x", advert, "other")
	if c.Status != postil.Spam || !strings.Contains(why(c), "three comments with this text were marked as spam, the last yesterday") {
		t.Errorf("%s, %q", c.Status, why(c))
	}
	c = said("/y", "https://a.example/ https://b.example/ https://c.example/", "third")
	if !strings.HasPrefix(why(c), "held: three links, ") || !strings.HasSuffix(why(c), ", name not seen before") {
		t.Errorf("%q", why(c))
	}
}

func TestListsOfTheConfigurationCountAsSoonAsTheyChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.Open)
	mark, rulings := 1, []postil.Ruling{}
	w.worker.Configured(func(postil.SiteID) ([]postil.Ruling, any) { return rulings, mark })
	if c := w.from("All about casinos and a casino", nil); c.Status != postil.Approved {
		t.Errorf("%s, %q", c.Status, why(c))
	}
	word, err := rule(postil.OnWord, "casino", postil.EffectSpam).Check()
	if err != nil {
		t.Fatal(err)
	}
	net := rule(postil.OnNetwork, "a-network", postil.EffectHold)
	mark, rulings = 2, []postil.Ruling{word, net}
	if c := w.from("More about a CASINO", nil); c.Status != postil.Spam || !strings.Contains(why(c), "“casino” in the text is on the block list") {
		t.Errorf("%s, %q", c.Status, why(c))
	}
	if c := w.from("From a network", func(n *postil.NewComment) { n.Origin.Network = "a-network" }); c.Status != postil.Pending {
		t.Errorf("%s, %q", c.Status, why(c))
	}
	mark, rulings = 3, nil
	if c := w.from("Again about a casino", nil); c.Status != postil.Approved {
		t.Errorf("%s, %q", c.Status, why(c))
	}
}

func TestAnotherServiceHasASayAndItsOutageHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.Open)
	var f postil.Finding
	var down error
	w.worker.Consult(Outside{Name: "outside", Limit: func() time.Duration { return time.Minute },
		Ask: func(ctx context.Context, c postil.Comment, text string, _ []string) (postil.Finding, error) {
			return f, down
		}})
	for i, c := range []struct {
		found postil.Finding
		down  error
		want  postil.Status
	}{
		{postil.Finding{}, nil, postil.Approved},
		{postil.Finding{Weight: Objection, Reason: "odd"}, nil, postil.Pending},
		{postil.Finding{Weight: Clear, Reason: "an advert"}, nil, postil.Spam},
		{postil.Finding{}, errors.New("no answer"), postil.Pending},
	} {
		f, down = c.found, c.down
		if got := w.from(fmt.Sprint("A comment with the number ", i), nil); got.Status != c.want {
			t.Errorf("%d: %s, %q", i, got.Status, why(got))
		}
	}
}
