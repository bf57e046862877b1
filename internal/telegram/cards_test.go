package telegram_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
)

func TestTextIsShownLiterally(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id string
		w  words
	}{
		{"TG-02 angle brackets", words{name: "R&D <team>", text: "if a < b && c > d"}},
		{"TG-05 reserved punctuation", words{name: "node.js_fan!", title: "A-B (draft)", text: "*a* _b_ `c` [d](https://e.example) #f +g =h |i {j} ~k~ \\l"}},
		{"TG-16 tags", words{text: `<b>bold</b> & <a href="x">y</a> &lt; &nbsp; "quoted" 'single'`}},
		{"closing what the card opened", words{name: "</b></a>", title: "</a><b>", text: "</blockquote>\n<blockquote>", website: "https://ann.example/\"><b>"}},
		{"several lines", words{text: "one\r\n\r\ntwo\n  three"}},
	} {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			r := open(t, 1).run()
			c := r.write(tt.w)
			card := r.card(group, 1)
			wantIn(t, card.Text, strings.ReplaceAll(tt.w.text, "\r\n", "\n"), tt.w.name, tt.w.title)
			if card.ParseMode != "HTML" {
				t.Errorf("sent as %q", card.ParseMode)
			}
			r.press(card, "Approve", anna)
			card = r.edited(group, card.ID, "Approved by Anna")
			wantIn(t, card.Text, strings.ReplaceAll(tt.w.text, "\r\n", "\n"), tt.w.name, tt.w.title)
			r.wantStatus(c.ID, postil.Approved)
			r.noRefusal()
		})
	}
}

// noRefusal fails when a card was refused by the Bot API.
func (r *room) noRefusal() {
	r.t.Helper()
	for _, c := range r.fake.Calls("sendMessage", "editMessageText") {
		if c.Status == 400 && !strings.Contains(c.Description, "not modified") { // which a second look may meet
			r.t.Errorf("%s was refused: %s", c.Method, c.Description)
		}
	}
}

func TestTG_16_AnEditIsMadeFromTheStoreWithItsLinksAndFormatting(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	out, err := r.store.AddComment(context.Background(), postil.NewComment{Site: "blog", Nonce: "n", Author: postil.Author{Name: "Ann"}, Text: "<b> is a tag", HTML: "x",
		Post: postil.PostRef{ID: "/q", Title: `"quoted" title`, URL: `https://blog.example/q?a=1&b="2"`}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.hold(out.Comment.ID)
	before := r.card(group, 1)
	r.press(before, "Reject", anna)
	after := r.edited(group, before.ID, "Rejected by Anna")
	for _, m := range []fakebot.Message{before, after} {
		var link, bold, quote string
		for _, e := range m.Entities {
			text := string(utf16.Decode(utf16.Encode([]rune(m.Text))[e.Offset : e.Offset+e.Length]))
			switch e.Type {
			case "text_link":
				link = e.URL
			case "bold":
				bold = text
			case "blockquote":
				quote = text
			}
		}
		if !strings.HasPrefix(link, "https://blog.example/q?a=1&b=") || !strings.HasSuffix(link, "#postil-"+out.Comment.ID.String()) {
			t.Errorf("the title leads to %q", link)
		}
		if bold != "Ann" || quote != "<b> is a tag" {
			t.Errorf("bold %q, quoted %q", bold, quote)
		}
	}
	r.noRefusal()
}

func TestTG_04_TheLongestCommentHasACardWithWorkingButtons(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"2100 emoji":         strings.Repeat("🐘", 2100),
		"8000 emoji":         strings.Repeat("🐘", 8000),
		"families":           strings.Repeat("👨‍👩‍👧‍👦", 8000/7),
		"one heap of marks":  "a" + strings.Repeat("\u0323", 7999),
		"what grows escaped": strings.Repeat("&<>\"'", 1600),
		"lines":              strings.Repeat("x\n", 4000),
		"flags":              strings.Repeat("🇩🇪", 4000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, 1).run()
			c := r.write(words{text: text, title: strings.Repeat("🦒", 300), name: strings.Repeat("🦓", 64)})
			card := r.card(group, 1)
			if n := len(utf16.Encode([]rune(card.Text))); n > 4096 || n < 3000 {
				t.Errorf("the card has %d units", n)
			}
			wantIn(t, card.Text, "whole text")
			if strings.Contains(card.Text, "\u200d…") || strings.ContainsRune(card.Text, '\uFFFD') {
				t.Error("cut inside a character")
			}
			r.press(card, "Spam", anna)
			r.edited(group, card.ID, "Spam by Anna")
			r.wantStatus(c.ID, postil.Spam)
			r.noRefusal()
		})
	}
}

func TestDirectionMarksDoNotTurnTheCardAround(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	r.write(words{name: "Ann\u202eevil", text: "abc\u202edef\u2066ghi\u200f", title: "T\u202eitle"})
	if card := r.card(group, 1); strings.ContainsAny(card.Text, "\u202e\u2066\u200f") {
		t.Errorf("marks are left in %q", card.Text)
	}
}

