package apptest

import (
	"net/http"
	"testing"
	"time"
)

// Decision is a decision as the admin API answers it.
type Decision struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Changed    bool   `json:"changed"`
	DecisionID string `json:"decision_id"`
}

// Detail is a comment as moderators see it.
type Detail struct {
	ID        string     `json:"id"`
	Status    string     `json:"status"`
	Text      string     `json:"text"`
	Why       string     `json:"why"`
	CheckedAt *time.Time `json:"checked_at"`
	Review    struct {
		State       *string    `json:"state"`
		AnnouncedAt *time.Time `json:"announced_at"`
	} `json:"review"`
}

// Decide takes a decision (approve, reject, spam, delete, restore), which must
// be possible.
func (c *Client) Decide(t testing.TB, id, verb string) (d Decision) {
	t.Helper()
	a := c.Admin(t, "POST", "comments/"+id+"/decision", map[string]any{"decision": verb})
	if a.Status != http.StatusOK {
		t.Fatalf("%s of %s was answered with %d: %s", verb, id, a.Status, a.Body)
	}
	a.JSON(t, &d)
	return d
}

// Detail reads a comment as moderators see it.
func (c *Client) Detail(t testing.TB, id string) Detail {
	t.Helper()
	a := c.Admin(t, "GET", "comments/"+id, nil)
	if a.Status != http.StatusOK {
		t.Fatalf("the detail of %s was answered with %d: %s", id, a.Status, a.Body)
	}
	var d struct {
		Comment Detail `json:"comment"`
	}
	a.JSON(t, &d)
	return d.Comment
}

// AwaitStatus waits until moderators see a comment in this state.
func (c *Client) AwaitStatus(t testing.TB, within time.Duration, id, status string) {
	t.Helper()
	Eventually(t, within, "comment "+id+" is "+status, func() bool { return c.Detail(t, id).Status == status })
}

// AwaitAsked waits until a person was asked about a comment.
func (c *Client) AwaitAsked(t testing.TB, within time.Duration, id string) {
	t.Helper()
	Eventually(t, within, "a moderator was told of comment "+id, func() bool { return c.Detail(t, id).Review.AnnouncedAt != nil })
}
