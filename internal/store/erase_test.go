package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// telling stores a comment of somebody who says much about themselves.
func telling(t *testing.T, s *Store, email, device, text string, parent postil.CommentID) postil.Comment {
	t.Helper()
	out, err := s.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Parent: parent, Text: text, HTML: "<p>" + text + "</p>", Nonce: "n",
		Author: postil.Author{Name: "Quillemena Zwartendijk", Email: email, Website: "https://quillemena.example/"},
		Origin: postil.Origin{Actor: "actor-of-quillemena", Network: "network-of-quillemena", Device: device, UserAgent: "Quillebrowser/1.0"},
		Replay: postil.Replay{Key: text, Body: "b"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	to(t, s, out.Comment.ID, postil.Approved)
	c, err := s.Comment(ctx, out.Comment.ID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPRIV_01_ErasingByMailAddressIgnoresCaseAndReportsWhatItTouched(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	first := telling(t, s, "Ann@Ex.org", "", "First.", 0)
	second := telling(t, s, "ann@ex.org", "", "Second.", 0)
	other := telling(t, s, "bob@ex.org", "", "Another person.", 0)
	if all, err := s.PersonalData(ctx, postil.Identity{Email: "ANN@ex.ORG"}); err != nil || len(all) != 2 || all[0].Email != "Ann@Ex.org" {
		t.Fatalf("stored about her: %+v, %v", all, err)
	}
	report, err := s.Erase(ctx, postil.Identity{Email: " ANN@EX.ORG "}, false, somebody)
	if err != nil || report.Comments != 2 || report.Threads != 1 || report.Rows["comments"] != 2 || report.Rows["replays"] != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	for _, id := range []postil.CommentID{first.ID, second.ID} {
		c, err := s.Comment(ctx, id)
		if err != nil || !c.UserGone || c.Author != (postil.Author{}) || c.Origin != (postil.Origin{}) || c.Text == "" || c.Status != postil.Approved {
			t.Errorf("left of it: %+v, %v", c, err)
		}
	}
	if c, _ := s.Comment(ctx, other.ID); c.Author.Email != "bob@ex.org" {
		t.Errorf("somebody else was erased: %+v", c)
	}
	again, err := s.Erase(ctx, postil.Identity{Email: "ann@ex.org"}, false, somebody)
	if err != nil || again.Comments != 0 || len(again.Rows) != 0 {
		t.Errorf("PRIV-02: again: %+v, %v", again, err)
	}
}

func TestPRIV_02_PeopleWithoutCommentsAreErasedTooAndStrangersAreNoError(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	meddle(t, s, "INSERT INTO users (user_id, name, created_at) VALUES ('u7', 'Only here', 0)")
	for _, want := range []int{1, 0} {
		if got, err := s.Erase(ctx, postil.Identity{Author: "u7"}, false, somebody); err != nil || got.Rows["users"] != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if got, err := s.Erase(ctx, postil.Identity{Email: "nobody@mail.example"}, true, somebody); err != nil || len(got.Rows) != 0 {
		t.Errorf("a stranger: %+v, %v", got, err)
	}
}

func TestErasingByOneCommentFindsAllOfTheSamePerson(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	telling(t, s, "", "device-1", "From a device.", 0)
	known := telling(t, s, "q@mail.example", "device-1", "With an address.", 0)
	telling(t, s, "Q@mail.example", "device-2", "From another device.", 0)
	telling(t, s, "", "", "Same network, same name, and not hers.", 0)
	if got, err := s.Erase(ctx, postil.Identity{Comment: known.ID}, false, somebody); err != nil || got.Comments != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestErasingTheTextsLeavesATombstoneWhereRepliesHang(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	root := telling(t, s, "q@mail.example", "", "Her root.", 0)
	alone := telling(t, s, "q@mail.example", "", "Her other root.", 0)
	reply := telling(t, s, "bob@mail.example", "", "His reply.", root.ID)
	meddle(t, s, "UPDATE decisions SET text_before = 'Her first wording.' WHERE comment_id = ?", int64(root.ID))
	if got, err := s.Erase(ctx, postil.Identity{Email: "q@mail.example"}, true, somebody); err != nil || got.Rows["decisions"] == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	p := page(t, s, postil.ThreadQuery{})
	if len(p.Comments) != 2 || p.Comments[0].ID != root.ID || p.Comments[0].HTML != "" || p.Comments[1].ID != reply.ID {
		t.Errorf("readers see %+v", p.Comments)
	}
	if c, err := s.Comment(ctx, alone.ID); err != nil || c.Text != "" || c.Status != postil.Deleted {
		t.Errorf("the text is %q, %v", c.Text, err)
	}
	if h, err := s.History(ctx, root.ID); err != nil || len(h) == 0 || h[len(h)-1].Verb != postil.Delete {
		t.Errorf("the log ends with %+v, %v", h, err)
	}
}

func TestWhatWasErasedIsInNoFileOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	words := []string{"Quillemena", "Zwartendijk", "quillemena", "quill@mail.example", "Quillebrowser", "actor-of-quill", "network-of-quill", "device-of-quill", "brontosaurus"}
	for range 30 {
		telling(t, s, "quill@mail.example", "device-of-quill", "I saw a brontosaurus.", 0)
		say(t, s, "I did not.", 0)
	}
	if _, err := s.Erase(ctx, postil.Identity{Email: "quill@mail.example"}, true, somebody); err != nil {
		t.Fatal(err)
	}
	var left []string
	for range 100 { // the log is emptied beside the answer
		left = nil
		files, err := filepath.Glob(s.path + "*")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range words {
				if n := bytes.Count(bytes.ToLower(raw), bytes.ToLower([]byte(word))); n > 0 {
					left = append(left, filepath.Base(file)+" has "+word)
				}
			}
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("still there: %q", left)
}
