package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

var (
	ctx  = context.Background()
	noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// shelf is a Register in memory.
type shelf struct {
	mu    sync.Mutex
	keys  map[string]postil.APIKey
	uses  []int64
	fails error
	asked int
}

func (s *shelf) KeyByHash(_ context.Context, hash string) (postil.APIKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	k, ok := s.keys[hash]
	if !ok {
		return k, postil.Missing()
	}
	return k, nil
}

func (s *shelf) KeyUsed(ctx context.Context, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, limited := ctx.Deadline(); !limited || ctx.Err() != nil {
		return errors.New("the record of a use must have a time limit of its own")
	}
	s.uses = append(s.uses, id)
	return s.fails
}

// desk returns keys over a shelf with the given ones, a settable clock and the log.
func desk(bootstrap string, keys map[string]postil.APIKey) (*Keys, *shelf, *time.Time, *bytes.Buffer) {
	s := &shelf{keys: map[string]postil.APIKey{}}
	for plain, key := range keys {
		s.keys[token.HashAPIKey(plain)] = key
	}
	secret := token.Secret{}
	if bootstrap != "" {
		secret = token.NewSecret(bootstrap)
	}
	now, log := noon, &bytes.Buffer{}
	k := NewKeys(slog.New(slog.NewTextHandler(log, nil)), s, secret, func(context.Context) time.Time { return now })
	return k, s, &now, log
}

const bootstrap = "a-bootstrap-key-of-some-length"

func TestAModeratorDecidesAndAnAdminDoesEverything(t *testing.T) {
	t.Parallel()
	for _, role := range []postil.Role{postil.AdminRole, postil.ModeratorRole, "", "owner"} {
		for _, action := range []Action{Read, Decide, Reply, Manage, "new"} {
			for _, bound := range []postil.SiteID{"", "blog"} {
				for _, site := range []postil.SiteID{"", "blog", "other"} {
					want := (role == postil.AdminRole || role == postil.ModeratorRole && (action == Read || action == Decide || action == Reply)) &&
						(bound == "" || bound == site)
					err := Principal{Role: role, Site: bound}.May(action, site)
					if (err == nil) != want || err != nil && postil.KindOf(err) != postil.Forbidden {
						t.Errorf("%q bound to %q, %s on %q: %v", role, bound, action, site, err)
					}
				}
			}
		}
	}
}

func TestAKeyBecomesItsPrincipal(t *testing.T) {
	t.Parallel()
	k, _, _, _ := desk("", map[string]postil.APIKey{"pk_one": {ID: 7, Name: "Ann", Role: postil.ModeratorRole, Scope: postil.AuthorScope, Site: "blog"}})
	got, err := k.Authenticate(ctx, "pk_one")
	want := Principal{By: postil.By{Channel: postil.ByREST, Actor: "key:7", Name: "Ann"}, Key: 7, Role: postil.ModeratorRole, Scope: postil.AuthorScope, Site: "blog"}
	if err != nil || got != want || !got.By.Person() {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestNoKeyAnUnknownAndARevokedOneLookTheSame(t *testing.T) {
	t.Parallel()
	for _, boot := range []string{"", bootstrap} {
		k, _, _, _ := desk(boot, map[string]postil.APIKey{"pk_old": {ID: 1, Role: postil.AdminRole, Revoked: noon}})
		var first error
		for _, bearer := range []string{"", "pk_unknown", "pk_old", bootstrap[1:], bootstrap + "x", strings.Repeat("x", 30_000)} {
			p, err := k.Authenticate(ctx, bearer)
			if postil.KindOf(err) != postil.KeyRequired || p != (Principal{}) {
				t.Fatalf("%.20q: %+v, %v", bearer, p, err)
			}
			if first == nil {
				first = err
			}
			if err.Error() != first.Error() {
				t.Errorf("%.20q is answered %q, not %q", bearer, err, first)
			}
		}
	}
}

func TestAnOutageIsNotARefusal(t *testing.T) {
	t.Parallel()
	outage := postil.Busy("overloaded", "later", time.Second, nil)
	k := NewKeys(slog.New(slog.DiscardHandler), broken{outage}, token.Secret{}, func(context.Context) time.Time { return noon })
	if _, err := k.Authenticate(ctx, "pk_one"); !errors.Is(err, outage) {
		t.Fatal(err)
	}
}

type broken struct{ err error }

func (b broken) KeyByHash(context.Context, string) (postil.APIKey, error) {
	return postil.APIKey{}, b.err
}
func (b broken) KeyUsed(context.Context, int64) error { return b.err }

func TestTheBootstrapKeyIsAdminAndAPersonAndNeedsNoStore(t *testing.T) {
	t.Parallel()
	k, s, _, log := desk(bootstrap, nil)
	p, err := k.Authenticate(ctx, bootstrap)
	want := Principal{By: postil.By{Channel: postil.ByREST, Actor: "key:bootstrap", Name: "admin"}, Role: postil.AdminRole}
	if err != nil || p != want || !p.By.Person() || p.May(Manage, "") != nil {
		t.Fatalf("%+v, %v", p, err)
	}
	if s.asked != 0 || len(s.uses) != 0 {
		t.Error("the store was asked about the bootstrap key")
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", k, k, k, log); strings.Contains(printed, bootstrap) || strings.Contains(printed, token.HashAPIKey(bootstrap)) {
		t.Error("the key or its hash prints")
	}
}

func TestAuthorsNeedTheScope(t *testing.T) {
	t.Parallel()
	k, _, _, _ := desk(bootstrap, map[string]postil.APIKey{
		"pk_author": {ID: 1, Name: "Ann", Role: postil.ModeratorRole, Scope: postil.AuthorScope, Site: "blog"},
		"pk_admin":  {ID: 2, Role: postil.AdminRole},
	})
	by, err := k.Author(ctx, "pk_author")
	if err != nil || by == nil || by.By.Actor != "key:1" || by.By.Name != "Ann" || by.Site != "blog" {
		t.Fatalf("%+v %v", by, err)
	}
	for bearer, want := range map[string]postil.Kind{"pk_admin": postil.Forbidden, bootstrap: postil.Forbidden, "pk_other": postil.KeyRequired, "": postil.KeyRequired} {
		if by, err := k.Author(ctx, bearer); by != nil || postil.KindOf(err) != want {
			t.Errorf("%q: %+v, %v", bearer, by, err)
		}
	}
}

func TestTheUseOfAKeyIsRecordedOnceAMinute(t *testing.T) {
	t.Parallel()
	k, s, now, _ := desk("", map[string]postil.APIKey{"pk_one": {ID: 1, Role: postil.AdminRole}, "pk_two": {ID: 2, Role: postil.AdminRole, LastUsed: noon.Add(-time.Second)}})
	show := func(bearer string) {
		t.Helper()
		if _, err := k.Authenticate(ctx, bearer); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { _, _ = k.Authenticate(ctx, "pk_one") })
	}
	all.Wait()
	show("pk_two")
	if fmt.Sprint(s.uses) != "[1]" {
		t.Fatalf("recorded %v, want one use of key 1; key 2 was recorded a second ago by another node", s.uses)
	}
	*now = noon.Add(59 * time.Second)
	show("pk_one")
	show("pk_two")
	if fmt.Sprint(s.uses) != "[1 2]" {
		t.Fatalf("after 59 s: %v", s.uses)
	}
	*now = noon.Add(time.Minute)
	show("pk_one")
	if fmt.Sprint(s.uses) != "[1 2 1]" {
		t.Fatalf("after a minute: %v", s.uses)
	}
}

func TestARecordThatFailsStopsNobody(t *testing.T) {
	t.Parallel()
	k, s, _, log := desk("", map[string]postil.APIKey{"pk_one": {ID: 1, Role: postil.AdminRole}})
	s.fails = errors.New("disk full")
	gone, cancel := context.WithCancel(ctx)
	cancel() // the record outlives the request
	if _, err := k.Authenticate(gone, "pk_one"); err != nil {
		t.Fatal(err)
	}
	if len(s.uses) != 1 || !strings.Contains(log.String(), "disk full") {
		t.Errorf("uses %v, log %q", s.uses, log)
	}
}

func TestOnlyTheLocalSocketIsLocal(t *testing.T) {
	t.Parallel()
	if p, ok := Local(ctx); ok || p != (Principal{}) {
		t.Fatal("every request is local")
	}
	p, ok := Local(WithLocal(ctx))
	if !ok || p.By != (postil.By{Channel: postil.ByREST, Actor: "local", Name: "command line"}) || p.May(Manage, "") != nil {
		t.Fatalf("%+v %t", p, ok)
	}
}
