package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// maxBody is how many bytes a request may have.
const maxBody = 128 << 10

// bind reads the JSON body of a request into v, a pointer to a struct, and
// returns its bytes. Of repeated members the last counts, and what is not
// Unicode becomes U+FFFD. Members that nobody knows are ignored, since a page
// may carry a widget of another version; where an admin acts they are refused,
// for a misspelt one would mean more than was meant. Errors are NotJSON,
// TooLarge, or Invalid with the member that is wrong.
func bind(c echo.Context, v any) ([]byte, error) {
	return bindAs(c, v, strings.HasPrefix(c.Path(), adminPath))
}

// bindPart is bind for a body of which v is a part; whoever knows the rest gets
// the bytes.
func bindPart(c echo.Context, v any) ([]byte, error) { return bindAs(c, v, false) }

func bindAs(c echo.Context, v any, strict bool) ([]byte, error) {
	r := c.Request()
	if r.ContentLength != 0 && !isJSON(r.Header.Get("Content-Type")) {
		return nil, &postil.Error{Kind: postil.NotJSON, Sentence: "Send the body as JSON, with the header “Content-Type: application/json”."}
	}
	body, err := readBody(c)
	if err != nil {
		return nil, err
	}
	return body, decode(body, v, strict)
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == jsonType
}

// readBody reads the whole body unless it is too large, which the announced
// length often tells beforehand.
func readBody(c echo.Context) ([]byte, error) {
	r := c.Request()
	if r.ContentLength > maxBody {
		return nil, tooLarge()
	}
	var all bytes.Buffer
	all.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead)
	_, err := all.ReadFrom(io.LimitReader(r.Body, maxBody+1))
	body := all.Bytes()
	if err != nil {
		return nil, &postil.Error{Kind: postil.Invalid, Field: "body", Sentence: "The body did not arrive in full. Send it again.", Cause: err}
	}
	if len(body) > maxBody {
		return nil, tooLarge()
	}
	return body, nil
}

// drain takes what is left of a refused body, within reason. A client that is
// still sending when the connection closes never sees the answer.
func drain(r *http.Request) {
	if r.ContentLength != 0 && r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, maxDrain)
	}
}

// maxDrain is how many bytes of a refused body are taken.
const maxDrain = 4 << 20

func tooLarge() *postil.Error {
	return &postil.Error{Kind: postil.TooLarge, Limit: maxBody, Sentence: "That is more than 128 KiB. Shorten it and send again."}
}

// decode reads one JSON object and nothing behind it.
func decode(body []byte, v any, strict bool) error {
	if len(body) == 0 {
		return postil.InvalidField("body", "The body is empty. Send a JSON object.")
	}
	err := json.Unmarshal(body, v)
	if err == nil && strict {
		err = refuseUnknown(body, v)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return postil.InvalidField("body", "The body must be a JSON object, not %s.", valueWord(wrong.Value))
		}
		return postil.InvalidField(wrong.Field, "“%s” must be %s, not %s.", wrong.Field, kindWord(wrong.Type), valueWord(wrong.Value))
	}
	if _, ok := errors.AsType[*postil.Error](err); ok {
		return err
	}
	if err != nil {
		return &postil.Error{Kind: postil.Invalid, Field: "body", Sentence: "The body is not well-formed JSON. Send one JSON object and nothing behind it.", Cause: err}
	}
	return nil
}

// refuseUnknown refuses an object with a member that v has no place for.
func refuseUnknown(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(reflect.New(reflect.TypeOf(v).Elem()).Interface())
	if err == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		return postil.InvalidField(name, "Nothing here is called “%s”. Look for a slip of the pen; nothing was done.", name)
	}
	return err
}

// valueWord names what was sent instead: encoding/json says "array", "bool",
// "object", "string" or "number" and sometimes the number itself.
func valueWord(value string) string {
	switch word, number, _ := strings.Cut(value, " "); word {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "number":
		if len(number) > 20 {
			return "a number that long"
		}
		return cmp.Or(number, "a number")
	default:
		return "a " + word
	}
}

// kindWord names what a member should have been.
func kindWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}
