package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

const (
	maxBulk  = 1000 // comments that one bulk decision lists
	maxWave  = 5000 // comments that a filter may select at once
	sampled  = 20   // of these, shown by a preview
	bulkWide = 32   // decided at a time: writes that arrive together share a transaction
)

// bulkJSON is the answer to a bulk request: one result for each comment.
type bulkJSON struct {
	BatchID string       `json:"batch_id"`
	Results []bulkResult `json:"results"`
}

// bulkResult is an outcome or a problem.
type bulkResult struct {
	outcome outcomeJSON
	failed  any // problem or conflictJSON, nil when all went well
	cause   error
}

// MarshalJSON writes the one or the other.
func (r bulkResult) MarshalJSON() ([]byte, error) {
	if r.failed == nil {
		return encode(r.outcome)
	}
	return encode(struct {
		ID    string `json:"id"`
		Error any    `json:"error"`
	}{r.outcome.ID, r.failed})
}

func bulkResultOf(id string, o postil.Outcome, err error) bulkResult {
	r := bulkResult{outcome: outcomeOf(o), cause: err}
	r.outcome.ID = id
	switch {
	case postil.KindOf(err) == postil.Conflict:
		r.failed = conflictOf(o, err)
	case err != nil:
		r.failed = problemOf(err)
	}
	return r
}

// bulkItem is one comment of a bulk request and what is to be done with it.
type bulkItem struct {
	id   string        // as the request or the log names the comment
	site postil.SiteID // and status: how it stands now; "" when there is no such comment
	now  postil.Status
	do   func(context.Context) (postil.Outcome, error)
}

// previewJSON says what a bulk decision would be about.
type previewJSON struct {
	DryRun   bool                  `json:"dry_run"`
	Count    int                   `json:"count"`
	Statuses map[postil.Status]int `json:"statuses"` // how they stand now
	Sample   []string              `json:"sample"`   // ids of the first ones
}

func previewOf(p auth.Principal, items []bulkItem) previewJSON {
	out := previewJSON{DryRun: true, Statuses: map[postil.Status]int{}, Sample: []string{}}
	for _, item := range items {
		if item.now == "" || p.May(auth.Decide, item.site) != nil {
			continue
		}
		out.Count++
		out.Statuses[item.now]++
		if len(out.Sample) < sampled {
			out.Sample = append(out.Sample, item.id)
		}
	}
	return out
}

// bulk does the items and answers. It goes on when the client leaves: half a
// batch would be worse than an answer that nobody reads.
func (s *Server) bulk(c echo.Context, batch string, items []bulkItem) error {
	ctx := context.WithoutCancel(c.Request().Context())
	results := make([]bulkResult, len(items))
	var all errgroup.Group
	all.SetLimit(bulkWide)
	for i, item := range items {
		all.Go(func() error {
			out, err := item.do(ctx)
			results[i] = bulkResultOf(item.id, out, err)
			return nil
		})
	}
	_ = all.Wait() // every error stands in its result
	for _, r := range results {
		if r.cause != nil && postil.KindOf(r.cause) == postil.Internal { // the others are in the answer, this one would be lost
			s.lg.ErrorContext(ctx, "an item of a bulk request failed", "comment", r.outcome.ID, "error", r.cause)
		}
	}
	return answer(c, http.StatusOK, jsonType, bulkJSON{batch, results})
}

