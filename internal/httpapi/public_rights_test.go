package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

// opening says whom a route outside of the admin API is open to.
type opening string

const (
	toEverybody opening = "everybody"                 // keys make no difference
	toEditKeys  opening = "the holder of an edit key" // and an API key is none
	toAuthors   opening = "everybody, and keys with the scope author"
)

// publicRow is a route that is no admin route, with a request for it.
type publicRow struct {
	opening    opening
	path, body string // path "" is that of the route
}

// public has a row for each route outside of the admin API; one without a row
// fails the test. To add one: whom it is open to, and a request for it.
var public = map[string]publicRow{
	"OPTIONS /ofrep/v1/evaluate/flags":      {toEverybody, "", ""},
	"OPTIONS /ofrep/v1/evaluate/flags/:key": {toEverybody, "/ofrep/v1/evaluate/flags/editor", ""},
	"POST /ofrep/v1/evaluate/flags":         {toEverybody, "", `{"context":{"targetingKey":"ann"}}`},
	"POST /ofrep/v1/evaluate/flags/:key":    {toEverybody, "/ofrep/v1/evaluate/flags/editor", `{"context":{"targetingKey":"ann"}}`},
	"GET /api/v1/flags":                     {toEverybody, "/api/v1/flags?user=ann", ""},
	"HEAD /api/v1/flags":                    {toEverybody, "/api/v1/flags?user=ann", ""},
	"OPTIONS /api/v1/flags":                 {toEverybody, "", ""},
	"GET /api/v1/sites/:site/comments":      {toEverybody, "/api/v1/sites/blog/comments?post=/a", ""},
	"GET /api/v1/sites/:site/views":         {toEverybody, "/api/v1/sites/blog/views?post=/a", ""},
	"GET /api/v1/sites/:site/counts":        {toEverybody, "/api/v1/sites/blog/counts?post=/a", ""},
	"GET /api/v1/sites/:site/recent":        {toEverybody, "/api/v1/sites/blog/recent", ""},
	"GET /api/v1/sites/:site/form":          {toEverybody, "/api/v1/sites/blog/form?post=/a", ""},
	"GET /api/v1/sites/:site/stream":        {toEverybody, "/api/v1/sites/blog/stream?post=/a", ""},
	"HEAD /api/v1/sites/:site/comments":     {toEverybody, "/api/v1/sites/blog/comments?post=/a", ""},
	"HEAD /api/v1/sites/:site/views":        {toEverybody, "/api/v1/sites/blog/views?post=/a", ""},
	"HEAD /api/v1/sites/:site/counts":       {toEverybody, "/api/v1/sites/blog/counts?post=/a", ""},
	"HEAD /api/v1/sites/:site/recent":       {toEverybody, "/api/v1/sites/blog/recent", ""},
	"POST /api/v1/sites/:site/preview":      {toEverybody, "/api/v1/sites/blog/preview", `{"text":"a"}`},

	"POST /api/v1/sites/:site/comments":                        {toAuthors, "/api/v1/sites/blog/comments", `{"post":"/a","author":{"name":"Ann"},"text":"A comment."}`},
	"POST /api/v1/sites/:site/comments/own":                    {toEverybody, "/api/v1/sites/blog/comments/own", `{"keys":[]}`},
	"PATCH /api/v1/sites/:site/comments/:id":                   {toEditKeys, "/api/v1/sites/blog/comments/1", `{"text":"a"}`},
	"DELETE /api/v1/sites/:site/comments/:id":                  {toEditKeys, "/api/v1/sites/blog/comments/1", ""},
	"PUT /api/v1/sites/:site/comments/:id/reactions/:emoji":    {toEverybody, "/api/v1/sites/blog/comments/1/reactions/%F0%9F%91%8D", ""},
	"DELETE /api/v1/sites/:site/comments/:id/reactions/:emoji": {toEverybody, "/api/v1/sites/blog/comments/1/reactions/%F0%9F%91%8D", ""},
	"POST /api/v1/sites/:site/comments/:id/reports":            {toEverybody, "/api/v1/sites/blog/comments/1/reports", `{"reason":"spam"}`},

	"GET /api/views":     {toEverybody, "/api/views?path=/a", ""},
	"HEAD /api/views":    {toEverybody, "/api/views?path=/a", ""},
	"OPTIONS /api/views": {toEverybody, "", ""},
	"POST /api/view":     {toEverybody, "", `{"path":"/a"}`},
	"OPTIONS /api/view":  {toEverybody, "", ""},
	"POST /api/qlog":     {toEverybody, "", `{"question":"Why?"}`},
	"OPTIONS /api/qlog":  {toEverybody, "", ""},

	"GET ":                  {toEverybody, "", ""},
	"GET /":                 {toEverybody, "", ""},
	"HEAD /":                {toEverybody, "", ""},
	"GET /widget.js":        {toEverybody, "", ""},
	"GET /widget.v:n":       {toEverybody, "/widget.v1.js", ""},
	"GET /count.js":         {toEverybody, "", ""},
	"GET /views.js":         {toEverybody, "", ""},
	"GET /question.js":      {toEverybody, "", ""},
	"HEAD /widget.js":       {toEverybody, "", ""},
	"HEAD /widget.v:n":      {toEverybody, "/widget.v1.js", ""},
	"HEAD /count.js":        {toEverybody, "", ""},
	"HEAD /views.js":        {toEverybody, "", ""},
	"HEAD /question.js":     {toEverybody, "", ""},
	"GET /probe/:code":      {toEverybody, "/probe/unknown", ""},
	"GET /api/openapi.json": {toEverybody, "", ""},
	"GET /healthz":          {toEverybody, "", ""},
	"HEAD /healthz":         {toEverybody, "", ""},
	"GET /readyz":           {toEverybody, "", ""},
	"HEAD /readyz":          {toEverybody, "", ""},
}

