package postil

import "time"

// Identity is somebody who wrote here, as far as that can be told: by mail
// address, by the id under which moderators see an author (device or account),
// or by a comment whose edit key they hold. One of them is set.
type Identity struct {
	Email   string // case does not matter
	Author  string
	Comment CommentID
}

// Erasure reports what was erased, or what there is to erase.
type Erasure struct {
	Comments int            `json:"comments"`
	Threads  int            `json:"threads"`
	Rows     map[string]int `json:"rows"` // by table
	Texts    bool           `json:"texts"`
}

// PersonalComment is what is stored beside a comment about who wrote it.
type PersonalComment struct {
	ID        CommentID  `json:"id"`
	Site      SiteID     `json:"site"`
	Post      PostID     `json:"post"`
	Status    Status     `json:"status"`
	Created   time.Time  `json:"created_at"`
	Edited    *time.Time `json:"edited_at"`
	Name      string     `json:"name"`
	Email     string     `json:"email"`
	Website   string     `json:"website"`
	Text      string     `json:"text"`
	Waiting   string     `json:"waiting_edit,omitempty"`
	UserAgent string     `json:"user_agent"`
	Actor     string     `json:"actor_id"`
	Network   string     `json:"network_id"`
	Device    string     `json:"device_hash"`
	Account   string     `json:"account"`
}
