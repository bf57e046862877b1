package postil

// ViewKind says which public answer a View names.
type ViewKind string

// The kinds of cacheable public answers.
const (
	ThreadView ViewKind = "thread"
	CountsView ViewKind = "counts"
	RecentView ViewKind = "recent"

	FeedView     ViewKind = "feed"     // the newest comments as Atom, of a post or, without one, of the site
	PageView     ViewKind = "page"     // a thread as a whole page
	SentView     ViewKind = "sent"     // the same, with thanks for a comment
	ReactedView  ViewKind = "reacted"  // the same, with the way to take back a reaction to the comment Focus
	FragmentView ViewKind = "fragment" // the comments of that page alone
	ContextView  ViewKind = "context"  // what stands above a form: the post and, with Focus, the comment to answer
)

// View names one cacheable public answer: the same for everybody. It is
// comparable, so that it can be a key.
type View struct {
	Kind   ViewKind
	Site   SiteID
	Post   PostID // of a thread or feed
	Posts  string // of counts: sorted keys, joined with "\n"
	Sort   Sort
	Limit  int
	Cursor string
	Focus  CommentID
}

// Query returns the thread query of a view that shows a thread.
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