func TestEachRouteOutsideOfTheAdminAPIIsOpenToWhomItsRowSays(t *testing.T) {
	t.Parallel()
	o := prepared(t)
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200)
	keys := map[string]string{
		"an admin":    bootstrap,
		"a moderator": o.key(t, postil.APIKey{Name: "Mo", Role: postil.ModeratorRole}),
		"an author":   o.key(t, postil.APIKey{Name: "Ann", Role: postil.ModeratorRole, Scope: postil.AuthorScope, Site: "blog"}),
		"a stranger":  "pk_unknown",
	}
	seen := map[string]bool{}
	for _, route := range o.server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if strings.HasPrefix(path, adminAt) {
			continue
		}
		r, known := public[route]
		if seen[route] = true; !known {
			t.Errorf("%q has no row in the table of public routes; add one to public, whose comment says how", route)
			continue
		}
		if r.path == "" {
			r.path = path
		}
		t.Run(route, func(t *testing.T) { o.tryPublic(t, method, r, keys) })
	}
	for route := range public {
		if !seen[route] {
			t.Errorf("%q is in the table of public routes and is no route", route)
		}
	}
}

// tryPublic sends one request as nobody and with every kind of key. None of it
// comes from a page: there is no Origin.
func (o *office) tryPublic(t *testing.T, method string, r publicRow, keys map[string]string) {
	ask := func(bearer string) int {
		h := http.Header{}
		if r.body != "" {
			h.Set("Content-Type", "application/json")
		}
		if bearer != "" {
			h.Set("Authorization", "Bearer "+bearer)
		}
		return roundTrip(t, method, o.url+r.path, h, r.body).StatusCode
	}
	nobody := ask("")
	if want := r.opening == toEditKeys; (nobody == 401 || nobody == 403) != want || nobody >= 500 {
		t.Errorf("nobody is answered %d, and it is open to %s", nobody, r.opening)
	}
	for name, key := range keys {
		got := ask(key)
		switch r.opening {
		case toEverybody:
			if got != nobody {
				t.Errorf("%s is answered %d, and nobody %d", name, got, nobody)
			}
		case toEditKeys:
			if got != 401 && got != 403 {
				t.Errorf("%s is answered %d", name, got)
			}
		case toAuthors:
			want := map[string]int{"an author": 201, "a stranger": 401, "an admin": 403, "a moderator": 403}[name]
			if got != want {
				t.Errorf("%s is answered %d, not %d", name, got, want)
			}
		}
	}
}
