package auth_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/token"
)

var (
	ctx   = context.Background()
	quiet = slog.New(slog.DiscardHandler)
	setup = postil.By{Channel: postil.ByREST, Actor: "setup", Name: "Setup"}
)

const theSetting = "the-admin-key-of-the-setting"

// lobby is a real store with the sites "blog" and "other", and the sessions on it.
type lobby struct {
	*auth.Sessions
	store *store.Store
	keys  *auth.Keys
	mu    sync.Mutex
	clock time.Time
}

func (l *lobby) now(context.Context) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clock
}

func (l *lobby) later(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clock = l.clock.Add(d)
}

func newLobby(t testing.TB) *lobby {
	t.Helper()
	l := &lobby{clock: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	var err error
	if l.store, err = store.Open(ctx, quiet, storetest.Path(t), store.Options{Now: l.now}); err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- l.store.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		l.store.Close()
	})
	for _, id := range []postil.SiteID{"blog", "other"} {
		if _, err := l.store.AddSite(ctx, postil.Site{ID: id, Name: string(id), Policy: postil.FirstComment}, setup); err != nil {
			t.Fatal(err)
		}
	}
	l.Sessions = l.with(t, theSetting)
	return l
}

// with returns the sessions of a process that was started with another admin key.
func (l *lobby) with(t testing.TB, setting string) *auth.Sessions {
	t.Helper()
	secret := token.Secret{}
	if setting != "" {
		secret = token.NewSecret(setting)
	}
	l.keys = auth.NewKeys(quiet, l.store, secret, l.now)
	cookie, err := auth.CookieFor("https://talk.example/comments/")
	if err != nil {
		t.Fatal(err)
	}
	return auth.NewSessions(quiet, l.store, l.keys, token.NewKeys(token.NewSecret(strings.Repeat("s", 32))), cookie, l.now)
}

func (l *lobby) key(t testing.TB, role postil.Role, site postil.SiteID) (plain string, id int64) {
	t.Helper()
	plain, hash := token.NewAPIKey()
	k, err := l.store.AddKey(ctx, postil.APIKey{Name: "Ann", Role: role, Site: site}, hash, setup)
	if err != nil {
		t.Fatal(err)
	}
	return plain, k.ID
}

