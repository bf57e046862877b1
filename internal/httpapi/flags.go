package httpapi

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// FlagBoard evaluates feature flags, in memory.
type FlagBoard interface {
	Evaluate(name string, who postil.FlagSubject) (postil.FlagResult, bool)
	// EvaluateAll returns all of them by name.
	EvaluateAll(who postil.FlagSubject) []postil.FlagResult
}

// flagRoutes are those for clients that ask for flags: an address of our own,
// and the remote evaluation protocol of OpenFeature, which its SDKs speak.
func (s *Server) flagRoutes() []route {
	if s.deps.Flags == nil {
		return nil
	}
	const ofrep = "/ofrep/v1/evaluate/flags"
	rows := []route{
		{"GET", "/api/v1/flags", s.tracked(s.open(s.flags))},
		{"HEAD", "/api/v1/flags", s.tracked(s.open(s.flags))},
		{"POST", ofrep, s.tracked(s.open(s.ofrepAll))},
		{"POST", ofrep + "/:key", s.tracked(s.open(s.ofrepOne))},
	}
	for _, path := range []string{"/api/v1/flags", ofrep, ofrep + "/:key"} {
		rows = append(rows, route{"OPTIONS", path, s.tracked(s.flagPreflight)})
	}
	return rows
}

// open lets every page read the answer. There is nothing in it that belongs to
// whoever asks, and no credentials go in.
func (s *Server) open(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h["Access-Control-Allow-Origin"] = anyOrigin
		h.Set("Access-Control-Expose-Headers", "ETag")
		return handle(c)
	}
}

func (s *Server) flagPreflight(c echo.Context) error {
	h := c.Response().Header()
	h["Access-Control-Allow-Origin"] = anyOrigin
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	h.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match")
	h.Set("Access-Control-Max-Age", "86400")
	return c.NoContent(http.StatusNoContent)
}

// flags is GET /api/v1/flags: the parameters “user” and “site”, and every other
// one as an attribute that rules may ask for.
func (s *Server) flags(c echo.Context) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	who := postil.FlagSubject{User: q.Get("user"), Site: postil.SiteID(q.Get("site")), Attributes: map[string]string{}}
	for name := range q {
		if name != "user" && name != "site" {
			who.Attributes[name] = q.Get(name)
		}
	}
	values := map[string]json.RawMessage{}
	for _, r := range s.deps.Flags.EvaluateAll(who) {
		values[r.Name] = r.Value
	}
	return tagged(c, map[string]any{"flags": values})
}

// tagged answers with an ETag of the body, or 304 to whoever has it.
func tagged(c echo.Context, v any) error {
	c.Response().Header().Set("Cache-Control", "private, no-cache")
	return resource(c, v)
}

// resource is tagged for one thing that somebody with a key looks at. What says
// who may keep it stays as it is: nobody but the caller, who asks again.
func resource(c echo.Context, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	sum := fnv.New128a()
	_, _ = sum.Write(body)
	tag := fmt.Sprintf("%q", fmt.Sprintf("%x", sum.Sum(nil)))
	h := c.Response().Header()
	h.Set("ETag", tag)
	if known(c.Request().Header["If-None-Match"], []string{tag}) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, jsonType, body)
}

// ofrepJSON is a result in the words of the protocol.
type ofrepJSON struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Reason  string          `json:"reason"`
	Variant string          `json:"variant"`
}

// ofrepProblem is a failure in the words of the protocol.
type ofrepProblem struct {
	Key     string `json:"key,omitempty"`
	Code    string `json:"errorCode"`
	Details string `json:"errorDetails"`
}

func ofrepOf(r postil.FlagResult) ofrepJSON { return ofrepJSON{r.Name, r.Value, r.Reason, r.Variant} }

// ofrepAll is POST /ofrep/v1/evaluate/flags.
func (s *Server) ofrepAll(c echo.Context) error {
	who, bad := ofrepSubject(c)
	if bad != nil {
		return answer(c, http.StatusBadRequest, jsonType, bad)
	}
	out := []ofrepJSON{}
	for _, r := range s.deps.Flags.EvaluateAll(who) {
		out = append(out, ofrepOf(r))
	}
	return tagged(c, map[string]any{"flags": out})
}

// ofrepOne is POST /ofrep/v1/evaluate/flags/{key}.
func (s *Server) ofrepOne(c echo.Context) error {
	who, bad := ofrepSubject(c)
	if bad != nil {
		bad.Key = c.Param("key")
		return answer(c, http.StatusBadRequest, jsonType, bad)
	}
	r, ok := s.deps.Flags.Evaluate(c.Param("key"), who)
	if !ok {
		return answer(c, http.StatusNotFound, jsonType, ofrepProblem{c.Param("key"), "FLAG_NOT_FOUND", "There is no flag of this name."})
	}
	return answer(c, http.StatusOK, jsonType, ofrepOf(r))
}

// ofrepSubject reads the context of an evaluation. Numbers and booleans in it
// are compared as they are written; lists and objects can be compared with
// nothing and are left out.
func ofrepSubject(c echo.Context) (who postil.FlagSubject, bad *ofrepProblem) {
	body, err := readBody(c)
	if err != nil {
		return who, &ofrepProblem{"", "PARSE_ERROR", problemOf(err).Detail}
	}
	var in struct {
		Context map[string]any `json:"context"`
	}
	if err := decode(body, &in, false); err != nil {
		return who, &ofrepProblem{"", "PARSE_ERROR", "Send a JSON object such as {\"context\":{\"targetingKey\":\"user-1\"}}."}
	}
	who.Attributes = map[string]string{}
	for name, value := range in.Context {
		switch v := value.(type) {
		case string:
			who.Attributes[name] = v
		case bool:
			who.Attributes[name] = strconv.FormatBool(v)
		case float64:
			who.Attributes[name] = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	key, given := in.Context["targetingKey"]
	if _, text := key.(string); given && !text {
		return who, &ofrepProblem{"", "INVALID_CONTEXT", "“targetingKey” is a string."}
	}
	who.User, who.Site = who.Attributes["targetingKey"], postil.SiteID(who.Attributes["site"])
	return who, nil
}
