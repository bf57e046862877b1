package postil

// Lesson is a decision of a person that teaches a classifier: an approval or a
// spam mark, or that one of these was taken back.
type Lesson struct {
	Decision DecisionID
	Comment  Comment
	Spam     bool
	Undone   bool // the earlier decision about the comment no longer counts
}
