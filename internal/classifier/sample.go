package classifier

import "time"

// Sample is what the classifier looks at: one comment and who sent it from
// where. Everything but Text may be missing.
type Sample struct {
	ID      int64  // of the comment; 0 when it is never learned or unlearned
	Page    string // key of the post
	Title   string // what the page calls itself
	Name    string
	Website string // canonical or as typed
	Mail    string
	Author  string // account or device, hashed; a typed name proves nothing
	Network string // hashed
	Text    string // source, as typed
	Reply   bool
	At      time.Time

	view *view // once it was taken apart
}

// Prepared returns the sample taken apart: worth it for one that is scored,
// seen and learned.
func (s Sample) Prepared() Sample {
	s.view = look(s)
	return s
}

func (s Sample) look() *view {
	if s.view != nil {
		return s.view
	}
	return look(s)
}
