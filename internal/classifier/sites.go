package classifier

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Shelf is where models rest and decisions are found.
type Shelf interface {
	Model(ctx context.Context, site postil.SiteID) (model []byte, learnedTo postil.DecisionID, err error)
	SaveModel(ctx context.Context, site postil.SiteID, model []byte, learnedTo postil.DecisionID) error
	// Lessons returns what persons decided after a decision, the first one first,
	// and how far the log was read for it.
	Lessons(ctx context.Context, site postil.SiteID, after postil.DecisionID, limit int) (lessons []postil.Lesson, upTo postil.DecisionID, err error)
}

// Sites holds the models of all sites. Before it judges, a model takes in what
// was decided since: the log of decisions is the truth, so nothing is missed,
// whoever decided where, and nothing is learned twice.
type Sites struct {
	lg    *slog.Logger
	shelf Shelf

	mu     sync.Mutex
	models map[postil.SiteID]*kept
	clock  uint64
}

// kept is a model in memory.
type kept struct {
	mu      sync.Mutex
	model   *Model // nil before it was loaded
	learned postil.DecisionID
	saved   postil.DecisionID
	read    postil.DecisionID // how far the log was read; behind learned there may be much that teaches nothing
	used    uint64
}

const (
	inMemory  = 8                // models in memory; others are loaded when they are needed
	atOnce    = 200              // decisions that are read at once
	saveEvery = 30 * time.Second // what is not saved is learned again after a crash
)

// NewSites returns the models that a shelf holds.
func NewSites(lg *slog.Logger, shelf Shelf) *Sites {
	return &Sites{lg: lg, shelf: shelf, models: map[postil.SiteID]*kept{}}
}

// Judge says what the site's model thinks of a comment that is to show text.
func (s *Sites) Judge(ctx context.Context, c postil.Comment, text string) (Score, error) {
	k := s.take(c.Site)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := s.catchUp(ctx, c.Site, k); err != nil {
		return Score{}, err
	}
	sample := sampleOf(c, text)
	score := k.model.Score(sample)
	k.model.Seen(sample)
	return score, nil
}

// take returns the place of a site's model and forgets another one when there
// are too many.
func (s *Sites) take(site postil.SiteID) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.models[site]
	if k == nil {
		if len(s.models) >= inMemory {
			s.forgetOldest()
		}
		k = &kept{}
		s.models[site] = k
	}
	s.clock++
	k.used = s.clock
	return k
}

// forgetOldest drops the model that was not used for the longest time; what it
// had not saved is learned again from the log.
func (s *Sites) forgetOldest() {
	var oldest postil.SiteID
	var used uint64
	for site, k := range s.models {
		if used == 0 || k.used < used {
			oldest, used = site, k.used
		}
	}
	delete(s.models, oldest)
}

func (s *Sites) catchUp(ctx context.Context, site postil.SiteID, k *kept) error {
	if k.model == nil {
		if err := s.load(ctx, site, k); err != nil {
			return err
		}
	}
	for {
		lessons, upTo, err := s.shelf.Lessons(ctx, site, max(k.learned, k.read), atOnce)
		if err != nil {
			return err
		}
		for _, l := range lessons {
			k.take(l)
		}
		k.read = upTo
		if len(lessons) < atOnce {
			return nil
		}
	}
}

func (k *kept) take(l postil.Lesson) {
	k.learned = l.Decision
	switch {
	case l.Undone:
		k.model.Unlearn(int64(l.Comment.ID))
	case l.Comment.Text != "":
		k.model.Learn(sampleOf(l.Comment, l.Comment.Text), l.Spam)
	}
}

// load brings a model from the shelf. One that cannot be read, since another
// version wrote it, is learned anew.
func (s *Sites) load(ctx context.Context, site postil.SiteID, k *kept) error {
	bytes, learned, err := s.shelf.Model(ctx, site)
	if err != nil {
		return err
	}
	k.model = New(Options{})
	if len(bytes) == 0 {
		return nil
	}
	if err := k.model.UnmarshalBinary(bytes); err != nil {
		s.lg.Warn("a stored classifier cannot be read; it is learned anew from the decisions", "site", site, "err", err)
		return nil
	}
	k.learned, k.saved = learned, learned
	return nil
}

// Run saves what was learned, every half minute and at the end.
func (s *Sites) Run(ctx context.Context) error {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.save(context.WithoutCancel(ctx))
			return nil
		case <-tick.C:
			s.save(ctx)
		}
	}
}

func (s *Sites) save(ctx context.Context) {
	s.mu.Lock()
	all := make(map[postil.SiteID]*kept, len(s.models))
	for site, k := range s.models {
		all[site] = k
	}
	s.mu.Unlock()
	for site, k := range all {
		if err := k.save(ctx, s.shelf, site); err != nil {
			s.lg.Error("what a classifier learned was not saved; it is tried again", "site", site, "err", err)
		}
	}
}

func (k *kept) save(ctx context.Context, shelf Shelf, site postil.SiteID) error {
	k.mu.Lock()
	if k.model == nil || k.learned == k.saved {
		k.mu.Unlock()
		return nil
	}
	bytes, err := k.model.MarshalBinary()
	learned := k.learned
	k.mu.Unlock()
	if err == nil {
		err = shelf.SaveModel(ctx, site, bytes, learned)
	}
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.saved = learned
	k.mu.Unlock()
	return nil
}

func sampleOf(c postil.Comment, text string) Sample {
	author := c.UserID
	if author == "" {
		author = c.Origin.Device
	}
	return Sample{ID: int64(c.ID), Page: string(c.Post), Name: c.Author.Name, Website: c.Author.Website, Mail: c.Author.Email,
		Author: author, Network: c.Origin.Network, Text: text, Reply: c.Parent != 0, At: c.Created}.Prepared()
}

// Sentence tells a judgement in a few words that complete "held: …".
func (s Score) Sentence() string {
	what := map[postil.Verdict]string{postil.VerdictSpam: "looks like spam", postil.VerdictApprove: "reads like an honest comment"}[s.Verdict]
	if what == "" {
		what = fmt.Sprintf("spam with a likelihood of %.0f %%", 100*s.P)
	}
	var why []string
	for _, r := range s.Reasons {
		if r.Weight*s.Logit > 0 && len(why) < 3 {
			why = append(why, r.Text)
		}
	}
	if len(why) == 0 {
		return what
	}
	return what + " (" + strings.Join(why, "; ") + ")"
}
