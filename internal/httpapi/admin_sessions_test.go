package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// signedIn opens a session of the admin key given as a setting.
func (o *office) signedIn(t *testing.T) (secret, csrf string) {
	t.Helper()
	secret, _, err := o.desk.SignIn(ctx, bootstrap, "Firefox")
	if err != nil {
		t.Fatal(err)
	}
	v, err := o.desk.Known(ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	return secret, v.CSRF
}

// withCookie asks as a page does that sends the session's cookie along.
func (o *office) withCookie(t *testing.T, method, path, body, secret, origin, csrf string) told {
	t.Helper()
	h := http.Header{"Cookie": {"__Secure-postil-desk=" + secret}, "Content-Type": {"application/json"}}
	if origin != "" {
		h.Set("Origin", origin)
	}
	if csrf != "" {
		h.Set(auth.CSRFHeader, csrf)
	}
	return roundTrip(t, method, o.url+adminAt+path, h, body)
}

func TestASessionReadsAndWithItsTokenDecides(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "A comment.")
	secret, csrf := o.signedIn(t)
	o.withCookie(t, "GET", "/comments/1", "", secret, "", "").want(t, 200)
	o.withCookie(t, "POST", "/comments/1/decision", `{"decision":"approve"}`, secret, "https://talk.example", csrf).want(t, 200)
	last, err := o.store.History(ctx, 1)
	if err != nil || len(last) == 0 || last[len(last)-1].By != (postil.By{Channel: postil.ByPage, Actor: "key:bootstrap", Name: "admin"}) {
		t.Errorf("%+v %v", last, err)
	}
	var sessions struct{ Sessions []struct{ ID string } }
	o.ask(t, "GET", "/sessions", "").want(t, 200).read(t, &sessions)
	if len(sessions.Sessions) != 1 {
		t.Fatalf("%+v", sessions)
	}
	o.ask(t, "DELETE", "/sessions/"+sessions.Sessions[0].ID, "").want(t, 204)
	o.withCookie(t, "GET", "/comments/1", "", secret, "", "").want(t, 401)
}

// Every admin route that changes something, from a page that is not ours and
// in all the ways in which a form can be sent.
func TestAUTH_04_NoForeignPageChangesAnythingWithTheCookie(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "A comment.")
	secret, csrf := o.signedIn(t)
	for name, r := range rights {
		method, _, _ := strings.Cut(name, " ")
		if method == "GET" {
			continue
		}
		for what, row := range map[string][2]string{
			"no token": {"https://talk.example", ""}, "a wrong token": {"https://talk.example", csrf[1:] + "x"},
			"a foreign page": {"https://evil.example", csrf}, "a page without address": {"null", csrf}, "nothing at all": {"", ""},
		} {
			if got := o.withCookie(t, method, r.path, r.body, secret, row[0], row[1]); got.StatusCode != 403 {
				t.Errorf("%s with %s: %d %s", name, what, got.StatusCode, got.text)
			}
		}
		for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"} {
			h := http.Header{"Cookie": {"__Secure-postil-desk=" + secret}, "Content-Type": {kind}, "Origin": {"https://evil.example"}}
			if got := roundTrip(t, method, o.url+adminAt+r.path, h, "decision=approve&csrf="+csrf); got.StatusCode != 403 {
				t.Errorf("%s as %s: %d", name, kind, got.StatusCode)
			}
		}
	}
	if n := len(o.events(t, 0)); n != 2 { // the comment, and the question about it
		t.Errorf("%d events happened", n)
	}
}

func TestALinkIsForTheModeratorOfThatName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	type invited struct {
		Moderator struct {
			ID, Name string
			Role     string
			Linked   bool
		}
		URL string
	}
	var first, second invited
	o.ask(t, "POST", "/signin-links", `{"name":"Bo"}`).want(t, 201).read(t, &first)
	o.ask(t, "POST", "/signin-links", `{"name":" Bo ","role":"moderator"}`).want(t, 201).read(t, &second)
	if first.Moderator != second.Moderator || first.Moderator.Role != "moderator" || first.URL == second.URL {
		t.Errorf("%+v\n%+v", first, second)
	}
	code, ok := strings.CutPrefix(first.URL, "https://talk.example/comments/admin/signin/")
	if !ok {
		t.Fatal(first.URL)
	}
	if who, err := o.desk.Invited(ctx, code); err != nil || who.Name != "Bo" {
		t.Errorf("%+v %v", who, err)
	}
	o.ask(t, "POST", "/signin-links", `{"name":"Bo","role":"admin"}`).want(t, 400)
	o.ask(t, "POST", "/signin-links", "{\"name\":\"\u200b\"}").want(t, 400)
	o.ask(t, "POST", "/moderators", `{"name":"Bo","role":"admin"}`).want(t, 201)
	o.ask(t, "POST", "/signin-links", `{"name":"Bo"}`).want(t, 400)
	// Whoever is bound to a site cannot invite somebody for all of them.
	admin := o.key(t, postil.APIKey{Name: "Blog admin", Role: postil.AdminRole, Site: "blog"})
	o.ask(t, "POST", "/signin-links", `{"name":"Chief","role":"admin"}`).want(t, 201)
	call(t, "POST", o.url+adminAt+"/signin-links", admin, `{"name":"Chief"}`).want(t, 403)
}
