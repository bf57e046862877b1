package telegram_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/postil"
)

// flood writes comments that nobody has heard of yet, every third of them
// looking like spam.
func (r *room) flood(n int) (all []postil.Comment, spam int) {
	r.t.Helper()
	for i := range n {
		w := words{text: fmt.Sprintf("honest %03d.", i), name: "Ann"}
		if i%3 == 0 {
			w.text, w.name = fmt.Sprintf("cheap pills %03d.", i), "Bot"
			spam++
		}
		all = append(all, r.write(w))
		if i%3 == 0 {
			r.suspect(all[i].ID)
		}
	}
	return all, spam
}

// suspect makes a comment look like spam to the learned check.
func (r *room) suspect(id postil.CommentID) {
	r.change(id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, Checks: &postil.Conclusion{Verdict: postil.VerdictHold, Findings: []postil.Finding{{Check: "learned", Weight: 1, Reason: "reads like spam"}}}}, nil
	})
}

// digest waits for the one digest of a chat.
func (r *room) digest(chat int64, words string) (m fakebot.Message) {
	r.t.Helper()
	r.await("a digest that says "+words, func(st *fakebot.State) bool {
		for _, m = range byBot(st.Messages(chat)) {
			if strings.Contains(m.Text, "📬") && strings.Contains(m.Text, words) {
				return true
			}
		}
		return false
	})
	return m
}

// settled waits until the digest says words over these buttons: the parts of a
// batch are seen one after the other, and the last of them before its end.
func (r *room) settled(message int64, words string, labels ...string) (m fakebot.Message) {
	r.t.Helper()
	r.await("the digest says "+words+" over "+strings.Join(labels, "|"), func(st *fakebot.State) bool {
		m = find(st.Messages(group), message)
		return strings.Contains(m.Text, words) && slices.Equal(m.Labels(), labels)
	})
	return m
}

func inWave(t *testing.T, speed int64, n int) *room {
	t.Helper()
	r := open(t, speed)
	r.cfg.Wave = n
	r.make()
	return r
}

func TestTG_11_ABurstIsOneDigestWithWhatIsHonestFirst(t *testing.T) {
	t.Parallel()
	r := inWave(t, 1, 5)
	all, spam := r.flood(27)
	r.run()
	m := r.digest(group, "27 new comments: 9 look like spam")
	if own := byBot(r.fake.Messages(group)); len(own) != 1 {
		t.Fatalf("%d messages", len(own))
	}
	wantIn(t, m.Text, "honest 001.", "cheap pills 000.", "… and")
	if strings.Index(m.Text, "honest 001.") > strings.Index(m.Text, "cheap pills 000.") {
		t.Error("spam stands before what is honest")
	}
	wantLabels(t, m, fmt.Sprintf("🗑 Spam the %d", spam), "👀 Show one by one")
	r.until("all of them count as announced", func() bool {
		for _, c := range all {
			if v, err := r.store.Review(context.Background(), c.ID); err != nil || v.Announced.IsZero() {
				return false
			}
		}
		return true
	})

	a := r.press(m, "Spam the 9", anna)
	wantIn(t, a.Text, "9 marked as spam")
	for i, c := range all {
		want := postil.Pending
		if i%3 == 0 {
			want = postil.Spam
		}
		r.wantStatus(c.ID, want)
	}
	m = r.settled(m.ID, "18 wait", "👀 Show one by one", "↩️ Undo")
	wantIn(t, r.press(m, "Undo", bert).Text, "9 wait again")
	for _, c := range all {
		r.wantStatus(c.ID, postil.Pending)
	}
	r.settled(m.ID, "27 wait", "🗑 Spam the 9", "👀 Show one by one")
	r.noRefusal()
}

func TestABurstIsShownOneByOneHonestOnesFirst(t *testing.T) {
	t.Parallel()
	r := inWave(t, 20, 2)
	all, _ := r.flood(7)
	r.run()
	m := r.digest(group, "7 new comments")
	r.press(m, "one by one", anna)
	for n, i := range []int{1, 2, 4, 5, 0, 3, 6} {
		card := r.card(group, n+2)
		wantIn(t, card.Text, fmt.Sprintf(" %03d.", i))
		r.recorded()
		r.press(card, "Approve", anna)
		r.edited(group, card.ID, "Approved by Anna")
		r.wantStatus(all[i].ID, postil.Approved)
	}
	wantLabels(t, r.digest(group, "7 approved"))
	if own := byBot(r.fake.Messages(group)); len(own) != 8 {
		t.Errorf("%d messages", len(own))
	}
}

