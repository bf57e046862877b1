package postil

import "testing"

func TestEveryStatusTakesEveryVerb(t *testing.T) {
	t.Parallel()
	// What each verb makes of pending, approved, rejected, spam and deleted;
	// the comment that is deleted was before what the column says.
	for _, tt := range []struct {
		verb   Verb
		before Status
		want   [5]Status
	}{
		{Approve, "", [5]Status{Approved, Approved, Approved, Approved, Approved}},
		{Approve, Pending, [5]Status{Approved, Approved, Approved, Approved, Approved}},
		{Reject, "", [5]Status{Rejected, Rejected, Rejected, Rejected, Rejected}},
		{Reject, Approved, [5]Status{Rejected, Rejected, Rejected, Rejected, Rejected}},
		{MarkSpam, "", [5]Status{Spam, Spam, Spam, Spam, Spam}},
		{MarkSpam, Approved, [5]Status{Spam, Spam, Spam, Spam, Spam}},
		{Delete, "", [5]Status{Deleted, Deleted, Deleted, Deleted, Deleted}},
		{Delete, Pending, [5]Status{Deleted, Deleted, Deleted, Deleted, Deleted}},
		{Restore, Pending, [5]Status{Pending, Approved, Rejected, Spam, Pending}},
		{Restore, Approved, [5]Status{Pending, Approved, Rejected, Spam, Approved}},
		{Restore, Rejected, [5]Status{Pending, Approved, Rejected, Spam, Rejected}},
		{Restore, Spam, [5]Status{Pending, Approved, Rejected, Spam, Spam}},
		{Restore, Deleted, [5]Status{Pending, Approved, Rejected, Spam, Deleted}},
		{Restore, "", [5]Status{Pending, Approved, Rejected, Spam, Deleted}},
		{UndoneVerb, Approved, [5]Status{Pending, Approved, Rejected, Spam, Approved}},
	} {
		for i, from := range Statuses() {
			next, changed := from.After(tt.verb, tt.before)
			if next != tt.want[i] || changed != (from != tt.want[i]) {
				t.Errorf("%s after %s (before %q) = %s, %v, want %s", from, tt.verb, tt.before, next, changed, tt.want[i])
			}
			if again, changed := next.After(tt.verb, tt.before); again != next || changed {
				t.Errorf("%s twice from %s gives %s, then %s", tt.verb, from, next, again)
			}
		}
	}
}

func TestOnlyTheClosedSetOfStatusesIsValid(t *testing.T) {
	t.Parallel()
	for _, s := range Statuses() {
		if !s.Valid() {
			t.Errorf("%s is not valid", s)
		}
	}
	for _, s := range []Status{"", "Approved", "hidden", "undo"} {
		if s.Valid() {
			t.Errorf("%q is valid", s)
		}
	}
}

func TestAPersonCannotAskForAnUndoAsAVerb(t *testing.T) {
	t.Parallel()
	for _, v := range []Verb{Approve, Reject, MarkSpam, Delete, Restore} {
		if got, err := ParseVerb(string(v)); err != nil || got != v {
			t.Errorf("ParseVerb(%q) = %q, %v", v, got, err)
		}
	}
	for _, s := range []string{"", "undo", "Approve", "ban"} {
		_, err := ParseVerb(s)
		wantInvalid(t, s, err, "decision")
	}
}
