package auth

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// Register keeps the keys by their hashes.
type Register interface {
	// KeyByHash returns a key that is in force, NotFound otherwise.
	KeyByHash(ctx context.Context, hash string) (postil.APIKey, error)
	// KeyUsed records that a key is used now.
	KeyUsed(ctx context.Context, id int64) error
}

// Keys tells principals by the keys they show. It asks the register each time,
// so that a key that was revoked is refused at the next request.
type Keys struct {
	lg        *slog.Logger
	register  Register
	bootstrap token.Secret // hash of the key given as a setting; zero: none
	now       func(context.Context) time.Time

	mu    sync.Mutex
	noted map[int64]time.Time // when the use of a key was last recorded
}

// NewKeys returns the keys of a register and, unless it is zero, a bootstrap
// key that is admin on all sites. now is the time at which a request happens.
func NewKeys(lg *slog.Logger, register Register, bootstrap token.Secret, now func(context.Context) time.Time) *Keys {
	k := &Keys{lg: lg, register: register, now: now, noted: map[int64]time.Time{}}
	if !bootstrap.IsZero() {
		k.bootstrap = token.NewSecret(token.HashAPIKey(bootstrap.Reveal()))
	}
	return k
}

// Authenticate returns who shows the key bearer. No key, an unknown one and a
// revoked one are one and the same KeyRequired error.
func (k *Keys) Authenticate(ctx context.Context, bearer string) (Principal, error) {
	if bearer == "" {
		return Principal{}, unknown()
	}
	hash := token.HashAPIKey(bearer)
	if k.isBootstrap(hash) {
		by := postil.By{Channel: postil.ByREST, Actor: "key:bootstrap", Name: "admin"}
		return Principal{By: by, Role: postil.AdminRole}, nil
	}
	key, err := k.register.KeyByHash(ctx, hash)
	if postil.KindOf(err) == postil.NotFound || err == nil && !key.Revoked.IsZero() {
		return Principal{}, unknown()
	}
	if err != nil {
		return Principal{}, err
	}
	k.use(ctx, key)
	return Principal{By: key.By(), Key: key.ID, Role: key.Role, Scope: key.Scope, Site: key.Site, Pen: key.Pen}, nil
}

func unknown() error {
	return &postil.Error{Kind: postil.KeyRequired,
		Sentence: "This needs a key that is in force, in the header “Authorization: Bearer KEY”. Make one with “postil key create”."}
}

func (k *Keys) isBootstrap(hash string) bool {
	return !k.bootstrap.IsZero() && subtle.ConstantTimeCompare([]byte(hash), []byte(k.bootstrap.Reveal())) == 1
}

// Author returns who writes with the key bearer, and how. It fails as
// Authenticate does, and with Forbidden for a key without the scope author.
func (k *Keys) Author(ctx context.Context, bearer string) (*postil.Byline, error) {
	p, err := k.Authenticate(ctx, bearer)
	if err != nil {
		return nil, err
	}
	if p.Scope != postil.AuthorScope {
		return nil, postil.Refuse("forbidden", "This key may not post as the blog's author. Make one with “postil key create --scope author”.")
	}
	return &postil.Byline{By: p.By, Site: p.Site, Pen: p.Pen}, nil
}

const (
	useEvery    = time.Minute            // the last use of a key is known this exactly
	usePatience = 500 * time.Millisecond // a request never waits longer for the record of its key
)

// use records that a key is used, once in a while. A record that fails is
// tried again a minute later; the request goes on.
func (k *Keys) use(ctx context.Context, key postil.APIKey) {
	if !k.due(key, k.now(ctx)) {
		return
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), usePatience)
	defer cancel()
	if err := k.register.KeyUsed(patient, key.ID); err != nil {
		k.lg.WarnContext(ctx, "the use of a key could not be recorded", "key", key.ID, "err", err)
	}
}

// due reports whether the use of a key is to be recorded, and takes it as
// recorded, so that of many requests at once one writes.
func (k *Keys) due(key postil.APIKey, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if recent(key.LastUsed, now) || recent(k.noted[key.ID], now) {
		return false
	}
	k.noted[key.ID] = now
	return true
}

// recent reports whether then is less than useEvery away from now, on either
// side: clocks are set back.
func recent(then, now time.Time) bool { return now.Sub(then).Abs() < useEvery }
