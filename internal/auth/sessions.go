package auth

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// How long things last.
const (
	sessionIdle = 7 * 24 * time.Hour  // without a request
	sessionLife = 30 * 24 * time.Hour // whatever happens
	linkLife    = 15 * time.Minute
)

// SessionRegister keeps sessions and sign-in links by their hashes.
type SessionRegister interface {
	AddSession(ctx context.Context, v postil.Session, hash string) (postil.Session, error)
	// SessionByHash returns what is in force, as is its owner; NotFound otherwise.
	SessionByHash(ctx context.Context, hash string) (postil.Session, error)
	SessionSeen(ctx context.Context, id int64) error
	Sessions(ctx context.Context) ([]postil.Session, error)
	EndSession(ctx context.Context, id int64, by postil.By) error

	AddSigninLink(ctx context.Context, moderator int64, hash string, expires time.Time, by postil.By) error
	// SigninLink and UseSigninLink fail with NotFound for a link that is used,
	// expired or unknown.
	SigninLink(ctx context.Context, hash string) (postil.Moderator, error)
	UseSigninLink(ctx context.Context, link string, v postil.Session, hash string) (postil.Session, error)
}

// Sessions tells principals by the cookie of the admin page. It asks the
// register each time, so that a session which was ended, or whose owner lost
// the role, is refused at the next request.
type Sessions struct {
	Cookie Cookie

	lg       *slog.Logger
	register SessionRegister
	keys     *Keys
	secrets  *token.Keys
	now      func(context.Context) time.Time
}

// NewSessions returns the sessions of a register. keys knows the API keys with
// which somebody may sign in.
func NewSessions(lg *slog.Logger, register SessionRegister, keys *Keys, secrets *token.Keys, cookie Cookie, now func(context.Context) time.Time) *Sessions {
	return &Sessions{Cookie: cookie, lg: lg, register: register, keys: keys, secrets: secrets, now: now}
}

// Visitor is somebody who is signed in.
type Visitor struct {
	Principal
	Session postil.Session
	CSRF    string // the token of the session's pages
}

// SignIn opens a session for whoever shows an API key and returns its secret
// and its end. It fails as Authenticate does.
func (s *Sessions) SignIn(ctx context.Context, key, agent string) (secret string, ends time.Time, err error) {
	v := s.fresh(ctx, agent)
	hash := token.HashAPIKey(key)
	if s.keys.isBootstrap(hash) {
		v.Mark = s.mark()
	} else {
		known, err := s.keys.register.KeyByHash(ctx, hash)
		if postil.KindOf(err) == postil.NotFound {
			return "", v.Ends, &postil.Error{Kind: postil.KeyRequired, Field: "key",
				Sentence: "That key is not in force here. Copy it again, or make one with “postil key create --role moderator”."}
		}
		if err != nil {
			return "", v.Ends, err
		}
		v.Key = known.ID
	}
	secret, hash = token.NewSession()
	_, err = s.register.AddSession(ctx, v, hash)
	return secret, v.Ends, err
}

func (s *Sessions) fresh(ctx context.Context, agent string) postil.Session {
	return postil.Session{Agent: postil.CleanUserAgent(agent), Ends: s.now(ctx).Add(sessionLife)}
}

// mark stands for the admin key given as a setting, "" without one.
func (s *Sessions) mark() string {
	if s.keys.bootstrap.IsZero() {
		return ""
	}
	return s.secrets.SettingMark(s.keys.bootstrap.Reveal())
}

// Invite makes the code of a link that signs a moderator in once, soon.
func (s *Sessions) Invite(ctx context.Context, moderator int64, by postil.By) (code string, expires time.Time, err error) {
	code, hash := token.NewSigninCode()
	expires = s.now(ctx).Add(linkLife)
	return code, expires, s.register.AddSigninLink(ctx, moderator, hash, expires, by)
}

// Invited returns whom a link signs in and uses nothing up: programs that show
// previews of links follow them, too.
func (s *Sessions) Invited(ctx context.Context, code string) (postil.Moderator, error) {
	return s.register.SigninLink(ctx, token.HashAPIKey(code))
}

