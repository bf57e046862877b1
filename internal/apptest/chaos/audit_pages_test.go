//go:build chaos

package chaos

import (
	"context"
	"net/http"
	"strconv"
)

// threads compares what readers get with what is approved.
func (a *audit) threads(ctx context.Context) error {
	want := map[place]map[string]bool{}
	for _, r := range a.file.rows {
		at := place{r.site, r.post}
		if want[at] == nil {
			want[at] = map[string]bool{}
		}
		if a.file.public(r) {
			want[at][strconv.FormatInt(r.id, 10)] = true
		}
	}
	for at, ids := range want {
		if err := a.thread(ctx, at, ids); err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) thread(ctx context.Context, at place, want map[string]bool) error {
	listed, count, cursor := map[string]bool{}, 0, ""
	for {
		page, err := a.w.node.thread(ctx, at, cursor)
		if err != nil {
			return err
		}
		count = page.Count
		for _, c := range page.Comments {
			if !c.Deleted {
				listed[c.ID] = true
			}
		}
		if page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	for id := range want {
		if !listed[id] {
			a.say("stuck", "comment %s is approved and not listed in %v", id, at)
		}
	}
	for id := range listed {
		if !want[id] {
			a.say("wrong", "comment %s is listed in %v and must not be", id, at)
		}
	}
	if count != len(listed) {
		a.say("wrong", "thread %v counts %d comments and lists %d", at, count, len(listed))
	}
	return nil
}

// rest compares the admin API with the file, for the comments of this round
// and the one before or for all.
func (a *audit) rest(ctx context.Context, all bool) error {
	var ids []string
	a.w.ledger.with(func() {
		for _, e := range a.w.ledger.entries {
			if e.id != "" && (all || e.round == a.w.ledger.round) {
				ids = append(ids, e.id)
			}
		}
	})
	for _, id := range ids {
		var d detail
		status, problem, err := a.w.node.ask(ctx, "GET", "/api/v1/admin/comments/"+id, adminKey, nil, &d)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			a.say("lost", "the admin API says of comment %s: %d %s", id, status, problem)
			continue
		}
		a.same(d, a.file.byID(id))
	}
	return nil
}

func (a *audit) same(d detail, r *row) {
	c := d.Comment
	if r == nil || c.Status != r.status || c.Text != r.text || len(c.History) != len(r.history) ||
		(c.Draft != nil) != r.draft.Valid || (c.CheckedAt != nil) != r.checked {
		a.say("wrong", "the admin API and the file disagree: %+v and %+v", c, r)
		return
	}
	asks := r.status == "pending" || r.draft.Valid && r.status == "approved"
	if open := c.Review.State != nil && *c.Review.State == "open"; open != asks || open && c.Review.AnnouncedAt == nil {
		a.say("stuck", "the admin API says of comment %s (%s): review %v", c.ID, c.Status, c.Review)
	}
}
