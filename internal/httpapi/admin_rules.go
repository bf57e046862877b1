package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Book is where rules are laid down. Without it there are no routes for them.
type Book interface {
	Lay(ctx context.Context, r postil.Ruling, by postil.By) (postil.Ruling, error)
	Lift(ctx context.Context, id postil.RulingID, by postil.By) (postil.Ruling, error)
	// BanAuthor and TrustAuthor find out by what the author of a comment is known.
	BanAuthor(ctx context.Context, id postil.CommentID, until time.Time, reason string, by postil.By) (postil.Ruling, error)
	TrustAuthor(ctx context.Context, id postil.CommentID, by postil.By) (postil.Ruling, error)
	// Import adds entries to a list, as doubts, and returns how many count and
	// how many lines were no entry.
	Import(ctx context.Context, list string, site postil.SiteID, kind postil.SubjectKind, lines []string, by postil.By) (inForce, skipped int, err error)
}

// RuleRegister knows the rules.
type RuleRegister interface {
	Ruling(ctx context.Context, id postil.RulingID) (postil.Ruling, error)
	Rulings(ctx context.Context, f postil.RulingFilter) ([]postil.Ruling, error)
	RulingLists(ctx context.Context) ([]postil.RulingList, error)
	DropList(ctx context.Context, site postil.SiteID, list string, by postil.By) (int64, error)
}

// ruleRoutes is the part of the table below /api/v1/admin/rules. What a caller
// may do there depends on the rule, see rightFor.
func (s *Server) ruleRoutes() []route {
	if s.deps.Admin.Book == nil {
		return nil
	}
	return []route{
		s.admin("GET", "/rules", auth.Read, s.adminRules),
		s.admin("POST", "/rules", auth.Decide, s.adminAddRule),
		s.admin("DELETE", "/rules", auth.Manage, s.adminDropList),
		s.admin("POST", "/rules/import", auth.Manage, s.adminImportRules),
		s.admin("DELETE", "/rules/:id", auth.Decide, s.adminRemoveRule),
	}
}

// ruleJSON is a ban, a trust or an entry of a list.
type ruleJSON struct {
	ID        string             `json:"id"`
	Site      *string            `json:"site"` // null: every site
	Kind      postil.SubjectKind `json:"kind"`
	Value     string             `json:"value"` // as it is compared
	Shown     string             `json:"shown"` // as people read it
	Effect    postil.Effect      `json:"effect"`
	Reason    *string            `json:"reason"`
	List      *string            `json:"list"`  // it was imported with
	Until     *string            `json:"until"` // null: for ever
	By        string             `json:"by"`
	CreatedAt string             `json:"created_at"`
}

func ruleOf(r postil.Ruling) ruleJSON {
	return ruleJSON{ID: r.ID.String(), Site: orNull(string(r.Site)), Kind: r.Subject.Kind, Value: r.Subject.Value, Shown: r.Shown, Effect: r.Effect,
		Reason: orNull(r.Reason), List: orNull(r.List), Until: stampOrNull(r.Until), By: called(r.By), CreatedAt: stamp(r.Created)}
}

// ruleListJSON is an imported list.
type ruleListJSON struct {
	Name      string             `json:"name"`
	Site      *string            `json:"site"`
	Kind      postil.SubjectKind `json:"kind"`
	Effect    postil.Effect      `json:"effect"`
	Entries   int                `json:"entries"`
	CreatedAt string             `json:"created_at"`
}

// rightFor is what it takes to lay down or take back a rule. Who may decide
// about a comment may also decide about its author; lists are the admin's.
func rightFor(kind postil.SubjectKind, effect postil.Effect) auth.Action {
	switch {
	case kind == postil.OnWord || kind == postil.OnHost:
		return auth.Manage
	case effect == postil.EffectBan || effect == postil.EffectTrust || effect == postil.EffectHold:
		return auth.Decide
	}
	return auth.Manage
}

// adminRules is GET /api/v1/admin/rules: the newest rules first, without the
// entries of imported lists, which list=NAME shows, and a line for each list.
func (s *Server) adminRules(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	f := postil.RulingFilter{List: q.Get("list")}
	site, err := s.siteFor(c, p, auth.Read, q.Get("site"))
	if err != nil {
		return err
	}
	if site != "" {
		f.Sites = []postil.SiteID{site}
	}
	limit, err := number(q, "limit", defaultListed, maxListed)
	if err != nil {
		return err
	}
	if before, err := cursorOf(q); err != nil {
		return err
	} else if f.Limit = limit + 1; before != 0 {
		f.Before = postil.RulingID(before)
	}
	return s.answerRules(c, f, limit)
}

func cursorOf(q url.Values) (int64, error) {
	raw := q.Get("cursor")
	if raw == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || n < 1 {
		return 0, postil.InvalidField("cursor", "That is no cursor of this list. Take next_cursor of a page, or ask without one.")
	}
	return n, nil
}

func (s *Server) answerRules(c echo.Context, f postil.RulingFilter, limit int) error {
	rules, err := s.deps.Admin.Rules.Rulings(c.Request().Context(), f)
	if err != nil {
		return err
	}
	out := struct {
		Rules      []ruleJSON     `json:"rules"`
		Lists      []ruleListJSON `json:"lists"`
		NextCursor *string        `json:"next_cursor"`
	}{[]ruleJSON{}, []ruleListJSON{}, nil}
	for i, r := range rules {
		if i == limit {
			out.NextCursor = orNull(rules[limit-1].ID.String())
			break
		}
		out.Rules = append(out.Rules, ruleOf(r))
	}
	lists, err := s.deps.Admin.Rules.RulingLists(c.Request().Context())
	if err != nil {
		return err
	}
	for _, l := range lists {
		if len(f.Sites) == 0 || l.Site == "" || l.Site == f.Sites[0] {
			out.Lists = append(out.Lists, ruleListJSON{l.Name, orNull(string(l.Site)), l.Kind, l.Effect, l.Entries, stamp(l.Created)})
		}
	}
	return answer(c, http.StatusOK, jsonType, out)
}