// Accept uses a link up and opens the session of its moderator.
func (s *Sessions) Accept(ctx context.Context, code, agent string) (secret string, ends time.Time, err error) {
	v := s.fresh(ctx, agent)
	secret, hash := token.NewSession()
	_, err = s.register.UseSigninLink(ctx, token.HashAPIKey(code), v, hash)
	return secret, v.Ends, err
}

// Enter returns who sent a request, by its cookie. No cookie, a damaged one and
// a session that ended are one and the same KeyRequired error.
func (s *Sessions) Enter(r *http.Request) (Visitor, error) {
	return s.Known(r.Context(), s.Cookie.Read(r))
}

// Known returns whose session has this secret.
func (s *Sessions) Known(ctx context.Context, secret string) (Visitor, error) {
	if !token.LooksLikeSession(secret) {
		return Visitor{}, unknown()
	}
	v, err := s.register.SessionByHash(ctx, token.HashAPIKey(secret))
	if err != nil && postil.KindOf(err) != postil.NotFound {
		return Visitor{}, err
	}
	now := s.now(ctx)
	if err != nil || !now.Before(v.Ends) || now.Sub(v.Seen) >= sessionIdle {
		return Visitor{}, unknown()
	}
	if v.Moderator == 0 && v.Key == 0 { // of the setting, which may have changed
		if mark := s.mark(); mark == "" || subtle.ConstantTimeCompare([]byte(mark), []byte(v.Mark)) != 1 {
			return Visitor{}, unknown()
		}
		v.Name, v.Role = "admin", postil.AdminRole
	}
	s.seen(ctx, v, now)
	by := postil.By{Channel: postil.ByPage, Actor: v.Owner(), Name: v.Name}
	return Visitor{Principal{By: by, Role: v.Role, Scope: v.Scope, Site: v.Site}, v, s.secrets.CSRF(secret)}, nil
}

// seen records that a session is used, once in a while; the request goes on
// when that fails.
func (s *Sessions) seen(ctx context.Context, v postil.Session, now time.Time) {
	if recent(v.Seen, now) {
		return
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), usePatience)
	defer cancel()
	if err := s.register.SessionSeen(patient, v.ID); err != nil {
		s.lg.WarnContext(ctx, "the use of a session could not be recorded", "session", v.ID, "err", err)
	}
}

// MayChange returns nil when a request that changes something was made by a
// page of this visitor's: it comes from us, and given is the token.
func (s *Sessions) MayChange(r *http.Request, v Visitor, given string) error {
	if err := s.Cookie.OwnPage(r); err != nil {
		return err
	}
	if v.CSRF == "" || subtle.ConstantTimeCompare([]byte(given), []byte(v.CSRF)) != 1 {
		return postil.Refuse("forbidden", "This form is from another visit. Load the page again and repeat what you did.")
	}
	return nil
}

// Request returns who sent a request to the API with a cookie instead of a
// key. One that changes something needs the token in its header.
func (s *Sessions) Request(r *http.Request) (Principal, error) {
	v, err := s.Enter(r)
	if err != nil {
		return Principal{}, err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := s.MayChange(r, v, r.Header.Get(CSRFHeader)); err != nil {
			return Principal{}, err
		}
	}
	return v.Principal, nil
}

// Open lists the sessions of those whom p may send away: an admin sees all of
// their sites, a moderator their own.
func (s *Sessions) Open(ctx context.Context, p Principal) ([]postil.Session, error) {
	all, err := s.register.Sessions(ctx)
	var out []postil.Session
	for _, v := range all {
		if s.mine(p, v) && s.now(ctx).Sub(v.Seen) < sessionIdle {
			out = append(out, v)
		}
	}
	return out, err
}

func (s *Sessions) mine(p Principal, v postil.Session) bool {
	return v.Owner() == p.By.Actor || p.May(Manage, v.Site) == nil
}

// End ends a session of one's own, or of those whom p may send away. The next
// request with it is refused.
func (s *Sessions) End(ctx context.Context, p Principal, id int64) error {
	open, err := s.Open(ctx, p)
	if err != nil {
		return err
	}
	for _, v := range open {
		if v.ID == id {
			return s.register.EndSession(ctx, id, p.By)
		}
	}
	return postil.Missing()
}
