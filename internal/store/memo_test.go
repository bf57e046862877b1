package store

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestWhatIsKeptInMemoryIsNeverOlderThanWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := s.Site(ctx, "blog"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 100 {
		links := i % 10
		if _, err := s.SetSite(ctx, "blog", somebody, func(v *postil.Site) error { v.MaxLinks = links; return nil }); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Site(ctx, "blog"); err != nil || v.MaxLinks != links {
			t.Fatalf("after %d was acknowledged a reader sees %d, %v", links, v.MaxLinks, err)
		}
	}
	close(stop)
	readers.Wait()
	if err := s.RemoveSite(ctx, "blog", somebody); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Site(ctx, "blog"); postil.KindOf(err) != postil.NotFound {
		t.Errorf("a site that was removed: %v", err)
	}
}

// A command beside the server writes into the same file.
func TestWhatAnotherProcessChangesCountsAfterAMoment(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	server, command := openAt(t, path, Options{}), openAt(t, path, Options{})
	if _, err := server.Site(ctx, "blog"); err != nil {
		t.Fatal(err)
	}
	if _, err := command.SetSite(ctx, "blog", somebody, func(v *postil.Site) error { v.MaxLinks = 7; return nil }); err != nil {
		t.Fatal(err)
	}
	until(t, "the server knows", func() bool { v, err := server.Site(ctx, "blog"); return err == nil && v.MaxLinks == 7 })
}

func TestEveryStatementAboutWhatIsKeptInMemoryIsNoticed(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]bool{
		"INSERT INTO sites (site_id) VALUES (?)":             true,
		"INSERT OR REPLACE INTO settings VALUES (?)":         true,
		"\n\t\tUPDATE sites SET name = ?":                    true,
		"DELETE FROM sites WHERE site_id = ?":                true,
		"INSERT INTO settings_log (kind) VALUES (?)":         false,
		"SELECT * FROM sites":                                false,
		"UPDATE comments SET status = ? WHERE site_id = ?":   false,
		"INSERT INTO models SELECT s.site_id FROM sites s":   false,
		"DELETE FROM comments WHERE site_id IN (SELECT 'x')": false,
	} {
		if got := stirs(statement); got != want {
			t.Errorf("%q: %t", statement, got)
		}
	}
}

func TestACommentIsHandedToTheChecksOnceAndMemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	c := say(t, s, "hello there", 0)
	first, memory, err := s.Submitted(ctx, c.ID)
	if err != nil || first.Text != "hello there" || memory.Site.ID != "blog" {
		t.Fatalf("%+v, %v", first, err)
	}
	again, _, err := s.Submitted(ctx, c.ID) // from the tables now
	if err != nil || again.Text != first.Text || again.Origin != first.Origin || !again.Created.Equal(first.Created) || again.HTML != first.HTML || again.Nonce != first.Nonce {
		t.Errorf("handed over %+v\nstored %+v, %v", first, again, err)
	}
	if _, _, err := s.Submitted(ctx, 999); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown one: %v", err)
	}
	var h handover
	long := postil.Comment{Text: string(make([]byte, 100_000))}
	for i := range 3 * len(h.slots) {
		long.ID = postil.CommentID(i + 1)
		h.put(long)
		if h.bytes > handoverBytes {
			t.Fatalf("%d bytes are kept", h.bytes)
		}
	}
	for i := range 3 * len(h.slots) {
		h.take(postil.CommentID(i + 1))
	}
	if h.bytes != 0 {
		t.Errorf("%d bytes are counted when nothing is kept", h.bytes)
	}
}
