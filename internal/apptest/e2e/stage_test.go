//go:build e2e

package e2e

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite" // read beside the running service

	"github.com/postil/postil/internal/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }

const (
	soon = time.Second      // what the product promises
	slow = 10 * time.Second // what nobody promised but must happen
)

const (
	composer  = `.composer[data-kind="new"]`
	textField = composer + " textarea"
	nameField = composer + ` input[name="name"]`
	sendIt    = composer + " .send"
	waiting   = ".comment[data-pending]"
)

// stage is the service with its demo blog, and a browser.
type stage struct {
	*apptest.Process
	browser *apptest.Browser
	page    string // address of the demo's first post
}

func setUp(t *testing.T, o apptest.Options, env ...string) *stage {
	t.Helper()
	o.Demo = true
	p := apptest.RunBinary(t, o, env...)
	p.Site = "demo"
	return &stage{Process: p, browser: apptest.NewBrowser(t), page: p.URL + "/demo/posts/margins"}
}

// reader opens the demo's post as somebody who was never here.
func (s *stage) reader(t *testing.T) *apptest.Page {
	t.Helper()
	p := s.browser.Reader(t)
	p.Visit(t, s.page)
	return p
}

// write puts a comment into the composer and presses Send.
func write(t *testing.T, p *apptest.Page, name, text string) {
	t.Helper()
	p.Type(t, textField, text)
	p.Fill(t, nameField, name)
	p.Click(t, sendIt)
}

// idOf waits until the page shows a comment with this text and returns its id.
func idOf(t *testing.T, p *apptest.Page, within time.Duration, text string) (id string) {
	t.Helper()
	find := fmt.Sprintf(`[...document.querySelector("postil-comments").shadowRoot.querySelectorAll(".comment")].find(c => c.querySelector(":scope > .body").innerText.includes(%q))?.dataset.id ?? ""`, text)
	p.Until(t, within, fmt.Sprintf("the page shows %q", text), find)
	return apptest.Eval[string](t, p, find)
}

// quiet fails when the page complained about anything.
func quiet(t *testing.T, pages ...*apptest.Page) {
	t.Helper()
	for _, p := range pages {
		for _, e := range p.Errors() {
			t.Errorf("the console says: %s", e)
		}
	}
}

// onDisk reads what the database file holds of a comment's text: its states.
func (s *stage) onDisk(t *testing.T, text string) (states []string) {
	t.Helper()
	file := url.URL{Scheme: "file", Opaque: filepath.Join(s.Data, "postil.db"), RawQuery: "mode=ro"}
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT status FROM comments WHERE comment_body = ?", text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var state string
		if err := rows.Scan(&state); err != nil {
			t.Fatal(err)
		}
		states = append(states, state)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return states
}