func (l *lobby) moderator(t testing.TB, name string, role postil.Role, site postil.SiteID) postil.Moderator {
	t.Helper()
	m, err := l.store.AddModerator(ctx, postil.Moderator{Name: name, Role: role, Site: site}, name+string(site), l.now(ctx), setup)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (l *lobby) signIn(t testing.TB, key string) (secret string) {
	t.Helper()
	secret, _, err := l.SignIn(ctx, key, "Firefox")
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func (l *lobby) join(t testing.TB, m postil.Moderator) (secret string) {
	t.Helper()
	code, _, err := l.Invite(ctx, m.ID, setup)
	if err != nil {
		t.Fatal(err)
	}
	if secret, _, err = l.Accept(ctx, code, "Firefox"); err != nil {
		t.Fatal(err)
	}
	return secret
}

func (l *lobby) want(t testing.TB, secret string, kind postil.Kind) {
	t.Helper()
	if _, err := l.Known(ctx, secret); !is(err, kind) {
		t.Errorf("the session is answered %v, want kind %d", err, kind)
	}
}

// in stands for no error at all.
const in postil.Kind = -1

func is(err error, kind postil.Kind) bool {
	if kind == in {
		return err == nil
	}
	return postil.KindOf(err) == kind
}

func TestASessionIsWorthWhatItsOwnerIs(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	key, _ := l.key(t, postil.ModeratorRole, "blog")
	for name, row := range map[string]struct {
		secret string
		want   auth.Principal
	}{
		"a key":         {l.signIn(t, key), auth.Principal{By: postil.By{Channel: postil.ByPage, Actor: "key:1", Name: "Ann"}, Role: postil.ModeratorRole, Site: "blog"}},
		"a moderator":   {l.join(t, l.moderator(t, "Bo", postil.AdminRole, "")), auth.Principal{By: postil.By{Channel: postil.ByPage, Actor: "moderator:1", Name: "Bo"}, Role: postil.AdminRole}},
		"the first key": {l.signIn(t, theSetting), auth.Principal{By: postil.By{Channel: postil.ByPage, Actor: "key:bootstrap", Name: "admin"}, Role: postil.AdminRole}},
	} {
		v, err := l.Known(ctx, row.secret)
		if err != nil || v.Principal != row.want || !v.By.Person() {
			t.Errorf("%s: %+v, %v", name, v.Principal, err)
		}
	}
}

func TestAKeyThatIsNotInForceOpensNothing(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	key, id := l.key(t, postil.AdminRole, "")
	if err := l.store.RevokeKey(ctx, id, setup); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{key, "", "pk_none", theSetting + "x", strings.Repeat("x", 30_000)} {
		if secret, _, err := l.SignIn(ctx, wrong, ""); postil.KindOf(err) != postil.KeyRequired || secret != "" {
			t.Errorf("%.20q: %v", wrong, err)
		}
	}
}

func TestAUTH_08_AccessEndsAtTheNextRequestAndOthersGoOn(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	key, keyID := l.key(t, postil.ModeratorRole, "")
	m := l.moderator(t, "Bo", postil.ModeratorRole, "")
	byKey, byLink, mine, other := l.signIn(t, key), l.join(t, m), l.signIn(t, theSetting), l.signIn(t, theSetting)
	if err := l.store.RevokeKey(ctx, keyID, setup); err != nil {
		t.Fatal(err)
	}
	l.want(t, byKey, postil.KeyRequired)
	l.want(t, byLink, in)
	if err := l.store.RevokeModerator(ctx, m.ID, setup); err != nil {
		t.Fatal(err)
	}
	l.want(t, byLink, postil.KeyRequired)
	v, err := l.Known(ctx, mine)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.End(ctx, v.Principal, v.Session.ID); err != nil {
		t.Fatal(err)
	}
	l.want(t, mine, postil.KeyRequired)
	l.want(t, other, in)
	for _, setting := range []string{"another-admin-key-from-now-on", ""} {
		if _, err := l.with(t, setting).Known(ctx, other); postil.KindOf(err) != postil.KeyRequired {
			t.Errorf("after the setting became %q: %v", setting, err)
		}
	}
}

func TestASessionEndsWhenItIsLeftAloneAndInTheEndWhateverHappens(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	used, left := l.signIn(t, theSetting), l.signIn(t, theSetting)
	for range 4 {
		l.later(7*24*time.Hour - time.Minute)
		l.want(t, used, in)
	}
	l.want(t, left, postil.KeyRequired)
	l.later(3 * 24 * time.Hour)
	l.want(t, used, postil.KeyRequired)
}

func TestALinkSignsInOnceAndLookingAtItUsesNothingUp(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	m := l.moderator(t, "Bo", postil.ModeratorRole, "")
	code, expires, err := l.Invite(ctx, m.ID, setup)
	if err != nil || !expires.After(l.now(ctx)) {
		t.Fatal(expires, err)
	}
	for range 3 {
		if who, err := l.Invited(ctx, code); err != nil || who.Name != "Bo" {
			t.Fatalf("%+v %v", who, err)
		}
	}
	var wins int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, _, err := l.Accept(ctx, code, ""); err == nil {
				mu.Lock()
				wins++
				mu.Unlock()
			} else if postil.KindOf(err) != postil.NotFound {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if wins != 1 {
		t.Errorf("one link opened %d sessions", wins)
	}
	if _, err := l.Invited(ctx, code); postil.KindOf(err) != postil.NotFound {
		t.Error(err)
	}
}

func TestAUTH_10_TwoSigningInAtOnceBothSucceed(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	m := l.moderator(t, "Bo", postil.ModeratorRole, "")
	first, _, err1 := l.Invite(ctx, m.ID, setup)
	second, _, err2 := l.Invite(ctx, m.ID, setup)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, code := range []string{first, second} {
		secret, _, err := l.Accept(ctx, code, "")
		if err != nil {
			t.Fatal(err)
		}
		l.want(t, secret, in)
	}
}

func TestALinkThatIsOldForeignOrOfSomebodyWithoutARoleOpensNothing(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	m := l.moderator(t, "Bo", postil.ModeratorRole, "")
	old, expires, _ := l.Invite(ctx, m.ID, setup)
	l.later(expires.Sub(l.now(ctx)))
	fresh, _, _ := l.Invite(ctx, m.ID, setup)
	if err := l.store.RevokeModerator(ctx, m.ID, setup); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{"old": old, "without a role": fresh, "foreign": strings.Repeat("a", 32), "empty": ""} {
		if _, _, err := l.Accept(ctx, code, ""); postil.KindOf(err) != postil.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAdminsSendAwayThoseOfTheirSitesAndModeratorsThemselves(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	secrets := map[string]string{}
	for name, who := range map[string]postil.Moderator{
		"admin": {Role: postil.AdminRole}, "blog admin": {Role: postil.AdminRole, Site: "blog"},
		"blog mod": {Role: postil.ModeratorRole, Site: "blog"}, "other mod": {Role: postil.ModeratorRole, Site: "other"},
	} {
		secrets[name] = l.join(t, l.moderator(t, name, who.Role, who.Site))
	}
	for name, want := range map[string]int{"admin": 4, "blog admin": 2, "blog mod": 1, "other mod": 1} {
		v, err := l.Known(ctx, secrets[name])
		if err != nil {
			t.Fatal(err)
		}
		open, err := l.Open(ctx, v.Principal)
		if err != nil || len(open) != want {
			t.Errorf("%s sees %d sessions, want %d (%v)", name, len(open), want, err)
		}
	}
	mod, _ := l.Known(ctx, secrets["blog mod"])
	admin, _ := l.Known(ctx, secrets["admin"])
	if err := l.End(ctx, mod.Principal, admin.Session.ID); postil.KindOf(err) != postil.NotFound {
		t.Errorf("a moderator ended an admin's session: %v", err)
	}
	if err := l.End(ctx, admin.Principal, mod.Session.ID); err != nil {
		t.Error(err)
	}
	l.want(t, secrets["blog mod"], postil.KeyRequired)
}

func TestAUTH_07_ACookieThatIsNoneIsNoSession(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	for _, cookie := range []string{"", "session=%E0%A4%A; x", "__Secure-postil-desk=%E0%A4%A; x", "__Secure-postil-desk", "__Secure-postil-desk=", "__Secure-postil-desk=" + strings.Repeat("a", 52),
		"__Secure-postil-desk=" + strings.Repeat("é", 52), "__Secure-postil-desk=" + strings.Repeat("a", 5000), ";;;=;=", "\x7f"} {
		r := httptest.NewRequest("GET", "/admin/", nil)
		r.Header.Set("Cookie", cookie)
		if _, err := l.Enter(r); postil.KindOf(err) != postil.KeyRequired {
			t.Errorf("%q: %v", cookie, err)
		}
	}
}

func TestTheCookieStaysWhereItBelongs(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://talk.example":           "__Host-postil-desk=x; Path=/; Expires=Tue, 01 Dec 2026 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict",
		"https://blog.example/comments/": "__Secure-postil-desk=x; Path=/comments; Expires=Tue, 01 Dec 2026 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict",
		"http://localhost:8080":          "postil-desk-8080=x; Path=/; Expires=Tue, 01 Dec 2026 00:00:00 GMT; HttpOnly; SameSite=Strict",
		"http://blog.lan/c":              "postil-desk=x; Path=/c; Expires=Tue, 01 Dec 2026 00:00:00 GMT; HttpOnly; SameSite=Strict",
	} {
		c, err := auth.CookieFor(url)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		c.Give(w, "x", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		if got := w.Header().Get("Set-Cookie"); got != want {
			t.Errorf("%s:\n%s, want\n%s", url, got, want)
		}
	}
}

// The decision table of OwnPage.
func TestAUTH_14_OnlyOurOwnPagesChangeAnything(t *testing.T) {
	t.Parallel()
	c, err := auth.CookieFor("https://talk.example/comments/")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		origin, site string
		ok           bool
	}{
		{"https://talk.example", "same-origin", true}, {"https://talk.example", "", true}, {"", "same-origin", true}, {"", "none", true}, {"", "", true},
		{"http://127.0.0.1:8080", "same-origin", true},
		{"http://127.0.0.1:8080", "", false}, {"http://127.0.0.1:8081", "same-origin", false},
		{"https://talk.example", "cross-site", false}, {"https://evil.example", "", false}, {"https://evil.example", "cross-site", false}, {"https://evil.example", "same-origin", false},
		{"null", "", false}, {"null", "same-origin", false}, {"", "cross-site", false}, {"", "same-site", false}, {"https://www.talk.example", "same-site", false},
		{"http://talk.example", "", false}, {"https://talk.example:8443", "", false}, {"https://talk.example/", "", false},
	} {
		r := httptest.NewRequest("POST", "http://127.0.0.1:8080/admin/", nil)
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		if row.site != "" {
			r.Header.Set("Sec-Fetch-Site", row.site)
		}
		if err := c.OwnPage(r); (err == nil) != row.ok || err != nil && postil.KindOf(err) != postil.Forbidden {
			t.Errorf("Origin %q, Sec-Fetch-Site %q: %v", row.origin, row.site, err)
		}
	}
	r := httptest.NewRequest("POST", "/", nil)
	r.Header["Origin"] = []string{"https://talk.example", "https://evil.example"}
	if c.OwnPage(r) == nil {
		t.Error("two origins are one too many")
	}
}

func TestAChangeNeedsTheTokenOfTheSameSession(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	mine, other := l.signIn(t, theSetting), l.signIn(t, theSetting)
	their, _ := l.Known(ctx, other)
	my, _ := l.Known(ctx, mine)
	for name, row := range map[string]struct {
		method, given string
		want          postil.Kind
	}{
		"reading": {"GET", "", in}, "the token": {"POST", my.CSRF, in},
		"none": {"POST", "", postil.Forbidden}, "another session's": {"DELETE", their.CSRF, postil.Forbidden}, "half of it": {"PATCH", my.CSRF[1:], postil.Forbidden},
	} {
		r := httptest.NewRequest(row.method, "/api/v1/admin/comments", nil)
		r.Header.Set("Cookie", "__Secure-postil-desk="+mine)
		if row.given != "" {
			r.Header.Set(auth.CSRFHeader, row.given)
		}
		if _, err := l.Request(r); !is(err, row.want) {
			t.Errorf("%s: %v", name, err)
		}
		r.Header.Set("Origin", "https://evil.example")
		if _, err := l.Request(r); row.method != http.MethodGet && postil.KindOf(err) != postil.Forbidden {
			t.Errorf("%s from a foreign page: %v", name, err)
		}
	}
}
