package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Deps is everything behind the routes. Sites, Read, Intake, Authors, Streams,
// Posts, Limiter, Clients and Ready are needed; the others may be absent.
type Deps struct {
	Sites   Sites
	Read    Read
	Intake  Intake
	Authors Authors
	Streams Streams
	Posts   Versions
	Limiter Limiter
	Clients Clients
	Ready   Readiness
	Keys    Keys                                           // who may post as the blog's author; nil: nobody
	Bundle  func(name string) ([]byte, bool)               // "widget.js" and the like; bytes never change while running
	Pages   *Pages                                         // feeds, and the pages for readers without scripts
	Demo    http.Handler                                   // served under demo/, sees paths without that prefix
	Desk    http.Handler                                   // the admin page, served under admin/, sees paths without that prefix
	Hooks   map[string]http.Handler                        // POST hooks/NAME, for senders that are no browser
	Metrics http.Handler                                   // GET metrics, for loopback clients
	Explain func(remoteAddr string, h http.Header) Arrival // nil: nobody may ask how requests arrive
	Admin   Admin
	Light   Light
	Flags   FlagBoard

	// Answered is told of each answer but those of the cache; nil: nobody
	// counts. took is 0 where nobody waits. It must not block.
	Answered func(route string, status int, took time.Duration)

	// Doubt tells what a trusted proxy has against the sender of a request, in
	// words; nil: nobody says anything.
	Doubt func(site postil.SiteID, remoteAddr string, h http.Header) string

	// TrapName returns the name of the field that people leave empty in a form
	// with this token; "" is the form that everybody shares.
	TrapName func(token string) string
}

// Sites knows the blogs that are served here.
type Sites interface {
	// Site returns a site, a NotFound error when there is none.
	Site(ctx context.Context, id postil.SiteID) (postil.Site, error)
	// Resolve returns the key of the post that a visitor names, NotFound when
	// there is no such site. The cause of its error is postil.ErrForeignHost for
	// an address on another site. It stands before every read of a thread.
	Resolve(ctx context.Context, site postil.SiteID, raw string) (postil.PostID, error)
	// Named is Resolve for the key that is meant, though it may lead elsewhere.
	Named(ctx context.Context, site postil.SiteID, raw string) (postil.PostID, error)
}

// Read returns a cacheable public answer that is at least as new as version
// atLeast, or the newest there is.
type Read func(ctx context.Context, view postil.View, atLeast int64) (Page, error)

// Page is a finished public answer.
type Page interface {
	// Encoded returns the body for the content coding "br", "gzip" or "".
	Encoded(coding string) postil.Encoded
	// Version returns the version of the thread; 0 when it has none.
	Version() int64
}

// Intake takes comments in.
type Intake interface {
	// Check validates what costs next to nothing: shape, lengths, names. It
	// neither renders nor stores.
	Check(ctx context.Context, s postil.Submission) (postil.NewComment, error)
	// Accept stores what Check returned. When it returns without an error the
	// comment is on disk.
	Accept(ctx context.Context, n postil.NewComment) (postil.Receipt, error)
}

// Authors serves readers who do something: those who hold the edit key of a
// comment, those who are about to write one, and those who react.
type Authors interface {
	// Edit and Remove return the comment afterwards and the bookmark of its
	// thread. A key that does not fit is Forbidden, whatever the id.
	Edit(ctx context.Context, site postil.SiteID, id postil.CommentID, key, text string) (postil.Own, int64, error)
	Remove(ctx context.Context, site postil.SiteID, id postil.CommentID, key string) (postil.Own, int64, error)
	// Own returns the comments that keys belong to; other keys are ignored.
	Own(ctx context.Context, site postil.SiteID, keys []string) ([]postil.Own, error)
	Form(ctx context.Context, r postil.FormRequest) (postil.Form, error)
	// React puts an emoji that the site offers on a comment, or takes it back
	// (on is false), for the person with this device key or, without one, from
	// this address. NotFound means that the comment is not public.
	React(ctx context.Context, site postil.SiteID, id postil.CommentID, emoji, device, actor string, on bool) (postil.Reacted, error)
	// Report stores a reader's report of a comment; its person is the one with
	// this device key or address. NotFound means that it is not public.
	Report(ctx context.Context, r postil.Report, device, actor string) error
	// Preview renders text exactly as storing it would.
	Preview(ctx context.Context, site postil.SiteID, text string) (html string, hints []string, err error)
}

// Keys knows the API keys.
type Keys interface {
	// Author returns who writes with the key bearer, which needs the scope
	// author. Errors are KeyRequired or Forbidden.
	Author(ctx context.Context, bearer string) (*postil.Byline, error)
}

// Streams tells open pages what changed.
type Streams interface {
	// Subscribe fails with Throttled when the actor holds too many streams.
	Subscribe(site postil.SiteID, posts []postil.PostID, actor string) (Stream, error)
}

// Versions knows how new the thread of a post is.
type Versions interface {
	// Post returns a post; one that nobody has commented on has version 0.
	Post(ctx context.Context, site postil.SiteID, id postil.PostID) (postil.Post, error)
}

// Stream is one open page. Its channel is closed when the page is to connect
// again, for example because it was too slow.
type Stream interface {
	C() <-chan postil.Notice
	Close()
}

// Limiter counts requests. An error means that nothing is known, and the
// request is refused.
type Limiter interface {
	// Take asks for one request of rule (see the Rule constants) by key.
	Take(ctx context.Context, rule, key string) (Allowance, error)
	// TakeOwn asks for one comment of a key that has limits of its own.
	TakeOwn(ctx context.Context, pen postil.Pen, key string) (Allowance, error)
	// Refund gives back what an allowed Take consumed.
	Refund(ctx context.Context, taken Allowance) error
}

// Allowance is the answer of a Limiter.
type Allowance interface {
	Err() error           // the refusal, nil when allowed
	PolicyHeader() string // of RateLimit-Policy, "" to leave it out
	StateHeader() string  // of RateLimit, "" to leave it out

	ReturnedHeader() string // of RateLimit once the request was given back
}

// Clients turns connections into the keyed hashes that stand for people.
type Clients interface {
	ClientIP(remoteAddr string, h http.Header) netip.Addr
	Actor(ctx context.Context, client netip.Addr) string
	Network(client netip.Addr) string
	Bucket(client netip.Addr) string // the same every day, never stored
}

// Readiness says how the service is.
type Readiness func(ctx context.Context) Report

// Report is how the service is, part by part.
type Report struct {
	Status    string            // "ok" or "degraded"
	Checks    map[string]string // by part: "ok" or a few words
	Accepting bool              // comments can be stored
	Backup    time.Time         // when the last good one was made; zero: never
}
