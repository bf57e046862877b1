package desk

import (
	"html/template"
	"time"
)

// What the API answers, as far as pages show it. null is the zero value.

type comment struct {
	ID   string `json:"id"`
	Site string `json:"site"`
	Post struct {
		Key   string `json:"key"`
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"post"`
	ParentID  string        `json:"parent_id"`
	Status    string        `json:"status"`
	Text      string        `json:"text"`
	HTML      template.HTML `json:"html"` // sanitised when it was stored
	Author    author        `json:"author"`
	CreatedAt time.Time     `json:"created_at"`
	EditedAt  time.Time     `json:"edited_at"`
	Revision  int           `json:"revision"`
	Draft     *struct {
		Text string        `json:"text"`
		HTML template.HTML `json:"html"` // sanitised
		At   time.Time     `json:"at"`
	} `json:"draft"`
	CheckedAt time.Time `json:"checked_at"`
	Verdict   string    `json:"verdict"`
	Findings  []struct {
		Check  string  `json:"check"`
		Weight float64 `json:"weight"`
		Reason string  `json:"reason"`
	} `json:"findings"`
	Why       string `json:"why"`
	UserAgent string `json:"user_agent"`
	Actor     string `json:"actor"`
	Device    string `json:"device"`
	Network   string `json:"network"`

	// Of the detail alone.
	Review struct {
		State       string    `json:"state"`
		AnnouncedAt time.Time `json:"announced_at"`
	} `json:"review"`
	Record struct {
		Approved  int       `json:"approved"`
		Rejected  int       `json:"rejected"`
		Spam      int       `json:"spam"`
		FirstSeen time.Time `json:"first_seen"`
	} `json:"record"`
	Parent  *parent    `json:"parent"`
	History []decision `json:"history"`
}

type author struct {
	ID      string `json:"id"` // "" when nothing but a name is known
	Name    string `json:"name"`
	Email   string `json:"email"`
	Website string `json:"website"`
	Badge   string `json:"badge"`
}

// parent is the comment that another one answers.
type parent struct {
	ID     string        `json:"id"`
	Status string        `json:"status"`
	Name   string        `json:"name"`
	HTML   template.HTML `json:"html"` // sanitised
}

type decision struct {
	ID       string    `json:"id"`
	Decision string    `json:"decision"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	By       string    `json:"by"`
	Channel  string    `json:"channel"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
	Undoes   string    `json:"undoes"`
	UndoneBy string    `json:"undone_by"`
}

// outcome is what a decision did.
type outcome struct {
	ID         string    `json:"id"`
	Status     string    `json:"status"`
	Changed    bool      `json:"changed"`
	DecisionID string    `json:"decision_id"`
	By         string    `json:"by"`
	At         time.Time `json:"at"`
}

type site struct {
	Key       string    `json:"key"`
	Name      string    `json:"name"`
	Policy    string    `json:"policy"`
	Origins   []string  `json:"origins"`
	MaxLinks  int       `json:"max_links"`
	Blocked   []string  `json:"blocked"`
	Lockdown  bool      `json:"lockdown"`
	CreatedAt time.Time `json:"created_at"`
	Warnings  []string  `json:"warnings"`
}

// Last is the decision that made the comment what it is, nil for none.
func (c comment) Last() *decision {
	if len(c.History) == 0 {
		return nil
	}
	return &c.History[len(c.History)-1]
}

// Where names the post that a comment stands on.
func (c comment) Where() string {
	if c.Post.Title != "" {
		return c.Post.Title
	}
	return c.Post.Key
}
