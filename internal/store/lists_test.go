package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// TestListsHoldWhatTheirFilterSelectsOnceAndInOrder compares each way to narrow
// a moderator's list with a look at every comment.
func TestListsHoldWhatTheirFilterSelectsOnceAndInOrder(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	fillWith(t, s, 600)
	until(t, "the search index is filled", func() bool { n, err := s.Unindexed(ctx); return err != nil || n == 0 })
	for i := range 5 {
		say(t, s, fmt.Sprint("text ", i), 0) // the filters ask for it
	}
	var everything []postil.CommentID
	for id := range postil.CommentID(700) {
		everything = append(everything, id)
	}
	all, err := s.Comments(ctx, everything)
	if err != nil || len(all) < 600 {
		t.Fatalf("%d comments, %v", len(all), err)
	}
	for _, f := range listFilters() {
		want := map[postil.CommentID]bool{}
		for _, c := range all {
			open, err := s.Review(ctx, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			if selects(f, c) && (!f.NeedsYou || open.Open) {
				want[c.ID] = true
			}
		}
		got := map[postil.CommentID]bool{}
		var last time.Time
		for f.Limit = 7; ; {
			p, err := s.ListComments(ctx, f)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range p.Comments {
				if got[c.ID] {
					t.Fatalf("%+v: comment %d comes twice", f, c.ID)
				}
				if in := f.NeedsYou == c.Created.After(last); len(got)+i > 0 && !in && !c.Created.Equal(last) {
					t.Fatalf("%+v: %v follows %v", f, c.Created, last)
				}
				got[c.ID], last = true, c.Created
			}
			if f.Cursor = p.Next; f.Cursor == "" {
				break
			}
		}
		if len(got) != len(want) {
			t.Errorf("%+v: %d comments, not %d", f, len(got), len(want))
		}
		for id := range want {
			if !got[id] {
				t.Errorf("%+v: comment %d is missing", f, id)
			}
		}
	}
}

func selects(f postil.CommentFilter, c postil.Comment) bool {
	return (len(f.Sites) == 0 || slices.Contains(f.Sites, c.Site)) && (len(f.Statuses) == 0 || slices.Contains(f.Statuses, c.Status)) &&
		(f.Post == "" || f.Post == c.Post) && (f.Author == "" || f.Author == c.Origin.Device || f.Author == c.Origin.Actor || f.Author == c.UserID) &&
		(f.From.IsZero() || !c.Created.Before(f.From)) && (f.To.IsZero() || c.Created.Before(f.To))
}

func TestADamagedMarkOfAListIsRefusedAndAnOddLimitIsNot(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	say(t, s, "a", 0)
	say(t, s, "b", 0)
	for _, cursor := range []string{"%", "bm9uc2Vuc2U", "MS4", "MS4tMQ"} {
		if _, err := s.ListComments(ctx, postil.CommentFilter{Limit: 5, Cursor: cursor}); postil.KindOf(err) != postil.Invalid {
			t.Errorf("%q: %v", cursor, err)
		}
	}
	for limit, want := range map[int]int{-5: 1, 0: 1, 1: 1, 2: 2, 1_000_000: 2} {
		if p, err := s.ListComments(ctx, postil.CommentFilter{Limit: limit}); err != nil || len(p.Comments) != want {
			t.Errorf("limit %d: %d comments, %v", limit, len(p.Comments), err)
		}
	}
}

func TestARecordComesFromDeviceOrAccountAndNeverFromATypedName(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	from := func(text, device string) postil.Comment {
		*now = now.Add(time.Second)
		n := request(text)
		n.Origin.Device, n.TextHash = device, "hash of "+text
		return add(t, s, n).Comment
	}
	first := from("one", "dev")
	to(t, s, first.ID, postil.Approved)
	to(t, s, from("two", "dev").ID, postil.Spam)
	to(t, s, from("three", "dev").ID, postil.Rejected)
	mine, nobody, other := from("one", "dev"), from("four", ""), from("one", "other")
	if m, err := s.Memory(ctx, mine); err != nil || m.Record != (postil.AuthorRecord{Approved: 1, Rejected: 1, Spam: 1, FirstSeen: first.Created}) || m.SameText != 1 || m.SpamTexts != 0 || m.Site.ID != "blog" {
		t.Errorf("the device is remembered as %+v, %v", m, err)
	}
	if m, err := s.Memory(ctx, nobody); err != nil || m.Record != (postil.AuthorRecord{}) {
		t.Errorf("without a device: %+v, %v", m.Record, err)
	}
	to(t, s, mine.ID, postil.Spam)
	if m, err := s.Memory(ctx, other); err != nil || m.Record.Approved != 0 || m.SameText != 2 || m.SpamTexts != 1 {
		t.Errorf("another device: %+v, %v", m, err)
	}
	if d, err := s.Detail(ctx, mine.ID); err != nil || d.Record.Approved != 1 || len(d.History) != 1 || d.Parent != nil {
		t.Errorf("in detail: %+v, %v", d, err)
	}
}

func TestTheAuditLogIsAppendOnlyAndForgetsWhatIsTooOld(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	kept := func() postil.Retention { k := postil.UsuallyKept(); k.Audit = 90 * 24 * time.Hour; return k }
	s := open(t, Options{Now: func(context.Context) time.Time { return now }, Keep: kept})
	err := s.Write(ctx, func(tx *Tx) error { _, err := tx.exec("UPDATE audit SET actor = 'somebody else'"); return err })
	if err == nil {
		t.Error("the past was changed")
	}
	to(t, s, say(t, s, "text", 0).ID, postil.Approved)
	now = now.Add(89 * 24 * time.Hour)
	for days, want := range map[int]int{0: 2, 2: 0} {
		now = now.Add(time.Duration(days) * 24 * time.Hour)
		if err := s.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if days == 0 {
			continue
		}
		page, err := s.Audit(ctx, postil.AuditFilter{Limit: 10})
		if err != nil || len(page.Entries) != want {
			t.Errorf("after %d more days there are %d lines, %v", days, len(page.Entries), err)
		}
	}
}
