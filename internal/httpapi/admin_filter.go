package httpapi

import (
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Comments on a page of a moderator's list.
const (
	defaultListed = 50
	maxListed     = 200
)

// filterJSON selects comments: the query of the list, and the member "filter"
// of a bulk decision.
type filterJSON struct {
	Site    string   `json:"site"`
	Status  []string `json:"status"`
	Post    *string  `json:"post"`    // key or address; "" is the root
	Q       string   `json:"q"`       // words, and phrases in quotation marks
	Author  string   `json:"author"`  // actor, device or user, as a comment shows them, or a mail address
	Network string   `json:"network"` // as a comment shows it
	Host    string   `json:"host"`    // that text or author link to, or a domain above it
	From    string   `json:"from"`    // time or day, included
	To      string   `json:"to"`      // time or day, not included
	Queue   string   `json:"queue"`   // "open": what waits for a person
}

func filterOf(q url.Values) filterJSON {
	f := filterJSON{Site: q.Get("site"), Q: q.Get("q"), Author: q.Get("author"), Network: q.Get("network"), Host: q.Get("host"),
		From: q.Get("from"), To: q.Get("to"), Queue: q.Get("queue")}
	for _, list := range q["status"] {
		f.Status = append(f.Status, strings.Split(list, ",")...)
	}
	if q.Has("post") {
		post := q.Get("post")
		f.Post = &post
	}
	return f
}

// filter checks what selects comments and narrows it to what p may read.
func (s *Server) filter(c echo.Context, p auth.Principal, in filterJSON) (f postil.CommentFilter, err error) {
	site, err := s.siteFor(c, p, auth.Read, in.Site)
	if err != nil {
		return f, err
	}
	if site != "" {
		f.Sites = []postil.SiteID{site}
	}
	if f.Statuses, err = statuses(in.Status); err != nil {
		return f, err
	}
	if f.Post, err = s.filteredPost(c, site, in.Post); err != nil {
		return f, err
	}
	f.Query, f.Author, f.Network = in.Q, in.Author, in.Network
	if f.Host, err = linkedHost(in.Host); err != nil {
		return f, err
	}
	if f.From, err = moment("from", in.From); err != nil {
		return f, err
	}
	if f.To, err = moment("to", in.To); err != nil {
		return f, err
	}
	if in.Queue != "" && in.Queue != "open" {
		return f, postil.InvalidField("queue", "“queue” is “open”, for what waits for a person, or is left out.")
	}
	f.NeedsYou = in.Queue == "open"
	return f, nil
}

func statuses(names []string) (list []postil.Status, err error) {
	for _, name := range names {
		status := postil.Status(strings.TrimSpace(name))
		if status == "" {
			continue
		}
		if !status.Valid() {
			return nil, postil.InvalidField("status", "A status is one of pending, approved, rejected, spam and deleted.")
		}
		list = append(list, status)
	}
	return list, nil
}

// filteredPost returns the key of a post. Without a site only a key or a path
// can be meant, since addresses belong to sites.
func (s *Server) filteredPost(c echo.Context, site postil.SiteID, raw *string) (postil.PostID, error) {
	switch {
	case raw == nil:
		return "", nil
	case site != "":
		return s.deps.Sites.Resolve(c.Request().Context(), site, *raw)
	}
	return postil.PostRules{}.Resolve(*raw)
}

// moment reads a time, or a day, which stands for its first moment in UTC.
func moment(field, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, postil.InvalidField(field, "“%s” is a time such as 2026-11-30T18:17:00Z, or a day such as 2026-11-30.", field)
}

// linkedHost reads a host, which may be pasted as an address.
func linkedHost(raw string) (string, error) {
	if raw = strings.TrimSpace(raw); raw == "" {
		return "", nil
	}
	address := raw
	if !strings.Contains(raw, "://") {
		address = "https://" + raw
	}
	clean, err := postil.CleanWebsite(address)
	if err == nil {
		if u, err := url.Parse(clean); err == nil && u.Hostname() != "" {
			return u.Hostname(), nil
		}
	}
	return "", postil.InvalidField("host", "“host” is a host such as shop.example, which also finds www.shop.example.")
}
