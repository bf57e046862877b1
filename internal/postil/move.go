package postil

import "time"

// MoveKind says why comments went from one post to another.
type MoveKind string

// The closed set of moves.
const (
	Merge  MoveKind = "merge"  // two posts are one page
	Rename MoveKind = "rename" // the page has another key
	Split  MoveKind = "split"  // some comments belong elsewhere
)

// PostMove is comments that went together from one post to another. It can be
// taken back for as long as nothing later has moved either post.
type PostMove struct {
	ID       int64
	Site     SiteID
	Kind     MoveKind
	From, To PostID
	Comments int
	At       time.Time
	Undone   time.Time // zero: it holds
}

// MoveRequest asks for a move. Merge and Rename take every comment of From and
// leave its key behind, so that it leads to To from then on; Split takes the
// named comments with everything below them.
type MoveRequest struct {
	Site     SiteID
	Kind     MoveKind
	From, To PostID
	Comments []CommentID // of a Split
	Title    string      // of the post that a Split makes
	By       By
}
