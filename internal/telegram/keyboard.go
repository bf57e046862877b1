package telegram

import (
	"errors"
	"strconv"
	"strings"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// button is an inline button that comes back as a press.
type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// keyboard offers what makes sense for a comment as it is stored; more adds a
// second row that leads to what concerns its author.
func keyboard(d postil.Detail, say words.Speech, more bool) [][]button {
	c := d.Comment
	key := func(sign, label string, does action) button {
		return button{sign + " " + say.Say("button."+label), pressOn(d, does).data()}
	}
	undo := []button{}
	if undoable(d.History) {
		undo = append(undo, key("↩️", "undo", undoIt))
	}
	var row []button
	switch {
	case c.Status == postil.Pending:
		row = []button{key("✅", "approve", approve), key("🚫", "reject", reject), key("🗑", "spam", spam)}
	case c.Status == postil.Approved && c.Draft != nil:
		row = []button{key("✅", "approve-edit", approve), key("↩️", "keep-old", restore), key("🗑", "spam", spam)}
	case c.Status == postil.Approved && c.Reports > 0 && d.Review.Open: // to approve it again is to keep it
		row = []button{key("✅", "approve", approve), key("🚫", "reject", reject), key("🗑", "spam", spam)}
	case c.Status == postil.Approved:
		row = append(undo, key("🚫", "reject", reject))
	case c.Status == postil.Rejected, c.Status == postil.Spam:
		row = append(undo, key("♻️", "restore", approve))
	case !byAuthor(d.History): // what its own author took away stays away
		row = append(undo, key("♻️", "restore", restore))
	}
	switch waits := c.Status == postil.Pending || c.Draft != nil; {
	case len(row) == 0:
		return nil
	case more && waits && recognised(c):
		return [][]button{row, {key("⋯", "more", showMore)}}
	}
	return [][]button{row}
}

// authorKeys is what More leads to.
func authorKeys(d postil.Detail, say words.Speech) [][]button {
	key := func(sign, label string, does action) button {
		return button{sign + " " + say.Say("button."+label), pressOn(d, does).data()}
	}
	return [][]button{{key("⛔", "ban", ban), key("⭐", "trust", trust)}, {key("‹", "back", showLess)}}
}

// recognised reports whether the author can be known again.
func recognised(c postil.Comment) bool { return c.Origin.Device != "" || c.UserID != "" }

// pressOn is what a button on the card of a comment carries.
func pressOn(d postil.Detail, does action) press {
	p := press{does: does, comment: d.Comment.ID, revision: d.Comment.Revision, status: d.Comment.Status}
	if n := len(d.History); n > 0 {
		p.decision = d.History[n-1].ID
	}
	return p
}

// undoable reports whether the last decision can be taken back from a card: a
// person's or a check's, not the author's own, and not a taking back itself.
func undoable(history []postil.Decision) bool {
	if len(history) == 0 {
		return false
	}
	last := history[len(history)-1]
	return last.Verb != postil.UndoneVerb && last.UndoneBy == 0 && !byAuthor(history)
}

func byAuthor(history []postil.Decision) bool {
	return len(history) > 0 && history[len(history)-1].By.Channel == postil.ByAuthor
}

// action is what a button does, as one letter.
type action byte

const (
	approve  action = 'a'
	reject   action = 'r'
	spam     action = 's'
	restore  action = 'o'
	undoIt   action = 'u'
	show     action = 'q' // send the card to this chat, in lists
	showMore action = 'm'
	showLess action = 'n'
	ban      action = 'b'
	trust    action = 't'
	pardon   action = 'k' // approve what was stopped, in a summary: the message is not its card
)

// verbs are the decisions among the actions.
var verbs = map[action]postil.Verb{approve: postil.Approve, reject: postil.Reject, spam: postil.MarkSpam, restore: postil.Restore, pardon: postil.Approve}

// letters are the statuses in callback data.
var letters = map[byte]postil.Status{'p': postil.Pending, 'a': postil.Approved, 'r': postil.Rejected, 's': postil.Spam, 'd': postil.Deleted}

// press is what a button carries: ids, and what its message showed, so that a
// press on an outdated message is recognised, and one that Telegram delivers
// again after somebody took the decision back.
type press struct {
	does     action
	comment  postil.CommentID
	revision int
	status   postil.Status
	decision postil.DecisionID // the latest that the message showed, 0 for none; the one to undo
}

// pressVersion begins all callback data of cards, so that buttons of an older
// release can be told apart.
const pressVersion = "1"

// data is at most 64 bytes, whatever the ids: 2+2+14+14+2+13.
func (p press) data() string {
	var status string
	for letter, s := range letters {
		if s == p.status {
			status = string(letter)
		}
	}
	return strings.Join([]string{pressVersion, string(p.does), strconv.FormatInt(int64(p.comment), 36),
		strconv.FormatInt(int64(p.revision), 36), status, strconv.FormatInt(int64(p.decision), 36)}, ":")
}

var errPress = errors.New("no button of this release")

// parsePress reads what data wrote. Everything else is refused.
func parsePress(s string) (p press, err error) {
	parts := strings.Split(s, ":")
	if len(s) > 64 || len(parts) != 6 || parts[0] != pressVersion || len(parts[1]) != 1 || len(parts[4]) != 1 {
		return p, errPress
	}
	var n [3]int64
	for i, part := range []string{parts[2], parts[3], parts[5]} {
		if n[i], err = strconv.ParseInt(part, 36, 64); err != nil || n[i] < 0 {
			return p, errPress
		}
	}
	p = press{action(parts[1][0]), postil.CommentID(n[0]), int(n[1]), letters[parts[4][0]], postil.DecisionID(n[2])}
	if p.comment == 0 || p.status == "" || !strings.ContainsRune("arsouqmnbtk", rune(p.does)) || p.does == undoIt && p.decision == 0 || p.data() != s {
		return press{}, errPress
	}
	return p, nil
}
