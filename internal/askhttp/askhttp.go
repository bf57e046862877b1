// Package askhttp asks a service of the operator's own what it thinks of a
// comment: one signed POST, one short answer, within a time.
//
// It decides nothing: an answer is a finding like any other, and no answer is
// an error, for which the comment is held.
//
// The rule a newcomer would break: what is sent is what moderators see of a
// comment and never more; no address and no mail address.
//
// # The format
//
// The body is {"version":1,"comment":{"id","site","post","parent_id","author":
// {"name","website"},"text","links":[…],"created_at"}} in UTF-8. The header
// Postil-Timestamp is the time in unix seconds, and Postil-Signature is
// "sha256=" and the hex HMAC-SHA256, with the shared secret, of the timestamp, a
// dot and the body. The answer is 200 with {"verdict":"ok"|"hold"|"spam",
// "reason":"…"}; the reason completes “held: …” and may be absent.
package askhttp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/postil/postil/internal/outbound"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// Client asks one service.
type Client struct {
	url    string
	secret token.Secret
	now    func(context.Context) time.Time
	http   *http.Client
}

// New returns a client that asks the service at rawURL, http or https. A name
// that leads to an address inside (this machine, a private network) is refused
// at each call; whoever means such a service writes its address, or localhost.
func New(rawURL string, secret token.Secret, now func(context.Context) time.Time) (*Client, error) {
	_, client, err := outbound.Service(rawURL)
	if err != nil {
		return nil, err
	}
	if secret.IsZero() {
		return nil, errors.New("requests are signed, so the check needs a secret")
	}
	return &Client{rawURL, secret, now, client}, nil
}

type request struct {
	Version int     `json:"version"`
	Comment comment `json:"comment"`
}

type comment struct {
	ID        string    `json:"id"`
	Site      string    `json:"site"`
	Post      string    `json:"post"`
	ParentID  *string   `json:"parent_id"`
	Author    author    `json:"author"`
	Text      string    `json:"text"`
	Links     []string  `json:"links"`
	CreatedAt time.Time `json:"created_at"`
}

type author struct {
	Name    string `json:"name"`
	Website string `json:"website"`
}

// Answer is what the service thinks.
type Answer struct {
	Verdict postil.Verdict // VerdictApprove: nothing against it
	Reason  string         // one line, at most 200 characters; "" for none
}

const (
	maxAnswer = 64 << 10
	maxReason = 200
)

// Ask asks about a comment that is to show a text with these links. The time it
// may take is that of ctx.
func (c *Client) Ask(ctx context.Context, m postil.Comment, text string, links []string) (Answer, error) {
	out := comment{ID: m.ID.String(), Site: string(m.Site), Post: string(m.Post), Author: author{m.Author.Name, m.Author.Website},
		Text: text, Links: append([]string{}, links...), CreatedAt: m.Created.UTC()}
	if m.Parent != 0 {
		parent := m.Parent.String()
		out.ParentID = &parent
	}
	body, err := json.Marshal(request{1, out})
	if err != nil {
		return Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	at := strconv.FormatInt(c.now(ctx).Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Postil")
	req.Header.Set("Postil-Timestamp", at)
	req.Header.Set("Postil-Signature", "sha256="+Sign(c.secret, at, body))
	res, err := c.http.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return Answer{}, fmt.Errorf("the check answered %d", res.StatusCode)
	}
	return read(res.Body)
}

// Sign returns the signature of a body that is sent at a time.
func Sign(secret token.Secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func read(body io.Reader) (a Answer, err error) {
	var in struct{ Verdict, Reason string }
	if err := json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(&in); err != nil {
		return a, fmt.Errorf("the answer of the check cannot be read: %w", err)
	}
	switch in.Verdict {
	case "ok":
		a.Verdict = postil.VerdictApprove
	case "hold":
		a.Verdict = postil.VerdictHold
	case "spam":
		a.Verdict = postil.VerdictSpam
	default:
		return a, errors.New("the check answered with no verdict")
	}
	if reason := []rune(postil.CleanTitle(in.Reason)); len(reason) > 0 {
		a.Reason = string(reason[:min(len(reason), maxReason)])
	}
	return a, nil
}
