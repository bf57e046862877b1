package httpapi

import (
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
// returns its bytes. Unknown members are ignored, of repeated ones the last
// counts, and what is not Unicode becomes U+FFFD. Errors are NotJSON, TooLarge,
// or Invalid with the member that is wrong.
func bind(c echo.Context, v any) ([]byte, error) {
	r := c.Request()
	if r.ContentLength != 0 && !isJSON(r.Header.Get("Content-Type")) {
		return nil, &postil.Error{Kind: postil.NotJSON, Sentence: "Send the body as JSON, with the header “Content-Type: application/json”."}
	}
	body, err := readBody(c)
	if err != nil {
		return nil, err
	}
	return body, decode(body, v)
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
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
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
func decode(body []byte, v any) error {
	if len(body) == 0 {
		return postil.InvalidField("body", "The body is empty. Send a JSON object.")
	}
	err := json.Unmarshal(body, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return postil.InvalidField("body", "The body must be a JSON object, not %s.", valueWord(wrong.Value))
		}
		return postil.InvalidField(wrong.Field, "“%s” must be %s, not %s.", wrong.Field, kindWord(wrong.Type), valueWord(wrong.Value))
	}
	if err != nil {
		return &postil.Error{Kind: postil.Invalid, Field: "body", Sentence: "The body is not well-formed JSON. Send one JSON object and nothing behind it.", Cause: err}
	}
	return nil
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
