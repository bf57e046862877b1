package postil

import "time"

// Sort orders the roots of a thread; replies are always oldest first, ties
// broken by id.
type Sort string

// The sorts.
const (
	Oldest Sort = "oldest"
	Newest Sort = "newest"
	Top    Sort = "top" // by score, then oldest
)

// ParseSort reads a sort; "" means Oldest.
func ParseSort(s string) (Sort, error) {
	switch o := Sort(s); o {
	case "":
		return Oldest, nil
	case Oldest, Newest, Top:
		return o, nil
	}
	return "", InvalidField("sort", "Comments can be sorted by oldest, newest or top.")
}

// Limits of a thread and its pages.
const (
	MaxDepth         = 8   // the deepest reply has this depth
	DefaultPageRoots = 50  // roots on a page when nothing is asked for
	MaxPageRoots     = 200 // roots on a page at most
	MaxPageComments  = 500 // comments on a page at most; a page may end inside a root
	MaxText          = 8000
	MaxName          = 64
	MaxTitle         = 300
	MaxPostKey       = 512
)

// ThreadQuery asks for one page of a thread.
type ThreadQuery struct {
	Site   SiteID
	Post   PostID
	Sort   Sort
	Limit  int       // roots, 1 to MaxPageRoots
	Cursor string    // opaque, from ThreadPage.Next or Prev
	Focus  CommentID // the page that holds this comment; 0: none
}

// ThreadPage is one page of a thread as everybody may see it.
type ThreadPage struct {
	Post     Post
	Lockdown bool
	Comments []Listed // display order: pre-order, replies oldest first
	Next     string   // cursor of the page after this one, "" at the end
	Prev     string   // cursor of the page before this one, "" at the start or when unknown
}

// Listed is a comment as readers see it. A tombstone has ID, Parent, Depth and
// Tombstone only.
type Listed struct {
	ID        CommentID
	Parent    CommentID
	Depth     int
	Tombstone bool
	Author    Author
	UserGone  bool
	HTML      string
	Created   time.Time
	Edited    time.Time
	Replies   int
	Score     int
	Reactions map[string]int // by the site's spelling; set in threads
	Post      PostID         // set in lists that span posts
	PostTitle string
	PostURL   string
}
