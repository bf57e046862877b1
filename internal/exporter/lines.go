package exporter

import "github.com/postil/postil/internal/postil"

// The lines of the format, see FORMAT.md.

type headLine struct {
	Format     int      `json:"format"`
	ExportedAt string   `json:"exported_at"`
	Addresses  bool     `json:"addresses"`
	Site       siteLine `json:"site"`
}

type siteLine struct {
	Key      postil.SiteID `json:"key"`
	Name     string        `json:"name"`
	Policy   string        `json:"policy"`
	MaxLinks int           `json:"max_links"`
	Lockdown bool          `json:"lockdown"`
	Origins  []string      `json:"origins"`
	Blocked  []string      `json:"blocked,omitempty"`
}

type postLine struct {
	Key     postil.PostID `json:"key"`
	Title   string        `json:"title,omitempty"`
	URL     string        `json:"url,omitempty"`
	NamedBy string        `json:"named_by"`
	Closed  bool          `json:"closed,omitempty"`
	Created string        `json:"created_at"`
}

type commentLine struct {
	ID        string         `json:"id"`
	Post      postil.PostID  `json:"post"`
	Parent    string         `json:"parent,omitempty"`
	Status    postil.Status  `json:"status"`
	Before    postil.Status  `json:"status_before,omitempty"`
	Text      string         `json:"text"`
	Waiting   *draftLine     `json:"waiting_edit,omitempty"`
	Author    authorLine     `json:"author"`
	Created   string         `json:"created_at"`
	Edited    string         `json:"edited_at,omitempty"`
	Reactions map[string]int `json:"reactions,omitempty"`
	Score     int            `json:"score,omitempty"`
}

type draftLine struct {
	Text string `json:"text"`
	At   string `json:"at"`
}

type authorLine struct {
	Name    string `json:"name"`
	Website string `json:"website,omitempty"`
	Badge   string `json:"badge,omitempty"`
	Email   string `json:"email,omitempty"`
	Account string `json:"account,omitempty"`
	Erased  bool   `json:"erased,omitempty"`
}

type decisionLine struct {
	Comment    string        `json:"comment"`
	Verb       string        `json:"verb"`
	From       postil.Status `json:"from"`
	To         postil.Status `json:"to"`
	Channel    string        `json:"channel"`
	By         string        `json:"by,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	At         string        `json:"at"`
	TextBefore string        `json:"text_before,omitempty"`
	TextAfter  string        `json:"text_after,omitempty"`
}

type viewsLine struct {
	Post  postil.PostID `json:"post"`
	Span  postil.Span   `json:"span"`
	At    string        `json:"at,omitempty"`
	Count int64         `json:"count"`
}
