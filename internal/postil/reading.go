package postil

// ViewKind says which public answer a View names.
type ViewKind string

// The kinds of cacheable public answers.
const (
	ThreadView ViewKind = "thread"
	CountsView ViewKind = "counts"
	RecentView ViewKind = "recent"
)

// View names one cacheable public answer: the same for everybody. It is
// comparable, so that it can be a key.
type View struct {
	Kind   ViewKind
	Site   SiteID
	Post   PostID // of a thread
	Posts  string // of counts: sorted keys, joined with "\n"
	Sort   Sort
	Limit  int
	Cursor string
	Focus  CommentID
}

// Query returns the thread query that a ThreadView names.
func (v View) Query() ThreadQuery {
	return ThreadQuery{Site: v.Site, Post: v.Post, Sort: v.Sort, Limit: v.Limit, Cursor: v.Cursor, Focus: v.Focus}
}

// Encoded is a finished body in one content encoding with the header values
// that belong to it, made once and written many times.
type Encoded struct {
	Body   []byte
	ETag   []string // one strong validator, quoted
	Length []string // of Body, in decimal
}

// Notice tells open pages what changed. It carries no content.
type Notice struct {
	Change  string // "comment.approved", "comment.updated", "comment.removed", "thread.updated"
	Event   EventID
	Post    PostID
	Version int64
	Comment CommentID // 0 for thread.updated
}