// ruleIn is a new rule: about the author of a comment (effect ban or trust), or
// about what kind and value name.
type ruleIn struct {
	Comment string `json:"comment"`
	Site    string `json:"site"` // "": every site that the caller may touch
	Kind    string `json:"kind"`
	Value   string `json:"value"`
	Effect  string `json:"effect"`
	Reason  string `json:"reason"`
	Until   string `json:"until"` // RFC 3339; "": for ever
}

// adminAddRule is POST /api/v1/admin/rules. A rule takes the place of the one
// that its subject had.
func (s *Server) adminAddRule(c echo.Context, p auth.Principal) error {
	var in ruleIn
	if _, err := bind(c, &in); err != nil {
		return err
	}
	until, err := untilOf(in.Until)
	if err != nil {
		return err
	}
	var r postil.Ruling
	if in.Comment != "" {
		r, err = s.ruleOnAuthor(c, p, in, until)
	} else {
		r, err = s.ruleOnSubject(c, p, in, until)
	}
	if err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, ruleOf(r))
}

func untilOf(raw string) (time.Time, error) {
	if raw == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, raw)
	if err != nil {
		return t, postil.InvalidField("until", "“until” is a time such as 2027-01-31T12:00:00Z, or is left out for a rule that stays.")
	}
	return t, nil
}

func (s *Server) ruleOnAuthor(c echo.Context, p auth.Principal, in ruleIn, until time.Time) (r postil.Ruling, err error) {
	id, err := postil.ParseCommentID(in.Comment)
	if err != nil {
		return r, err
	}
	ctx := c.Request().Context()
	comment, err := s.deps.Admin.Records.Comment(ctx, id)
	if err != nil {
		return r, err
	}
	if err := p.May(auth.Decide, comment.Site); err != nil {
		return r, err
	}
	switch postil.Effect(in.Effect) {
	case postil.EffectBan:
		return s.deps.Admin.Book.BanAuthor(ctx, id, until, in.Reason, p.By)
	case postil.EffectTrust:
		return s.deps.Admin.Book.TrustAuthor(ctx, id, p.By)
	}
	return r, postil.InvalidField("effect", "A rule about the author of a comment is ban or trust.")
}

func (s *Server) ruleOnSubject(c echo.Context, p auth.Principal, in ruleIn, until time.Time) (postil.Ruling, error) {
	r := postil.Ruling{Subject: postil.Subject{Kind: postil.SubjectKind(in.Kind), Value: in.Value}, Effect: postil.Effect(in.Effect), Reason: in.Reason, Until: until}
	if _, err := r.Check(); err != nil {
		return r, err
	}
	action := rightFor(r.Subject.Kind, r.Effect)
	var err error
	if r.Site, err = s.siteFor(c, p, action, in.Site); err != nil {
		return r, err
	}
	if err := p.May(action, r.Site); err != nil {
		return r, err
	}
	return s.deps.Admin.Book.Lay(c.Request().Context(), r, p.By)
}

// adminRemoveRule is DELETE /api/v1/admin/rules/{id}.
func (s *Server) adminRemoveRule(c echo.Context, p auth.Principal) error {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	r, err := s.deps.Admin.Rules.Ruling(ctx, postil.RulingID(id))
	if err != nil {
		return err
	}
	if err := p.May(rightFor(r.Subject.Kind, r.Effect), r.Site); err != nil {
		return err
	}
	if _, err := s.deps.Admin.Book.Lift(ctx, r.ID, p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// importIn is a part of a public block list.
type importIn struct {
	Site    string   `json:"site"`
	List    string   `json:"list"`
	Kind    string   `json:"kind"`
	Entries []string `json:"entries"`
}

// adminImportRules is POST /api/v1/admin/rules/import: entries of a public block
// list. They are doubts and decide nothing alone. A list that is longer than a
// body may be is sent in parts under one name.
func (s *Server) adminImportRules(c echo.Context, p auth.Principal) error {
	var in importIn
	if _, err := bind(c, &in); err != nil {
		return err
	}
	site, err := s.siteFor(c, p, auth.Manage, in.Site)
	if err != nil {
		return err
	}
	if err := p.May(auth.Manage, site); err != nil {
		return err
	}
	inForce, skipped, err := s.deps.Admin.Book.Import(c.Request().Context(), in.List, site, postil.SubjectKind(in.Kind), in.Entries, p.By)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, struct {
		List    string `json:"list"`
		Entries int    `json:"entries"` // that count now through this list
		Skipped int    `json:"skipped"` // lines that are no entry
	}{in.List, inForce, skipped})
}

// adminDropList is DELETE /api/v1/admin/rules?list=NAME: a list as a whole.
func (s *Server) adminDropList(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	site, err := s.siteFor(c, p, auth.Manage, q.Get("site"))
	if err != nil {
		return err
	}
	if err := p.May(auth.Manage, site); err != nil {
		return err
	}
	if _, err := s.deps.Admin.Rules.DropList(c.Request().Context(), site, q.Get("list"), p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