// adminDecideMany is POST /api/v1/admin/decisions: one decision about up to
// 1,000 listed comments, or up to 5,000 that a filter selects, each decided for
// itself. With dry_run it only says how many there are.
func (s *Server) adminDecideMany(c echo.Context, p auth.Principal) error {
	var in struct {
		IDs      []string    `json:"ids"`
		Filter   *filterJSON `json:"filter"`
		Decision string      `json:"decision"`
		Expect   string      `json:"expect"`
		Reason   string      `json:"reason"`
		DryRun   bool        `json:"dry_run"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	r, err := decisionRequest(p.By, in.Decision, in.Expect, in.Reason)
	if err != nil {
		return err
	}
	r.Batch = uuid.NewString()
	var items []bulkItem
	switch {
	case (in.Filter == nil) == (in.IDs == nil):
		return postil.InvalidField("ids", "Say which comments: “ids” lists them, or “filter” selects them.")
	case in.Filter != nil:
		items, err = s.filteredItems(c, p, *in.Filter, r)
	default:
		items, err = s.listedItems(c, p, in.IDs, r)
	}
	if err != nil {
		return err
	}
	if in.DryRun {
		return answer(c, http.StatusOK, jsonType, previewOf(p, items))
	}
	return s.bulk(c, r.Batch, items)
}

// listedItems decides about comments by their ids, each once.
func (s *Server) listedItems(c echo.Context, p auth.Principal, ids []string, r postil.DecisionRequest) ([]bulkItem, error) {
	if n := len(ids); n == 0 || n > maxBulk {
		e := postil.InvalidField("ids", "“ids” lists 1 to %s comments; that is %s. Ask in several requests.", postil.Thousands(maxBulk), postil.Thousands(n))
		e.Limit = maxBulk
		return nil, e
	}
	known, err := s.knownComments(c, ids)
	if err != nil {
		return nil, err
	}
	var items []bulkItem
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		comment, ok := known[id]
		items = append(items, bulkItem{id, comment.Site, comment.Status, func(ctx context.Context) (postil.Outcome, error) {
			if !ok {
				return postil.Outcome{}, postil.Missing()
			}
			return s.decideOne(ctx, p, comment.Site, comment.ID, r)
		}})
	}
	return items, nil
}

// knownComments returns the comments that exist by their ids.
func (s *Server) knownComments(c echo.Context, ids []string) (map[string]postil.Comment, error) {
	var numbers []postil.CommentID
	for _, id := range ids {
		if n, err := postil.ParseCommentID(id); err == nil {
			numbers = append(numbers, n)
		}
	}
	comments, err := s.deps.Admin.Records.Comments(c.Request().Context(), numbers)
	known := make(map[string]postil.Comment, len(comments))
	for _, m := range comments {
		known[m.ID.String()] = m
	}
	return known, err
}

func (s *Server) decideOne(ctx context.Context, p auth.Principal, site postil.SiteID, id postil.CommentID, r postil.DecisionRequest) (postil.Outcome, error) {
	if err := p.May(auth.Decide, site); err != nil {
		return postil.Outcome{}, err
	}
	r.Comment = id
	return s.deps.Admin.Door.Decide(ctx, r)
}

// filteredItems decides about what a filter selects now: a comment that
// somebody changes in between is left alone.
func (s *Server) filteredItems(c echo.Context, p auth.Principal, in filterJSON, r postil.DecisionRequest) ([]bulkItem, error) {
	f, err := s.filter(c, p, in)
	if err != nil {
		return nil, within("filter", err)
	}
	if in.Site == "" && f.Post == "" && f.Author == "" && f.Query == "" && f.Network == "" && f.Host == "" && len(f.Statuses) == 0 && f.From.IsZero() && f.To.IsZero() && !f.NeedsYou {
		return nil, postil.InvalidField("filter", "This filter selects every comment there is. Narrow it by site, status, post, author, time or queue.")
	}
	f.Limit = maxListed
	var items []bulkItem
	for more := true; more; more = f.Cursor != "" {
		page, err := s.deps.Admin.Records.ListComments(c.Request().Context(), f)
		if err != nil {
			return nil, err
		}
		for _, m := range page.Comments {
			site, id, r := m.Site, m.ID, r // and not m, which would keep every text
			r.Revision = m.Revision
			if r.Expect == "" {
				r.Expect = m.Status
			}
			items = append(items, bulkItem{id.String(), site, m.Status, func(ctx context.Context) (postil.Outcome, error) {
				return s.decideOne(ctx, p, site, id, r)
			}})
		}
		if len(items) > maxWave {
			e := postil.InvalidField("filter", "More than %s comments match. Narrow the filter, for example by time.", postil.Thousands(maxWave))
			e.Limit = maxWave
			return nil, e
		}
		f.Cursor = page.Next
	}
	return items, nil
}

// within names a wrong member by where it stands in the request.
func within(parent string, err error) error {
	if e, ok := errors.AsType[*postil.Error](err); ok && e.Kind == postil.Invalid {
		deeper := *e
		deeper.Field = parent + "." + e.Field
		return &deeper
	}
	return err
}

// undoBatch takes back the decisions of a bulk request, the last one first;
// those that were overtaken are reported and stay.
func (s *Server) undoBatch(c echo.Context, p auth.Principal, batch string) error {
	decisions, err := s.deps.Admin.Decisions.Batch(c.Request().Context(), batch)
	if err != nil {
		return err
	}
	if len(decisions) == 0 {
		return postil.Missing()
	}
	undo := uuid.NewString()
	var items []bulkItem
	for _, d := range slices.Backward(decisions) {
		items = append(items, bulkItem{d.Comment.String(), d.Site, d.To, func(ctx context.Context) (postil.Outcome, error) {
			if err := p.May(auth.Decide, d.Site); err != nil {
				return postil.Outcome{}, err
			}
			return s.deps.Admin.Door.Undo(ctx, d.ID, p.By, undo)
		}})
	}
	return s.bulk(c, undo, items)
}
