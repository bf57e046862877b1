package apptest

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// Draft is what a reader sends; only Text is needed.
type Draft struct {
	Post    string // default "/post"
	Name    string // default "Ann"
	Text    string
	Parent  string
	Website string
	Device  string
	Title   string
	URL     string
	Key     string // Idempotency-Key
}

// Posted is how the service answers a Draft.
type Posted struct {
	Comment struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		HTML   string `json:"html"`
	} `json:"comment"`
	EditKey  string `json:"edit_key"`
	Bookmark int64  `json:"bookmark"`
}

// Send sends a draft; whatever the status is, there is no error.
func (c *Client) Send(ctx context.Context, d Draft) (Answer, error) {
	body := map[string]any{"post": or(d.Post, "/post"), "text": d.Text}
	author := map[string]any{"name": or(d.Name, "Ann")}
	if d.Website != "" {
		author["website"] = d.Website
	}
	body["author"] = author
	for name, value := range map[string]string{"parent_id": d.Parent, "device": d.Device, "title": d.Title, "url": d.URL} {
		if value != "" {
			body[name] = value
		}
	}
	var headers []string
	if d.Key != "" {
		headers = []string{"Idempotency-Key", d.Key}
	}
	return c.Do(ctx, "POST", c.sitePath("/comments"), body, headers...)
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// Post sends a draft, which must be accepted.
func (c *Client) Post(t testing.TB, d Draft) Posted {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	a, err := c.Send(ctx, d)
	if err != nil {
		t.Fatalf("the comment could not be sent: %v", err)
	}
	if a.Status != http.StatusAccepted {
		t.Fatalf("the comment was answered with %d: %s", a.Status, a.Body)
	}
	var p Posted
	a.JSON(t, &p)
	return p
}

// Comment is a comment as everyone may see it.
type Comment struct {
	ID       string  `json:"id"`
	ParentID *string `json:"parent_id"`
	Depth    int     `json:"depth"`
	Deleted  bool    `json:"deleted"`
	CanReply bool    `json:"can_reply"`
	HTML     string  `json:"html"`
	Author   struct {
		Name  string  `json:"name"`
		Badge *string `json:"badge"`
	} `json:"author"`
	EditedAt *time.Time `json:"edited_at"`
}

// Thread is a thread as everyone may see it.
type Thread struct {
	Version  int64     `json:"version"`
	Count    int       `json:"count"`
	Comments []Comment `json:"comments"`
}

// Find returns the comment with this id, or nil.
func (th Thread) Find(id string) *Comment {
	for i := range th.Comments {
		if th.Comments[i].ID == id {
			return &th.Comments[i]
		}
	}
	return nil
}

// Thread reads the thread of a post.
func (c *Client) Thread(t testing.TB, post string) (th Thread) {
	t.Helper()
	c.Must(t, http.StatusOK, "GET", c.sitePath("/comments?limit=200&post=%s", url.QueryEscape(post)), nil).JSON(t, &th)
	return th
}
