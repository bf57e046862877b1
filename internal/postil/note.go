package postil

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxNote is how many characters a note or a saved reply has at most.
const MaxNote = 2000

// Note is what moderators tell each other about a comment or an author. Nobody
// else ever reads it.
type Note struct {
	ID      int64
	Site    SiteID
	Comment CommentID // 0: on an author
	Author  string    // id of a device or an account; "": on a comment
	Text    string
	By      By
	Created time.Time
}

// Label returns the id as the API writes it.
func (n Note) Label() string { return strconv.FormatInt(n.ID, 10) }

// CleanNote checks a text that moderators keep and returns it trimmed.
func CleanNote(text string) (string, error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n > MaxNote {
		return "", TooLong("text", n, MaxNote)
	}
	if text == "" || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", InvalidField("text", "Write something: “text” has 1 to %d characters.", MaxNote)
	}
	return text, nil
}
