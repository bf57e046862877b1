package httpapi

const (
	usualPage = 100  // of what is listed by its number
	mostPage  = 1000 // at once
)

// pageOf takes the page of at most limit from what was read, one more than
// that, and returns the cursor behind it, null when it is the last.
func pageOf[T any](read []T, limit int, mark func(T) string) (shown []T, next *string) {
	if len(read) <= limit {
		return read, nil
	}
	cursor := mark(read[limit-1])
	return read[:limit], &cursor
}
