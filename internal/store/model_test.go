package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
)

// model is a thread as a person would describe it: every comment knows its
// answers, and what readers see follows from looking at it.
type model struct {
	s     *Store
	post  postil.PostID
	clock *time.Time
	all   []*said
	heard postil.EventID // the last event that was looked at
}

type said struct {
	id           postil.CommentID
	parent       *said
	answers      []*said
	status       postil.Status
	before       postil.Status
	created      time.Time
	text         string
	score, depth int
	last         []postil.Decision // in the order in which they were taken, less those taken back
}

func (c *said) public() bool {
	return c.status == postil.Approved || c.status == postil.Deleted && c.before == postil.Approved
}

// reached reports whether everything above c lets readers through to it.
func (c *said) reached() bool {
	return c.parent == nil || c.parent.public() && c.parent.reached()
}

func (c *said) shown() bool { return c.status == postil.Approved && c.reached() }

func (c *said) tombstone() bool {
	return c.status == postil.Deleted && c.public() && c.reached() && slices.ContainsFunc(c.answers, (*said).listed)
}

func (c *said) listed() bool { return c.shown() || c.tombstone() }

// line is what a reader sees of a comment.
type line struct {
	id, parent postil.CommentID
	depth      int
	tombstone  bool
	replies    int
	html       string
}

// read is the whole thread in display order.
func (m *model) read(sort postil.Sort) (out []line) {
	var roots []*said
	for _, c := range m.all {
		if c.parent == nil && c.listed() {
			roots = append(roots, c)
		}
	}
	slices.SortFunc(roots, func(a, b *said) int {
		older := cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
		switch sort {
		case postil.Newest:
			return -older
		case postil.Top:
			return cmp.Or(cmp.Compare(b.score, a.score), older)
		}
		return older
	})
	for _, c := range roots {
		out = c.tell(out)
	}
	return out
}

func (c *said) tell(out []line) []line {
	l := line{id: c.id, depth: c.depth, tombstone: c.tombstone()}
	if c.parent != nil {
		l.parent = c.parent.id
	}
	answers := slices.DeleteFunc(slices.Clone(c.answers), func(a *said) bool { return !a.listed() })
	if !l.tombstone {
		l.html, l.replies = c.text, len(answers)
	}
	out = append(out, l)
	slices.SortFunc(answers, func(a, b *said) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
	})
	for _, a := range answers {
		out = a.tell(out)
	}
	return out
}

// The operations. Each does the same to the model and to the store.

func (m *model) tick(t *rapid.T) {
	*m.clock = m.clock.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "ms")) * time.Millisecond)
}

func (m *model) say(t *rapid.T) {
	m.tick(t)
	var parent *said
	open := slices.DeleteFunc(slices.Clone(m.all), func(c *said) bool { return !c.shown() || c.depth == postil.MaxDepth })
	if len(open) > 0 && rapid.IntRange(0, 4).Draw(t, "answer") > 0 {
		parent = rapid.SampledFrom(open).Draw(t, "parent")
	}
	c := &said{parent: parent, status: postil.Pending, created: *m.clock, text: fmt.Sprint("text ", len(m.all))}
	n := postil.NewComment{Site: "blog", Post: postil.PostRef{ID: m.post}, Text: c.text, HTML: c.text, Nonce: "n"}
	if parent != nil {
		n.Parent, c.depth = parent.id, parent.depth+1
		parent.answers = append(parent.answers, c)
	}
	out, err := m.s.AddComment(ctx, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.id = out.Comment.ID
	m.all = append(m.all, c)
	if rapid.Bool().Draw(t, "approve at once") {
		m.move(t, c, postil.Change{Verb: postil.Approve, To: postil.Approved})
	}
}

func (m *model) some(t *rapid.T) *said {
	if len(m.all) == 0 {
		t.Skip("nothing was said yet")
	}
	return rapid.SampledFrom(m.all).Draw(t, "comment")
}

func (m *model) decide(t *rapid.T) {
	c := m.some(t)
	verb := rapid.SampledFrom([]postil.Verb{postil.Approve, postil.Approve, postil.Approve, postil.Delete, postil.Reject, postil.MarkSpam, postil.Restore}).Draw(t, "verb")
	next, changed := c.status.After(verb, c.before)
	if changed {
		m.move(t, c, postil.Change{Verb: verb, To: next})
	}
}

func (m *model) undo(t *rapid.T) {
	c := m.some(t)
	if len(c.last) == 0 {
		return
	}
	d := c.last[len(c.last)-1]
	c.last = c.last[:len(c.last)-1]
	m.move(t, c, postil.Change{Verb: postil.UndoneVerb, To: d.From, Undoes: d.ID})
}

func (m *model) move(t *rapid.T, c *said, ch postil.Change) {
	ch.By = somebody
	was, version := m.read(postil.Oldest), m.version(t)
	out, err := m.s.Change(ctx, c.id, func(now postil.Comment, _ postil.Decision) (*postil.Change, error) {
		if now.Status != c.status || now.Before != c.before {
			t.Fatalf("comment %d is %s (before: %q), not %s (%q)", c.id, now.Status, now.Before, c.status, c.before)
		}
		return &ch, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if ch.Undoes == 0 {
		c.last = append(c.last, out.Decision)
	}
	if ch.To == postil.Deleted && c.status != postil.Deleted {
		c.before = c.status
	}
	c.status = ch.To
	m.checkVersion(t, was, version)
}

func (m *model) edit(t *rapid.T) {
	c := m.some(t)
	was, version := m.read(postil.Oldest), m.version(t)
	text := fmt.Sprint("edit ", rapid.IntRange(0, 9).Draw(t, "text"))
	if text == c.text {
		return
	}
	_, err := m.s.Change(ctx, c.id, func(now postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: now.Status, Text: &postil.TextChange{Text: text, HTML: text}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c.text = text
	m.checkVersion(t, was, version)
}

func (m *model) react(t *rapid.T) {
	c := m.some(t)
	c.score = rapid.IntRange(0, 3).Draw(t, "score")
	err := m.s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE comments SET score = ? WHERE comment_id = ?", c.score, int64(c.id))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (m *model) version(t *rapid.T) int64 {
	p, err := m.s.Post(ctx, "blog", m.post)
	if err != nil {
		t.Fatal(err)
	}
	return p.Version
}

// checkVersion: what readers see has a new version exactly when it changed.
func (m *model) checkVersion(t *rapid.T, was []line, before int64) {
	changed, after := !slices.Equal(was, m.read(postil.Oldest)), m.version(t)
	if changed != (after != before) || after < before {
		t.Fatalf("the thread changed: %t, and its version went from %d to %d", changed, before, after)
	}
	events, err := m.s.PendingEvents(ctx, m.heard, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) == 0 {
		if changed {
			t.Fatal("the thread changed and nothing was announced")
		}
		return
	}
	m.heard = events[len(events)-1].ID
	if last := events[len(events)-1]; changed != (last.PublicChange() != "") {
		t.Fatalf("the thread changed: %t, and readers are told %q by %+v", changed, last.PublicChange(), last)
	}
}
