package fakebot

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxBody is what the real server takes for calls without files.
const maxBody = 1 << 20

// request is one call with its parameters as text, however they were encoded: objects stay JSON.
type request struct {
	ctx    context.Context
	method string
	params map[string]string
}

// readRequest always returns a request, so that a call that cannot be read is still recorded.
func readRequest(hr *http.Request, method string) (*request, *Fault) {
	r := &request{ctx: hr.Context(), method: method, params: map[string]string{}}
	if hr.Method != http.MethodGet && hr.Method != http.MethodPost {
		return r, &Fault{Status: 405, Description: "Method Not Allowed"}
	}
	if hr.Body == nil {
		hr.Body = http.NoBody
	}
	hr.Body = http.MaxBytesReader(nil, hr.Body, maxBody)
	fault := r.readBody(hr)
	if fault != nil {
		return r, fault
	}
	for name, value := range r.params {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return r, badRequest("strings must be encoded in UTF-8")
		}
	}
	return r, nil
}

func (r *request) readBody(hr *http.Request) *Fault {
	kind, _, _ := mime.ParseMediaType(hr.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		return r.readJSON(hr.Body)
	case "multipart/form-data":
		if err := hr.ParseMultipartForm(maxBody); err != nil {
			return unreadable(err, "can't parse multipart body")
		}
		_ = hr.MultipartForm.RemoveAll()
	default:
		if err := hr.ParseForm(); err != nil {
			return unreadable(err, "can't parse form body")
		}
	}
	for name := range hr.Form {
		r.params[name] = hr.Form.Get(name)
	}
	return nil
}

func (r *request) readJSON(body io.Reader) *Fault {
	raw, err := io.ReadAll(body)
	if err != nil {
		return unreadable(err, "can't read body")
	}
	// encoding/json would quietly repair broken UTF-8.
	if !utf8.Valid(raw) {
		return badRequest("strings must be encoded in UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return badRequest("can't parse JSON object")
	}
	for name, value := range fields {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		r.params[name] = text
	}
	return nil
}

func unreadable(err error, description string) *Fault {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Fault{Status: 413, Description: "Request Entity Too Large"}
	}
	return badRequest(description)
}

// number reads an integer parameter; missing or unreadable counts as 0, as on the real server.
func (r *request) number(name string) int64 {
	n, err := strconv.ParseInt(r.params[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (r *request) flag(name string) bool {
	switch strings.ToLower(r.params[name]) {
	case "true", "yes", "1":
		return true
	}
	return false
}

// object decodes a JSON parameter into v; absent leaves v alone.
func (r *request) object(name string, v any) *Fault {
	raw := r.params[name]
	if raw == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(raw), v); err != nil {
		return badRequest("can't parse " + name + " JSON object")
	}
	return nil
}

func writeResult(w http.ResponseWriter, result any) {
	writeJSON(w, http.StatusOK, map[string]any{"ok": true, "result": result})
}

func writeFault(w http.ResponseWriter, f *Fault) {
	if f.RawBody != "" {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.status())
		_, _ = io.WriteString(w, f.RawBody)
		return
	}
	answer := map[string]any{"ok": false, "error_code": f.status(), "description": f.description()}
	parameters := map[string]any{}
	if f.RetryAfter > 0 {
		parameters["retry_after"] = f.RetryAfter
	}
	if f.MigrateTo != 0 {
		parameters["migrate_to_chat_id"] = f.MigrateTo
	}
	if len(parameters) > 0 {
		answer["parameters"] = parameters
	}
	writeJSON(w, f.status(), answer)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
