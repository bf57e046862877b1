package httpapi

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/labstack/echo/v4"
)

const jsonType = "application/json"

// encode writes v as compact JSON. HTML is not escaped again: answers are
// served as JSON and never as a page, and comments are full of it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// answer writes v as JSON of the given content type.
func answer(c echo.Context, status int, contentType string, v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	return c.Blob(status, contentType, b)
}

// stamp writes a time as the API does: RFC 3339 in UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// stampOrNull writes the zero time as null.
func stampOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

// orNull writes "" as null.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