func TestAReplyShowsWhatItAnswersAndTheHistoryOfItsAuthor(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	parent := r.write(words{name: "Zoe", text: "The question", device: "zoe"})
	r.decide(parent.ID, postil.Approve)
	for i, verb := range []postil.Verb{postil.Approve, postil.Approve, postil.MarkSpam} {
		r.decide(r.write(words{text: "old " + string(rune('a'+i)), device: "ann"}).ID, verb)
	}
	r.recorded()
	n := len(byBot(r.fake.Messages(group)))
	r.write(words{text: "the answer", parent: parent.ID, device: "ann"})
	card := r.card(group, n+1)
	wantIn(t, card.Text, "↪ Zoe: The question", "2 approved, 1 spam, first seen "+r.clock.now().Format("2006-01-02"))
}

func TestTG_14_TheKeyboardFollowsTheStoredState(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "hello"})
	card := r.card(group, 1)
	r.recorded()
	for _, step := range []struct {
		verb   postil.Verb
		says   string
		labels []string
	}{
		{postil.Approve, "✅ Approved by Carla", []string{"↩️ Undo", "🚫 Reject"}},
		{postil.Reject, "🚫 Rejected by Carla", []string{"↩️ Undo", "♻️ Restore"}},
		{postil.MarkSpam, "🗑 Spam by Carla", []string{"↩️ Undo", "♻️ Restore"}},
		{postil.Delete, "🗑 Deleted by Carla", []string{"↩️ Undo", "♻️ Restore"}},
		{postil.Restore, "🗑 Spam by Carla", []string{"↩️ Undo", "♻️ Restore"}},
	} {
		r.decide(c.ID, step.verb)
		wantLabels(t, r.edited(group, card.ID, step.says), step.labels...)
	}
	r.press(find(r.fake.Messages(group), card.ID), "Restore", bert)
	wantLabels(t, r.edited(group, card.ID, "✅ Approved by Bert"), "↩️ Undo", "🚫 Reject")
	r.wantStatus(c.ID, postil.Approved)
}

func TestTG_14_WhatIsDecidedBeforeItIsSentHasNoCard(t *testing.T) {
	t.Parallel()
	r := open(t, 1)
	early := r.write(words{text: "decided before anybody was asked"})
	r.decide(early.ID, postil.Approve)
	r.run()
	r.write(words{text: "waits"})
	wantIn(t, r.card(group, 1).Text, "waits")
	r.recorded()
	if own := byBot(r.fake.Messages(group)); len(own) != 1 {
		t.Errorf("%d messages", len(own))
	}
	// Taken back, it waits after all.
	d, err := r.store.History(context.Background(), early.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.door.Undo(context.Background(), d[len(d)-1].ID, rest, ""); err != nil {
		t.Fatal(err)
	}
	r.event(postil.Event{Kind: postil.ReviewRequested, Site: "blog", Comment: early.ID})
	wantLabels(t, r.card(group, 2), "✅ Approve", "🚫 Reject", "🗑 Spam")
}

func TestAWaitingEditShowsBothTextsAndCanBeApprovedOrDropped(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{"Approve edit": "the new text", "Keep old": "the old text"} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			r := open(t, 1).run()
			c := r.write(words{text: "the old text"})
			card := r.card(group, 1)
			r.press(card, "Approve", anna)
			r.edited(group, card.ID, "Approved by Anna")
			r.change(c.ID, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
				return &postil.Change{To: c.Status, NewDraft: &postil.TextChange{Text: "the new text", HTML: "x"}, Review: postil.OpenReview}, nil
			})
			r.event(postil.Event{Kind: postil.ReviewRequested, Site: "blog", Comment: c.ID})
			card = r.edited(group, card.ID, "the new text")
			wantIn(t, card.Text, "Readers see:\nthe old text", "The author's new text:\nthe new text", "held:")
			wantLabels(t, card, "✅ Approve edit", "↩️ Keep old", "🗑 Spam")
			r.recorded()
			r.press(card, label, bert)
			r.until("the edit is decided", func() bool { return r.comment(c.ID).Draft == nil })
			if got := r.comment(c.ID); got.Text != want || got.Status != postil.Approved {
				t.Errorf("the comment is %s: %q", got.Status, got.Text)
			}
			card = r.edited(group, card.ID, "by Bert")
			if strings.Contains(card.Text, "Readers see") {
				t.Errorf("the card still shows the edit: %s", card.Text)
			}
		})
	}
}

func TestTG_02_NoTextIsEverRefused(t *testing.T) {
	t.Parallel()
	r := open(t, 1000).run()
	sent := 0
	alphabet := rapid.SampledFrom([]rune("ab <>&\"'/\n\r\t\x00*_[]()~`>#+-=|{}.!\\;:@,0€ßאع文🐘👨\u200d👩\U0001F3FD\u0301\u202e\u2066\u200b\u2028\ufe0f\ufeff\ufffd\U0010FFFF"))
	rapid.Check(t, func(rt *rapid.T) {
		text, err := postil.CleanText(rapid.StringOfN(alphabet, 1, 40, -1).Draw(rt, "text") + "x")
		if err != nil {
			rt.Skip(err)
		}
		text = strings.Repeat(text, rapid.IntRange(1, 150).Draw(rt, "times"))
		name, err := postil.CleanName(rapid.StringOfN(alphabet, 1, 60, -1).Draw(rt, "name"))
		if err != nil {
			name = "x"
		}
		r.write(words{text: text, name: name, title: rapid.StringOfN(alphabet, 1, 80, -1).Draw(rt, "title") + "t", website: "https://x.example/" + name})
		sent++
		if sent%20 == 0 {
			r.card(group, sent)
			r.noRefusal()
		}
	})
	r.card(group, sent)
	r.noRefusal()
}
