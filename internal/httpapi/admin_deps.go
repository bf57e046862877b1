package httpapi

import (
	"context"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Admin is what the routes below /api/v1/admin need. Without Authenticator
// there are no such routes; with it every other member is needed but Now,
// Forget, Sessions, Settings and Backups.
type Admin struct {
	Authenticator Authenticator
	Records       Records
	Decisions     DecisionLog
	Door          Door
	Replies       Replies
	Posts         Posts
	Sites         SiteRegister
	APIKeys       KeyRegister
	Moderators    ModeratorRegister
	Codes         Codes
	Webhooks      WebhookRegister
	Hooks         HookCaller
	Book          Book // with Rules; nil: no routes for rules
	Rules         RuleRegister
	Audits        AuditLog
	Sessions      Sessions // of the admin page; nil: there is none

	Backups  Backups  // nil: none over HTTP
	Privacy  Privacy  // nil: nobody is told or erased over HTTP
	EditKeys EditKeys // needed with Privacy

	Settings SettingRegister // configuration and flags; nil: none over HTTP
	Plans    SettingPlans    // needed with Settings
	Effects  SettingEffects  // nil: nobody can foretell what a change does

	Notes     Notes          // of moderators; nil: none over HTTP
	Templates ReplyTemplates // nil: none over HTTP

	Operations Operations // what happened; nil: none over HTTP
	Fence      Fence      // nil: from everywhere

	Forget func(postil.SiteID)             // called when a site changed, so that the next request sees it
	Now    func(context.Context) time.Time // default: the system's clock
}

// Backups makes backups of everything.
type Backups interface {
	// Backup returns the file of a verified backup; done removes it. It may take
	// minutes.
	Backup(ctx context.Context, by postil.By, withSecret bool) (path string, done func(), err error)
}

// Authenticator tells who shows a key.
type Authenticator interface {
	// Authenticate fails with KeyRequired for no key, an unknown or a revoked one.
	Authenticate(ctx context.Context, bearer string) (auth.Principal, error)
}

// Records are the comments with everything a moderator may know.
type Records interface {
	Comment(ctx context.Context, id postil.CommentID) (postil.Comment, error)
	// Comments returns those that exist, in any order.
	Comments(ctx context.Context, ids []postil.CommentID) ([]postil.Comment, error)
	ListComments(ctx context.Context, f postil.CommentFilter) (postil.CommentPage, error)
	Detail(ctx context.Context, id postil.CommentID) (postil.Detail, error)
	Reports(ctx context.Context, f postil.ReportFilter) (postil.ReportPage, error)
	Authors(ctx context.Context, f postil.AuthorFilter) (postil.AuthorPage, error)
	// KnownAuthor finds an author by account or device, NotFound for nobody.
	KnownAuthor(ctx context.Context, site postil.SiteID, id string) (postil.KnownAuthor, error)
}

// DecisionLog remembers what was decided.
type DecisionLog interface {
	Decision(ctx context.Context, id postil.DecisionID) (postil.Decision, error)
	// Batch returns the decisions of one bulk request, none for an unknown one.
	Batch(ctx context.Context, batch string) ([]postil.Decision, error)
}

// Door takes decisions. Beside a Conflict error the outcome says how the
// comment stands and who decided.
type Door interface {
	Decide(ctx context.Context, r postil.DecisionRequest) (postil.Outcome, error)
	Undo(ctx context.Context, id postil.DecisionID, by postil.By, batch string) (postil.Outcome, error)
	Correct(ctx context.Context, id postil.CommentID, k postil.Correction, by postil.By) (postil.Outcome, error)
}

// Replies answers comments as the blog's author.
type Replies interface {
	// Reply also approves the comment that is answered when it is pending.
	Reply(ctx context.Context, id postil.CommentID, text string, by postil.By) (postil.Receipt, error)
}

// Posts knows the posts of sites.
type Posts interface {
	Post(ctx context.Context, site postil.SiteID, id postil.PostID) (postil.Post, error)
	// PostsAfter returns posts in the order of their keys.
	PostsAfter(ctx context.Context, site postil.SiteID, after postil.PostID, limit int) ([]postil.Post, error)
	// Tally returns how many comments of each status a post has.
	Tally(ctx context.Context, site postil.SiteID, id postil.PostID) (map[postil.Status]int, error)
	MovePost(ctx context.Context, r postil.MoveRequest) (postil.PostMove, error)
	// UndoMove is refused with Conflict when a later move touched either post.
	UndoMove(ctx context.Context, id int64, by postil.By) (postil.PostMove, error)
	PostMove(ctx context.Context, id int64) (postil.PostMove, error)
	Moves(ctx context.Context, site postil.SiteID, before int64, limit int) ([]postil.PostMove, error)
	// SetPost changes a post, and makes it when nobody has commented on it yet.
	SetPost(ctx context.Context, site postil.SiteID, id postil.PostID, ch postil.PostChange, by postil.By) (postil.Post, error)
}

// SiteRegister keeps the sites.
type SiteRegister interface {
	Site(ctx context.Context, id postil.SiteID) (postil.Site, error)
	Sites(ctx context.Context) ([]postil.Site, error)
	AddSite(ctx context.Context, v postil.Site, by postil.By) (postil.Site, error)
	SetSite(ctx context.Context, id postil.SiteID, by postil.By, change func(*postil.Site) error) (postil.Site, error)
	RemoveSite(ctx context.Context, id postil.SiteID, by postil.By) error
}

// KeyRegister keeps API keys by their hashes.
type KeyRegister interface {
	Keys(ctx context.Context) ([]postil.APIKey, error)
	AddKey(ctx context.Context, k postil.APIKey, hash string, by postil.By) (postil.APIKey, error)
	RevokeKey(ctx context.Context, id int64, by postil.By) error
}

// ModeratorRegister keeps those who decide from Telegram.
type ModeratorRegister interface {
	Moderators(ctx context.Context) ([]postil.Moderator, error)
	AddModerator(ctx context.Context, m postil.Moderator, codeHash string, expires time.Time, by postil.By) (postil.Moderator, error)
	RevokeModerator(ctx context.Context, id int64, by postil.By) error
}

// WebhookRegister keeps webhooks and what they are told.
type WebhookRegister interface {
	Webhooks(ctx context.Context) ([]postil.Webhook, error)
	Webhook(ctx context.Context, id int64) (postil.Webhook, error)
	AddWebhook(ctx context.Context, w postil.Webhook, by postil.By) (postil.Webhook, error)
	SetWebhook(ctx context.Context, id int64, by postil.By, change func(*postil.Webhook) error) (postil.Webhook, error)
	RemoveWebhook(ctx context.Context, id int64, by postil.By) error
	Deliveries(ctx context.Context, hook int64, state postil.DeliveryState, before int64, limit int) ([]postil.Delivery, error)
	Replay(ctx context.Context, hook int64, ids []int64, by postil.By) (int64, error)
}

// HookCaller calls webhooks.
type HookCaller interface {
	Secret(w postil.Webhook) string // as its owner is shown it
	// Test sends a sample once; status is 0 when there was no answer, and
	// problem "" when all is well.
	Test(ctx context.Context, w postil.Webhook) (status int, took time.Duration, problem string)
	Wake()
}

// AuditLog remembers who changed what.
type AuditLog interface {
	Audit(ctx context.Context, f postil.AuditFilter) (postil.AuditPage, error)
}

// Codes makes one-time codes.
type Codes interface {
	NewCode() (plain, hash string)
}

// now is the time at which a request happens.
func (a Admin) now(ctx context.Context) time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now(ctx)
}

// changed tells whoever remembers sites that one of them changed.
func (a Admin) changed(id postil.SiteID) {
	if a.Forget != nil {
		a.Forget(id)
	}
}
