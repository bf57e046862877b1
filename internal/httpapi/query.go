package httpapi

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/postil/postil/internal/postil"
)

// Limits of what a read may ask for.
const (
	maxCounts     = 100 // posts of one counts request
	maxViews      = 50  // posts of one request for views
	maxStreamed   = 20  // posts of one stream
	defaultRecent = 10
	maxRecent     = 50
	maxCursor     = 512 // bytes
)

// parameters reads the query of an address.
func parameters(r *http.Request) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &postil.Error{Kind: postil.Invalid, Field: "query", Cause: err,
			Sentence: "The query of this address is not well-formed. Percent-encode each value, for example with encodeURIComponent."}
	}
	return q, nil
}

// threadQuery is a thread request before its post is resolved.
type threadQuery struct {
	view    postil.View
	post    string
	atLeast int64
	fresh   bool // v was given
}

func readThreadQuery(r *http.Request) (t threadQuery, err error) {
	q, err := parameters(r)
	if err != nil {
		return t, err
	}
	if t.post, err = onePost(q); err != nil {
		return t, err
	}
	t.view = postil.View{Kind: postil.ThreadView, Cursor: q.Get("cursor")}
	if t.view.Sort, err = postil.ParseSort(q.Get("sort")); err != nil {
		return t, err
	}
	if t.view.Limit, err = number(q, "limit", postil.DefaultPageRoots, postil.MaxPageRoots); err != nil {
		return t, err
	}
	if focus := q.Get("focus"); focus != "" {
		if t.view.Focus, err = postil.ParseCommentID(focus); err != nil {
			return t, err
		}
	}
	if len(t.view.Cursor) > maxCursor || (t.view.Cursor != "" && t.view.Focus != 0) {
		return t, postil.InvalidField("cursor", "That is no cursor of this thread. Take next_cursor or prev_cursor of a page, or ask without one.")
	}
	t.atLeast, t.fresh, err = version(q)
	return t, err
}

// onePost returns the post that a query names. It may be empty, which means
// the root, but not absent, which is a slip.
func onePost(q url.Values) (string, error) {
	if !q.Has("post") {
		return "", postil.InvalidField("post", "Say which post: add ?post= with its key or address.")
	}
	return q.Get("post"), nil
}

// manyPosts returns up to limit posts in the order of the query.
func manyPosts(q url.Values, limit int) ([]string, error) {
	if _, err := onePost(q); err != nil {
		return nil, err
	}
	if n := len(q["post"]); n > limit {
		e := postil.InvalidField("post", "That is %d posts; %d can be asked for at once. Ask in several requests.", n, limit)
		e.Limit = limit
		return nil, e
	}
	return q["post"], nil
}

// number reads a whole number from 1 to most; absent is usual.
func number(q url.Values, name string, usual, most int) (int, error) {
	if !q.Has(name) {
		return usual, nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < 1 || n > most {
		e := postil.InvalidField(name, "“%s” is a whole number from 1 to %d.", name, most)
		e.Limit = most
		return 0, e
	}
	return n, nil
}

// version reads the version that the answer must have reached. One beyond all
// numbers is only more than there is.
func version(q url.Values) (v int64, given bool, err error) {
	if !q.Has("v") {
		return 0, false, nil
	}
	v, err = strconv.ParseInt(q.Get("v"), 10, 64)
	if errors.Is(err, strconv.ErrRange) && v > 0 {
		return math.MaxInt64, true, nil
	}
	if err != nil || v < 0 {
		return 0, false, postil.InvalidField("v", "“v” is the version of a thread: the bookmark of your comment or the version of an event.")
	}
	return v, true, nil
}
