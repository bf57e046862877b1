// Package akismet asks Akismet about comments and tells it where it was wrong.
// It is off unless an operator has a key for it, since it sends what readers
// write to somebody else.
//
// The rule a newcomer would break: of an address at most the network is sent,
// and only where the operator has turned that on; of mail addresses nothing.
package akismet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/outbound"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// Default is where Akismet answers.
const Default = "https://rest.akismet.com/1.1/"

// Client speaks with Akismet for all sites.
type Client struct {
	base *url.URL
	key  token.Secret
	http *http.Client
}

// New returns a client with an operator's key. base is Default or a server that
// speaks the same; for addresses inside see outbound.Service.
func New(base string, key token.Secret) (*Client, error) {
	u, client, err := outbound.Service(base)
	if err != nil {
		return nil, err
	}
	if key.IsZero() {
		return nil, errors.New("a key of Akismet is needed")
	}
	return &Client{u, key, client}, nil
}

// Subject is what Akismet is told of a comment.
type Subject struct {
	Blog    string       // address of the site
	Page    string       // address of the page, "" when it is not known
	Network netip.Prefix // of the sender; zero for none
	Comment postil.Comment
	Text    string // that is to be shown
}

// Answer is what Akismet thinks.
type Answer int

// The answers: it may be worth nothing, be spam, or be spam that nobody needs to
// look at.
const (
	Ham Answer = iota
	Spam
	Blatant
)

// Check asks about a comment. The time it may take is that of ctx.
func (c *Client) Check(ctx context.Context, s Subject) (Answer, error) {
	said, h, err := c.call(ctx, "comment-check", s)
	switch {
	case err != nil:
		return Ham, err
	case said == "true" && h.Get("X-Akismet-Pro-Tip") == "discard":
		return Blatant, nil
	case said == "true":
		return Spam, nil
	case said == "false":
		return Ham, nil
	}
	return Ham, fmt.Errorf("neither yes nor no from Akismet: %s", complaint(h))
}

// Teach tells that Akismet was wrong, or did not know: a comment is spam, or is
// none.
func (c *Client) Teach(ctx context.Context, s Subject, spam bool) error {
	method := "submit-ham"
	if spam {
		method = "submit-spam"
	}
	said, h, err := c.call(ctx, method, s)
	if err == nil && !strings.HasPrefix(said, "Thanks") {
		err = fmt.Errorf("what Akismet was told is not taken: %s", complaint(h))
	}
	return err
}

// complaint is what Akismet has against a request, in its own words.
func complaint(h http.Header) string {
	why := postil.CleanTitle(h.Get("X-Akismet-Debug-Help") + h.Get("X-Akismet-Alert-Msg"))
	if why == "" {
		return "no reason given"
	}
	return why
}

const maxAnswer = 4 << 10

func (c *Client) call(ctx context.Context, method string, s Subject) (said string, h http.Header, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(method).String(), strings.NewReader(c.form(s).Encode()))
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	req.Header.Set("User-Agent", "Postil | Akismet/1.1")
	res, err := c.http.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the server of Akismet answered %d", res.StatusCode)
	}
	return strings.TrimSpace(string(body)), res.Header, err
}

func (c *Client) form(s Subject) url.Values {
	m := s.Comment
	f := url.Values{
		"api_key": {c.key.Reveal()}, "blog": {s.Blog}, "blog_charset": {"UTF-8"}, "comment_type": {"comment"}, "user_agent": {m.Origin.UserAgent},
		"comment_author": {m.Author.Name}, "comment_author_url": {m.Author.Website}, "comment_content": {s.Text}, "comment_date_gmt": {m.Created.UTC().Format(time.RFC3339)},
	}
	if m.Parent != 0 {
		f.Set("comment_type", "reply")
	}
	if s.Page != "" {
		f.Set("permalink", s.Page)
	}
	if s.Network.IsValid() {
		f.Set("user_ip", s.Network.Masked().Addr().String())
	}
	return f
}
