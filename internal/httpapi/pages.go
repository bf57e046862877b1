package httpapi

import (
	"strconv"

	"github.com/labstack/echo/v4"
)

const (
	usualPage = 100  // of what is listed by its number
	mostPage  = 1000 // at once
)

// numbered takes the page that a request asks for from all of a short list, the
// highest number first.
func numbered[T any](c echo.Context, all []T, id func(T) int64) (shown []T, next *string, err error) {
	q, err := parameters(c.Request())
	if err != nil {
		return nil, nil, err
	}
	limit, err := number(q, "limit", mostPage, mostPage)
	if err != nil {
		return nil, nil, err
	}
	before, err := cursorOf(q)
	if err != nil {
		return nil, nil, err
	}
	for before != 0 && len(all) > 0 && id(all[0]) >= before {
		all = all[1:]
	}
	shown, next = pageOf(all, limit, func(v T) string { return strconv.FormatInt(id(v), 10) })
	return shown, next, nil
}

// pageOf takes the page of at most limit from what was read, one more than
// that, and returns the cursor behind it, null when it is the last.
func pageOf[T any](read []T, limit int, mark func(T) string) (shown []T, next *string) {
	if len(read) <= limit {
		return read, nil
	}
	cursor := mark(read[limit-1])
	return read[:limit], &cursor
}
