package classifier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/postil/postil/internal/postil"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// shelf is a store in memory.
type shelf struct {
	mu      sync.Mutex
	models  map[postil.SiteID][]byte
	to      map[postil.SiteID]postil.DecisionID
	lessons []postil.Lesson
	down    error
	asked   int // lessons that were handed out
}

func newShelf() *shelf {
	return &shelf{models: map[postil.SiteID][]byte{}, to: map[postil.SiteID]postil.DecisionID{}}
}

func (s *shelf) Model(_ context.Context, site postil.SiteID) ([]byte, postil.DecisionID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.models[site], s.to[site], s.down
}

func (s *shelf) SaveModel(_ context.Context, site postil.SiteID, b []byte, to postil.DecisionID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down == nil {
		s.models[site], s.to[site] = b, to
	}
	return s.down
}

func (s *shelf) Lessons(_ context.Context, site postil.SiteID, after postil.DecisionID, limit int) (out []postil.Lesson, upTo postil.DecisionID, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lessons {
		if l.Decision > after && l.Comment.Site == site && len(out) < limit {
			out = append(out, l)
		}
	}
	s.asked += len(out)
	if upTo = postil.DecisionID(len(s.lessons)); len(out) == limit {
		upTo = out[len(out)-1].Decision
	}
	return out, upTo, s.down
}

func (s *shelf) decide(c postil.Comment, spam, undone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lessons = append(s.lessons, postil.Lesson{Decision: postil.DecisionID(len(s.lessons) + 1), Comment: c, Spam: spam, Undone: undone})
}

func comment(id int, text string) postil.Comment {
	return postil.Comment{ID: postil.CommentID(id), Site: "blog", Post: "/roses", Author: postil.Author{Name: fmt.Sprint("Visitor ", id)}, Text: text, Created: noon}
}

func (s *shelf) teach(n int) {
	for i := range n {
		s.decide(comment(2*i+1, honestText(i)), false, false)
		s.decide(comment(2*i+2, spamText(i)), true, false)
	}
}

func judge(t testing.TB, s *Sites, text string) Score {
	t.Helper()
	score, err := s.Judge(t.Context(), comment(9999, text), text)
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestEveryDecisionCountsForTheVeryNextComment(t *testing.T) {
	t.Parallel()
	sh := newShelf()
	sites := NewSites(quiet, sh)
	before := judge(t, sites, spamText(1))
	sh.teach(150) // more than are read at once
	after := judge(t, sites, spamText(1))
	if after.Local <= before.Local || after.Verdict != postil.VerdictSpam || sh.asked != 300 {
		t.Errorf("%+v after %d of 300 decisions, %+v before", after, sh.asked, before)
	}
	if judge(t, sites, spamText(1)); sh.asked != 300 {
		t.Errorf("decisions were learned again: %d", sh.asked)
	}
	if !strings.HasPrefix(after.Sentence(), "looks like spam (") {
		t.Errorf("it says %q", after.Sentence())
	}
}

func TestADecisionThatIsTakenBackIsUnlearned(t *testing.T) {
	t.Parallel()
	sh := newShelf()
	sites := NewSites(quiet, sh)
	sh.teach(12)
	before := judge(t, sites, honestText(3))
	wrong := comment(5000, honestText(3))
	sh.decide(wrong, true, false)
	if during := judge(t, sites, honestText(3)); during.Logit <= before.Logit {
		t.Errorf("a mistake: %.2f after %.2f", during.Logit, before.Logit)
	}
	sh.decide(postil.Comment{ID: wrong.ID, Site: "blog"}, false, true) // erased meanwhile
	if after := judge(t, sites, honestText(3)); after.Logit != before.Logit {
		t.Errorf("taken back: %.4f instead of %.4f", after.Logit, before.Logit)
	}
}

func TestModelsSurviveARestartAndACrash(t *testing.T) {
	t.Parallel()
	sh := newShelf()
	sh.teach(20)
	first := NewSites(quiet, sh)
	want := judge(t, first, spamText(2))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := first.Run(ctx); err != nil || sh.to["blog"] != 40 {
		t.Fatalf("saved up to decision %d, %v", sh.to["blog"], err)
	}
	saved := sh.asked
	if got := judge(t, NewSites(quiet, sh), spamText(2)); got.Local != want.Local || sh.asked != saved {
		t.Errorf("after a restart %.4f instead of %.4f, %d decisions read again", got.Local, want.Local, sh.asked-saved)
	}
	sh.models["blog"] = []byte("written by another version")
	if got := judge(t, NewSites(quiet, sh), spamText(2)); got.Local != want.Local {
		t.Errorf("learned anew %.4f instead of %.4f", got.Local, want.Local)
	}
}

func TestAShelfThatFailsIsSaidAndHarmsNothing(t *testing.T) {
	t.Parallel()
	sh := newShelf()
	sites := NewSites(quiet, sh)
	sh.down = errors.New("away")
	if _, err := sites.Judge(t.Context(), comment(1, "x"), "x"); err == nil {
		t.Error("a judgement without a store")
	}
	sh.down = nil
	sh.teach(3)
	judge(t, sites, "back again")
}

func TestManySitesAreJudgedAtTheSameTimeInBoundedMemory(t *testing.T) {
	t.Parallel()
	sites := NewSites(quiet, newShelf())
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			c := comment(i, honestText(i))
			c.Site = postil.SiteID(fmt.Sprint("site", i%20))
			if _, err := sites.Judge(t.Context(), c, c.Text); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(sites.models) > inMemory {
		t.Errorf("%d models in memory", len(sites.models))
	}
}