func TestNothingIsMarkedThatTheDigestDidNotShow(t *testing.T) {
	t.Parallel()
	r := inWave(t, 1, 2)
	r.flood(9)
	r.run()
	m := r.digest(group, "9 new comments: 3 look like spam")
	r.recorded()
	late, _ := r.flood(1) // joins the digest later
	r.digest(group, "10 new comments: 4 look like spam")
	a := r.answer(r.fake.PressData(group, m.ID, m.Buttons[0][0].Data, anna)) // as it was shown before
	wantIn(t, a.Text, "3 marked as spam")
	r.wantStatus(late[0].ID, postil.Pending)
	stale := r.answer(r.fake.PressData(group, m.ID, m.Buttons[0][0].Data, bert))
	wantIn(t, stale.Text, "changed since")
	r.wantStatus(late[0].ID, postil.Pending)
}

func TestADigestPressThatComesAgainAfterItsUndoDoesNothing(t *testing.T) {
	t.Parallel()
	r := inWave(t, 1, 2)
	all, _ := r.flood(6)
	r.run()
	m := r.digest(group, "6 new comments")
	press := map[string]any{"id": "77", "from": anna, "chat_instance": "1", "data": m.Buttons[0][0].Data,
		"message": map[string]any{"message_id": m.ID, "date": 9, "chat": map[string]any{"id": group, "type": "supergroup"}}}
	r.fake.Push("callback_query", press)
	m = r.edited(group, m.ID, "2 spam")
	r.press(m, "Undo", bert)
	r.edited(group, m.ID, "6 wait")
	r.halt()
	r.make() // a crash before the press was noted as handled
	r.run()
	r.fake.Push("callback_query", press)
	r.read()
	for _, c := range all {
		r.wantStatus(c.ID, postil.Pending)
	}
}

func TestADecisionElsewhereIsShownOnTheDigest(t *testing.T) {
	t.Parallel()
	r := inWave(t, 1, 2)
	all, _ := r.flood(6)
	r.run()
	m := r.digest(group, "6 new comments")
	r.decide(all[1].ID, postil.Approve)
	m = r.edited(group, m.ID, "1 approved")
	wantIn(t, m.Text, "5 wait")
	if strings.Contains(m.Text, "honest 001.") {
		t.Error("what was decided is still listed")
	}
}

func TestAfterAWaveCommentsComeOneByOneAgain(t *testing.T) {
	t.Parallel()
	r := inWave(t, 1, 3)
	r.flood(6)
	r.run()
	r.digest(group, "6 new comments")
	r.recorded()
	r.clock.pass(20 * time.Minute)
	r.write(words{text: "quiet again"})
	wantIn(t, r.card(group, 2).Text, "quiet again")
}

func TestAMutedChatHearsOfItAfterwards(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	wantIn(t, r.said(group, r.fake.Say(group, "/mute 2h", anna, 0)).Text, "No new cards here before")
	r.write(words{text: "meanwhile"})
	r.bot.Wake()
	r.read()
	if n := len(byBot(r.fake.Messages(group))); n != 1 {
		t.Fatalf("%d messages", n)
	}
	r.halt()
	r.make() // it is remembered
	r.run()
	r.read()
	r.clock.pass(2*time.Hour + time.Minute)
	r.bot.Wake()
	wantIn(t, r.card(group, 2).Text, "meanwhile")
	r.said(group, r.fake.Say(group, "/mute 1d", anna, 0))
	r.write(words{text: "once more"})
	r.said(group, r.fake.Say(group, "/mute off", anna, 0))
	r.await("it comes at once", func(st *fakebot.State) bool {
		for _, m := range byBot(st.Messages(group)) {
			if strings.Contains(m.Text, "once more") {
				return true
			}
		}
		return false
	})
	wantIn(t, r.said(group, r.fake.Say(group, "/mute for ever", anna, 0)).Text, "/mute 2h")
}
