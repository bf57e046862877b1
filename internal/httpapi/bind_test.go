package httpapi

import (
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// A slip of the pen where an admin acts does not mean more than was meant; a
// widget of another version is listened to.
func TestMembersThatNobodyKnowsAreRefusedOnlyWhereAnAdminActs(t *testing.T) {
	t.Parallel()
	var in struct {
		Expect string `json:"expect"`
		Inner  struct {
			A int `json:"a"`
		} `json:"inner"`
	}
	for body, field := range map[string]string{`{"expct":"pending"}`: "expct", `{"expect":"x","inner":{"b":1}}`: "b", `{"expect":"x","inner":{"a":1}}`: "", `{}`: ""} {
		err := decode([]byte(body), &in, true)
		if (err != nil) != (field != "") || err != nil && (problemOf(err).Field != field || problemOf(err).Status != 400) {
			t.Errorf("%s: %v", body, err)
		}
		if err := decode([]byte(body), &in, false); err != nil {
			t.Errorf("%s where readers send: %v", body, err)
		}
	}
}

func TestBadBodiesAreRefusedWithTheirField(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for name, c := range map[string]struct {
		body   string
		status int
		field  string
	}{
		"no JSON":                             {`text=hello`, 400, "body"},
		"cut off":                             {`{"text":"hel`, 400, "body"},
		"something behind":                    {newComment + `{}`, 400, "body"},
		"byte order mark":                     {"\ufeff" + newComment, 400, "body"},
		"a list":                              {`[1,2]`, 400, "body"},
		"a string":                            {`"hello"`, 400, "body"},
		"null":                                {`null`, 400, "author.name"},
		"an empty object":                     {`{}`, 400, "author.name"},
		"no name":                             {`{"text":"x","author":null}`, 400, "author.name"},
		"name is a number":                    {`{"author":{"name":12}}`, 400, "author.name"},
		"name is a list":                      {`{"author":{"name":["Ann"]}}`, 400, "author.name"},
		"author is a string":                  {`{"author":"Ann"}`, 400, "author"},
		"parent is a number":                  {`{"parent_id":17}`, 400, "parent_id"},
		"notify is a string":                  {`{"notify":"yes"}`, 400, "notify"},
		"text is an object":                   {`{"text":{"$ne":""}}`, 400, "text"},
		"trap is a flag":                      {`{"form":{"trap":true}}`, 400, "form.trap"},
		"form is a list":                      {`{"form":[]}`, 400, "form"},
		"deep nesting":                        {`{"text":` + strings.Repeat("[", 40_000) + strings.Repeat("]", 40_000) + `}`, 400, "body"},
		"deep unknown":                        {`{"x":` + strings.Repeat(`{"x":`, 9_000) + "1" + strings.Repeat("}", 9_000) + "}", 400, "author.name"},
		"XSS-02 name is missing with website": {`{"author":{"website":"x\"></a><img src=q onerror=1>"},"text":"x"}`, 400, "author.name"},
		"too long":                            {`{"author":{"name":"A"},"text":"` + strings.Repeat("x", 8001) + `"}`, 400, "text"},
		"white space":                         {"  \n ", 400, "body"},
		"only a megabyte":                     {`{"text":"` + strings.Repeat("x", 1<<20) + `"}`, 413, ""},
		"just over":                           {`{"text":"` + strings.Repeat("x", maxBody) + `"}`, 413, ""},
	} {
		t.Run(name, func(t *testing.T) {
			slug := map[int]string{400: "invalid", 413: "too-large"}[c.status]
			r := ask(t, "POST", url+blog+"/comments", c.body).want(t, c.status, slug)
			var p problem
			if err := json.Unmarshal([]byte(r.text), &p); err != nil || p.Field != c.field {
				t.Errorf("field %q, want %q: %s", p.Field, c.field, r.text)
			}
			if strings.Contains(r.text, "httpapi") || strings.Contains(r.text, "json:") || strings.Contains(r.text, "Go ") {
				t.Errorf("internal words got out: %s", r.text)
			}
		})
	}
	if len(w.took) != 0 {
		t.Errorf("refused bodies took from the allowance: %v", w.took)
	}
}

func TestAHugeBodyOfUnknownLengthIsRefused(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	body := io.MultiReader(strings.NewReader(`{"text":"`), strings.NewReader(strings.Repeat("y", maxBody)))
	req := httptest.NewRequest("POST", url+blog+"/comments", body)
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	newWorld().server(t).Handler().ServeHTTP(rec, req)
	if rec.Code != 413 {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
}

func TestABodyNeedsTheJSONType(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for kind, status := range map[string]int{
		"application/json": 202, "application/json; charset=utf-8": 202, "Application/JSON": 202,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "application/problem+json": 415, "application/jsonp": 415, "": 415, ";;;": 415,
	} {
		ask(t, "POST", url+blog+"/comments", newComment, "Content-Type", kind).want(t, status, map[bool]string{true: "json-required"}[status == 415])
	}
	ask(t, "DELETE", url+blog+"/comments/23", "", "Authorization", "Bearer edit-key-23").want(t, 200, "")
	ask(t, "POST", url+blog+"/comments", "").want(t, 400, "invalid")
}

func TestWhatIsSentArrivesAsItIs_UNI_04_UNI_05_UNI_10(t *testing.T) {
	t.Parallel()
	family := "👨\u200d👩\u200d👧 🇩🇪"
	for _, c := range []struct{ name, sent, want string }{
		{"UNI-04 elephant", `ok 🐘 after`, "ok 🐘 after"},
		{"UNI-04 escaped", `ok \ud83d\udc18 after`, "ok 🐘 after"},
		{"UNI-04 flag and family", family, family},
		{"UNI-05 NUL", `a\u0000b`, "a\x00b"},
		{"UNI-10 lone high surrogate", `x \ud83d y`, "x \ufffd y"},
		{"UNI-10 lone low surrogate", `x \udc18 y`, "x \ufffd y"},
		{"UNI-10 swapped", `\udc18\ud83d`, "\ufffd\ufffd"},
		{"UNI-10 invalid bytes", "x \xff\xfe y", "x \ufffd\ufffd y"},
		{"repeated member", `first","text":"last`, "last"},
		{"unknown members", `x","zz":{"a":[1,null]},"text2":"y`, "x"},
		{"markup is text", `<script>alert(1)</script>`, "<script>alert(1)</script>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			ask(t, "POST", w.open(t)+blog+"/comments", `{"post":"/","author":{"name":"朵朵🌸"},"text":"`+c.sent+`"}`).want(t, 202, "")
			if got := w.sent[0]; got.Text != c.want || got.Name != "朵朵🌸" {
				t.Errorf("%q by %q, want %q", got.Text, got.Name, c.want)
			}
		})
	}
}

func TestASlipInANumberIsToldInWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"n":1.5}`:                             "“n” must be a whole number, not 1.5.",
		`{"n":"x"}`:                             "“n” must be a whole number, not a string.",
		`{"n":` + strings.Repeat("9", 50) + `}`: "“n” must be a whole number, not a number that long.",
		`{"f":true}`:                            "“f” must be a number, not true or false.",
	} {
		var in struct {
			N int     `json:"n"`
			F float64 `json:"f"`
		}
		if err := decode([]byte(body), &in, false); err == nil || problemOf(err).Detail != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// FuzzBind looks for a body that panics, or that comes through without being
// an object of valid Unicode.
func FuzzBind(f *testing.F) {
	for _, s := range []string{newComment, `{}`, `null`, `[]`, `{"author":{"name":"\ud83d"}}`, `{"form":{"trap":""}}`, "{\"text\":\"\xff\"}", `{"a":1}{`, `{"notify":1e999}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req := httptest.NewRequest("POST", "/", strings.NewReader(string(body)))
		req.Header.Set("Content-Type", "application/json")
		c := echo.New().NewContext(req, httptest.NewRecorder())
		s, err := readSubmission(c, visit{})
		if err != nil {
			if k := postil.KindOf(err); k != postil.Invalid && k != postil.TooLarge {
				t.Fatalf("kind %d: %v", k, err)
			}
			if p := problemOf(err); !utf8.ValidString(p.Detail) && utf8.Valid(body) {
				t.Fatalf("detail is no UTF-8: %q", p.Detail)
			}
			return
		}
		for _, text := range []string{s.Text, s.Name, s.Post, s.Title, s.URL, s.Device, s.ParentID, s.Email, s.Website, s.Token, s.Trap} {
			if !utf8.ValidString(text) {
				t.Fatalf("invalid UTF-8 came through: %q", text)
			}
		}
	})
}
