package apptest_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// Addresses of readers, as a proxy passes them on: the range for documentation.
var readers = []string{"203.0.113.77", "2001:db8:77:1234::99", "::ffff:203.0.113.78"}

// spellings are the forms in which an address could be kept.
var spellings = []string{"203.0.113.77", "203.0.113.78", "2001:db8:77:1234::99", "2001:0db8:0077:1234", "::ffff:203.0.113.78", "::ffff:cb00:714e",
	"\xcb\x00\x71\x4d", "\xcb\x00\x71\x4e", "\x20\x01\x0d\xb8\x00\x77\x12\x34"}

// holds lists the files below dir in which one of the texts stands.
func holds(t *testing.T, dir string, texts []string) (found []string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		files++
		for _, text := range texts {
			if bytes.Contains(raw, []byte(text)) {
				found = append(found, filepath.Base(path)+" has "+text)
			}
		}
		return err
	})
	if err != nil || files < 3 {
		t.Fatalf("only %d files were looked at: %v", files, err)
	}
	return found
}

func TestTheAddressOfAReaderIsInNoFileAndNoLog(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{Telegram: true}, "POSTIL_TRUSTED_PROXIES=127.0.0.1/32", "POSTIL_LOG_LEVEL=debug")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, ip := range readers {
		from := []string{"X-Forwarded-For", ip}
		post := func(method, path string, body any) {
			if a, err := p.Do(ctx, method, path, body, from...); err != nil || a.Status >= 500 {
				t.Fatalf("%s %s: %d, %v", method, path, a.Status, err)
			}
		}
		post("GET", "/api/v1/sites/blog/comments?post=/post", nil)
		post("GET", "/api/v1/sites/blog/form?post=/post", nil)
		post("POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/post", "text": "From somewhere: " + strings.Repeat("x", len(ip)), "author": map[string]any{"name": "Ann"}})
		post("POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/post", "text": "", "author": map[string]any{"name": "Ann"}})
		post("POST", "/api/v1/sites/blog/preview", map[string]any{"text": "hello"})
		post("POST", "/api/view", map[string]any{"path": "/post"})
		post("POST", "/api/qlog", map[string]any{"question": "Where am I?"})
		post("GET", "/nowhere", nil)
	}
	p.Bot.Card(t, time.Minute, "From somewhere")
	run(t, p, nil, "backup", filepath.Join(p.Data, "backups.db"))
	if found := holds(t, p.Data, spellings); len(found) > 0 {
		t.Errorf("while it runs: %q", found)
	}
	p.Stop(t)
	if found := holds(t, p.Data, spellings); len(found) > 0 {
		t.Errorf("after it ended: %q", found)
	}
	for _, text := range spellings[:6] {
		if log := p.Stderr() + p.Stdout(); strings.Contains(log, text) {
			t.Errorf("the log has %s", text)
		}
		for _, m := range p.Bot.Messages(apptest.Group) {
			if strings.Contains(m.Text, text) {
				t.Errorf("a card has %s", text)
			}
		}
	}
}

func TestAnErasedPersonIsGoneFromEverythingThatIsAnswered(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{Telegram: true})
	ctx := t.Context()
	send := func(text string) (posted apptest.Posted) {
		a, err := p.Do(ctx, "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/post", "text": text, "device": "device-of-quillemena",
			"author": map[string]any{"name": "Quillemena", "email": "Quill@mail.example", "website": "https://quillemena.example/"}})
		if err != nil || a.Status != 202 {
			t.Fatalf("%d %s, %v", a.Status, a.Body, err)
		}
		a.JSON(t, &posted)
		return posted
	}
	first := send("I was here.")
	p.Bot.Card(t, time.Minute, "Quillemena", "I was here.")
	p.Decide(t, first.Comment.ID, "approve")
	waiting := send("And here, too.")
	if said := run(t, p, nil, "export", "--email", "quill@MAIL.example"); strings.Count(said, `"name": "Quillemena"`) != 2 {
		t.Errorf("what is stored about her: %s", said)
	}
	said := run(t, p, nil, "erase", "--edit-key", waiting.EditKey)
	for _, want := range []string{`"comments": 2`, `"threads": 1`, "Backups"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report has no %s: %s", want, said)
		}
	}
	apptest.Eventually(t, time.Minute, "no card names her", func() bool {
		for _, m := range p.Bot.Messages(apptest.Group) {
			if strings.Contains(m.Text, "Quillemena") {
				return false
			}
		}
		return true
	})
	for _, path := range []string{"/api/v1/sites/blog/comments?post=/post", "/api/v1/sites/blog/recent", "/api/v1/sites/blog/feed.atom", "/thread/blog?post=/post",
		"/api/v1/admin/comments", "/api/v1/admin/comments?q=quillemena", "/api/v1/admin/comments/" + first.Comment.ID, "/api/v1/admin/comments?author=quill@mail.example"} {
		apptest.Eventually(t, time.Minute, path+" does not name her", func() bool {
			a, err := p.Do(ctx, "GET", path, nil, "Authorization", "Bearer "+apptest.AdminKey)
			return err == nil && a.Status == 200 && !strings.Contains(strings.ToLower(string(a.Body)), "quill")
		})
	}
	if th := p.Thread(t, "/post"); len(th.Comments) != 1 || !strings.Contains(th.Comments[0].HTML, "I was here.") {
		t.Errorf("her text is not there as that of a deleted user: %+v", th)
	}
	if code, _, said := p.Command(t, nil, "erase"); code != 2 || !strings.Contains(said, "--email") {
		t.Errorf("nobody named: %d, %s", code, said)
	}
	if said := run(t, p, nil, "erase", "--email", "quill@mail.example", "--texts"); !strings.Contains(said, `"comments": 0`) {
		t.Errorf("again: %s", said)
	}
	export := run(t, p, nil, "export", "--site", "blog")
	if strings.Contains(strings.ToLower(export), "quill") || !strings.Contains(export, `{"end":{`) {
		t.Errorf("the export: %s", export)
	}
}
