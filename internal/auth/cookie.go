package auth

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// CSRFHeader is where a program that uses the session's cookie says the token
// of its pages; forms have a field of their own for it.
const CSRFHeader = "X-CSRF-Token"

// Cookie is how a session travels. Below a path of its own it goes to that path
// alone, since other programs may live on the host; where the service has the
// host for itself its name says so, and no other host of the domain can set it.
type Cookie struct {
	name   string
	path   string
	secure bool
	origin string // of the public URL
}

// CookieFor returns the cookie of a service with this public URL.
func CookieFor(publicURL string) (c Cookie, err error) {
	if c.origin, _, err = postil.ParseOrigin(publicURL); err != nil {
		return c, err
	}
	u, err := url.Parse(strings.TrimSpace(publicURL))
	if err != nil {
		return c, err
	}
	c.path, c.secure = strings.TrimRight(u.EscapedPath(), "/"), u.Scheme == "https"
	switch {
	case !c.secure && u.Port() != "": // cookies do not tell ports apart, and two services may run on one machine
		c.name = "postil-desk-" + u.Port()
	case !c.secure:
		c.name = "postil-desk"
	case c.path == "":
		c.name = "__Host-postil-desk"
	default:
		c.name = "__Secure-postil-desk"
	}
	if c.path == "" {
		c.path = "/"
	}
	return c, nil
}

// Read returns the secret that a request shows; "" for none and for whatever
// cannot be one.
func (c Cookie) Read(r *http.Request) string {
	found, err := r.Cookie(c.name)
	if err != nil {
		return ""
	}
	return found.Value
}

// Give hands the secret to the browser until ends. It comes with requests that
// our own pages make and with no other, not even a followed link.
func (c Cookie) Give(w http.ResponseWriter, secret string, ends time.Time) {
	http.SetCookie(w, c.bake(secret, ends))
}

// Take removes the secret from the browser.
func (c Cookie) Take(w http.ResponseWriter) {
	gone := c.bake("", time.Unix(1, 0))
	gone.MaxAge = -1
	http.SetCookie(w, gone)
}

func (c Cookie) bake(value string, ends time.Time) *http.Cookie {
	return &http.Cookie{Name: c.name, Value: value, Path: c.path, Expires: ends.UTC(), Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// OwnPage returns nil when a request that changes something comes from a page
// of the service, or from no page at all:
//
//	Origin              Sec-Fetch-Site      answer
//	the service's own   any but cross-site  accepted
//	the request's host  same-origin         accepted: the browser reaches us under another name
//	none                same-origin, none   accepted
//	none                absent              accepted: no browser, or an old one; the token decides
//	any other, null     any                 refused
//	any                 cross-site          refused
//
// It is one half of the guard; the other is the token of the session.
func (c Cookie) OwnPage(r *http.Request) error {
	origins, site := r.Header["Origin"], r.Header.Get("Sec-Fetch-Site")
	ok := false
	switch {
	case site == "cross-site" || len(origins) > 1:
	case len(origins) == 0:
		ok = site == "" || site == "same-origin" || site == "none"
	default:
		ok = origins[0] == c.origin || site == "same-origin" && sameHost(origins[0], r.Host)
	}
	if ok {
		return nil
	}
	return postil.Refuse("origin-not-allowed", "This came from a page that is not ours. Open the admin page at %s and do it there.", c.origin+strings.TrimRight(c.path, "/")+"/admin/")
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == host
}
