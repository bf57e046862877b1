package postil

// DecisionRequest asks for a decision about a comment.
type DecisionRequest struct {
	Comment  CommentID
	Verb     Verb
	By       By
	Reason   string
	Batch    string      // shared by the requests of one bulk action, else ""
	Expect   Status      // the status the caller has seen; "" accepts any
	Revision int         // the revision of the text that the caller has seen; 0 accepts any
	Latest   *DecisionID // the latest decision that the caller has seen, 0 for none; nil accepts any
}
