package exporter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

var (
	ctx  = context.Background()
	mods = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Mo"}
)

// filled returns a store with a conversation in it.
func filled(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(ctx, slog.New(slog.NewTextHandler(io.Discard, nil)), storetest.Path(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(running) }()
	t.Cleanup(func() { stop(); <-done; s.Close() })
	for _, key := range []postil.SiteID{"blog", "other"} {
		if _, err := s.AddSite(ctx, postil.Site{ID: key, Name: "The blog", Policy: postil.HoldAll, Origins: []string{"https://blog.example"}}, mods); err != nil {
			t.Fatal(err)
		}
	}
	add := func(site postil.SiteID, text string, parent postil.CommentID) postil.CommentID {
		out, err := s.AddComment(ctx, postil.NewComment{Site: site, Post: postil.PostRef{ID: "/p", Title: "A page"}, Parent: parent, Text: text, HTML: "<p>x</p>", Nonce: "secret-nonce",
			Author: postil.Author{Name: "Ann 🐘", Email: "ann@mail.example"}, Origin: postil.Origin{Actor: "secret-actor", Device: "secret-device", Network: "secret-network", UserAgent: "secret-agent"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out.Comment.ID
	}
	root := add("blog", "use &lt;b&gt; here, <script>\n\ttab", 0)
	_, err = s.Change(ctx, root, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return &postil.Change{Verb: postil.Approve, To: postil.Approved, By: mods, Reason: "fine", Review: postil.CloseReview}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	add("blog", "a reply", root)
	add("other", "not of this blog", 0)
	return s
}

// read decodes an export.
func read(t *testing.T, text string) (lines []map[string]map[string]any) {
	t.Helper()
	for scan := bufio.NewScanner(strings.NewReader(text)); scan.Scan(); {
		var line map[string]map[string]any
		if err := json.Unmarshal(scan.Bytes(), &line); err != nil || len(line) != 1 {
			t.Fatalf("no line of the format: %s, %v", scan.Text(), err)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestBKP_05_AnExportHoldsTheSiteAndNothingOfThisInstallation(t *testing.T) {
	t.Parallel()
	s := filled(t)
	var out strings.Builder
	n, err := Write(ctx, &out, s, "blog", Options{Now: time.UnixMilli(1)})
	if err != nil || (n != Counts{Posts: 1, Comments: 2, Decisions: 1}) {
		t.Fatal(n, err)
	}
	for _, secret := range []string{"secret", "ann@mail.example", "not of this blog", "<p>x</p>"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is in the export:\n%s", secret, out.String())
		}
	}
	lines := read(t, out.String())
	if lines[0]["postil"]["format"] != 1.0 || lines[len(lines)-1]["end"]["comments"] != 2.0 {
		t.Errorf("it begins with %v and ends with %v", lines[0], lines[len(lines)-1])
	}
	delete(lines[2]["comment"], "created_at")
	want := map[string]any{"id": "1", "post": "/p", "status": "approved", "text": "use &lt;b&gt; here, <script>\n\ttab", "author": map[string]any{"name": "Ann 🐘"}}
	if diff := cmp.Diff(want, lines[2]["comment"]); diff != "" {
		t.Error("the first comment, wanted (-), written (+):", diff)
	}
	if lines[3]["comment"]["parent"] != "1" || lines[4]["decision"]["reason"] != "fine" || lines[4]["decision"]["by"] != "Mo" {
		t.Errorf("reply and decision: %v %v", lines[3], lines[4])
	}
	var again strings.Builder
	if _, err := Write(ctx, &again, s, "blog", Options{Now: time.UnixMilli(1)}); err != nil || again.String() != out.String() {
		t.Error("the same site twice makes two different files")
	}
}

func TestMailAddressesAreExportedOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if _, err := Write(ctx, &out, filled(t), "blog", Options{Addresses: true}); err != nil || strings.Count(out.String(), "ann@mail.example") != 2 {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestAnExportThatWasCutOffHasNoLastLine(t *testing.T) {
	t.Parallel()
	out := &narrow{room: 100}
	if _, err := Write(ctx, out, filled(t), "blog", Options{}); err == nil || strings.Contains(out.String(), `"end"`) {
		t.Errorf("%v: %s", err, out.String())
	}
	if _, err := Write(ctx, io.Discard, filled(t), "unknown", Options{}); postil.KindOf(err) != postil.NotFound {
		t.Errorf("a site that there is not: %v", err)
	}
}

// narrow is a disk that is soon full.
type narrow struct {
	strings.Builder
	room int
}

func (n *narrow) Write(b []byte) (int, error) {
	if n.Len()+len(b) > n.room {
		return 0, errors.New("full")
	}
	return n.Builder.Write(b)
}
