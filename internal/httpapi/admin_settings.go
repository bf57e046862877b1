package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// SettingRegister keeps what is decided while the service runs.
type SettingRegister interface {
	Catalog() []postil.SettingEntry
	// Effective returns what an entry is for a site, NotFound for an unknown one.
	Effective(name string, site postil.SiteID) (json.RawMessage, error)
	// Values returns what is not the default, of one name unless it is "".
	Values(kind postil.SettingKind, name string) []postil.Setting
	// Set checks and stores a change; the next request sees it.
	Set(ctx context.Context, ch postil.SettingChange) (postil.SettingRevision, error)
	History(ctx context.Context, kind postil.SettingKind, name string, before int64, limit int) ([]postil.SettingRevision, error)
	// Rollback takes the last change back.
	Rollback(ctx context.Context, k postil.SettingKey, by postil.By, reason string) (postil.SettingRevision, error)
}

// adminSettings is the part of the admin's table for configuration and flags.
func (s *Server) adminSettings() []route {
	if s.deps.Admin.Settings == nil {
		return nil
	}
	rows := []route{
		s.admin("GET", "/config", auth.Read, s.adminConfigs),
		s.admin("GET", "/config/:name", auth.Read, s.adminConfig),
		s.admin("PUT", "/config/:name", auth.Manage, s.adminSetConfig),
		s.admin("POST", "/config/:name/preview", auth.Manage, s.adminForetell),
		s.admin("GET", "/plans", auth.Read, s.adminAllPlans),
		s.admin("GET", "/flags", auth.Read, s.adminFlags),
		s.admin("GET", "/flags/:name", auth.Read, s.adminFlag),
		s.admin("PUT", "/flags/:name", auth.Manage, s.adminSetFlag),
		s.admin("DELETE", "/flags/:name", auth.Manage, s.adminRemoveFlag),
	}
	for path, kind := range map[string]postil.SettingKind{"/config/:name": postil.ConfigSetting, "/flags/:name": postil.FlagSetting} {
		rows = append(rows,
			s.admin("GET", path+"/plans", auth.Read, s.adminPlans(kind)),
			s.admin("DELETE", path+"/plans/:id", auth.Manage, s.adminDropPlan(kind)),
			s.admin("GET", path+"/history", auth.Read, s.adminHistory(kind)),
			s.admin("POST", path+"/rollback", auth.Manage, s.adminRollback(kind)))
	}
	return rows
}

// configJSON is an entry of the configuration with its values.
type configJSON struct {
	Name     string                            `json:"name"`
	Doc      string                            `json:"doc"`
	Type     string                            `json:"type"`
	Unit     *string                           `json:"unit"`
	Bounds   map[string]any                    `json:"bounds,omitempty"`
	PerSite  bool                              `json:"per_site"`
	Default  json.RawMessage                   `json:"default"`
	Value    json.RawMessage                   `json:"value"` // what counts: for the site that was asked for, or everywhere
	Site     *string                           `json:"site"`  // that was asked for
	Own      map[postil.SiteID]json.RawMessage `json:"sites"` // values of single sites
	Revision int64                             `json:"revision"`
	Foretold bool                              `json:"preview"` // POST …/preview tells what a change would do
}

func (s *Server) configOf(e postil.SettingEntry, site postil.SiteID, p auth.Principal) (configJSON, error) {
	out := configJSON{Name: e.Name, Doc: e.Doc, Type: e.Type, Unit: orNull(e.Unit), Bounds: e.Bounds, PerSite: e.PerSite, Default: e.Default,
		Site: orNull(string(site)), Own: map[postil.SiteID]json.RawMessage{}, Foretold: s.foretells(e.Name)}
	for _, v := range s.deps.Admin.Settings.Values(postil.ConfigSetting, e.Name) {
		if v.Site != "" && p.May(auth.Read, v.Site) == nil {
			out.Own[v.Site] = v.Value
		}
		if v.Site == "" || v.Site == site {
			out.Revision = max(out.Revision, v.Revision)
		}
	}
	var err error
	out.Value, err = s.deps.Admin.Settings.Effective(e.Name, site)
	return out, err
}

// settingSite reads the site of the query.
func (s *Server) settingSite(c echo.Context, p auth.Principal, action auth.Action) (postil.SiteID, error) {
	q, err := parameters(c.Request())
	if err != nil {
		return "", err
	}
	return s.siteFor(c, p, action, q.Get("site"))
}

// adminConfigs is GET /api/v1/admin/config.
func (s *Server) adminConfigs(c echo.Context, p auth.Principal) error {
	site, err := s.settingSite(c, p, auth.Read)
	if err != nil {
		return err
	}
	out := []configJSON{}
	for _, e := range s.deps.Admin.Settings.Catalog() {
		v, err := s.configOf(e, site, p)
		if err != nil {
			return err
		}
		out = append(out, v)
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"config": out})
}

func (s *Server) entry(name string) (postil.SettingEntry, error) {
	for _, e := range s.deps.Admin.Settings.Catalog() {
		if e.Name == name {
			return e, nil
		}
	}
	return postil.SettingEntry{}, postil.Missing()
}

// adminConfig is GET /api/v1/admin/config/{name}.
func (s *Server) adminConfig(c echo.Context, p auth.Principal) error {
	e, err := s.entry(c.Param("name"))
	if err != nil {
		return err
	}
	site, err := s.settingSite(c, p, auth.Read)
	if err != nil {
		return err
	}
	v, err := s.configOf(e, site, p)
	if err != nil {
		return err
	}
	return resource(c, v)
}

func (s *Server) answerConfig(c echo.Context, e postil.SettingEntry, site postil.SiteID, p auth.Principal) error {
	v, err := s.configOf(e, site, p)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, v)
}

// settingIn is a change of an entry.
type settingIn struct {
	Value  json.RawMessage `json:"value"` // null: back to the default
	Site   string          `json:"site"`
	Reason string          `json:"reason"`
	At     string          `json:"at"` // when; absent: now
}

// adminSetConfig is PUT /api/v1/admin/config/{name}.
func (s *Server) adminSetConfig(c echo.Context, p auth.Principal) error {
	ch, in, err := s.changeOf(c, p)
	if err != nil {
		return err
	}
	if in.At != "" {
		return s.plan(c, ch, in.At)
	}
	if _, err := s.deps.Admin.Settings.Set(c.Request().Context(), ch); err != nil {
		return err
	}
	s.deps.Admin.changed(ch.Site)
	e, err := s.entry(ch.Name)
	if err != nil {
		return err
	}
	return s.answerConfig(c, e, ch.Site, p)
}

// changeOf reads a change of an entry, and checks the right to it.
func (s *Server) changeOf(c echo.Context, p auth.Principal) (ch postil.SettingChange, in settingIn, err error) {
	e, err := s.entry(c.Param("name"))
	if err != nil {
		return ch, in, err
	}
	if _, err := bind(c, &in); err != nil {
		return ch, in, err
	}
	if in.Value == nil {
		return ch, in, postil.InvalidField("value", "“value” is missing. Send null to go back to the default.")
	}
	site, err := s.settable(c, p, in.Site)
	key := postil.SettingKey{Kind: postil.ConfigSetting, Name: e.Name, Site: site}
	ch = postil.SettingChange{SettingKey: key, Value: in.Value, By: p.By, Reason: in.Reason}
	if err == nil {
		err = s.keepsInside(c, ch)
	}
	return ch, in, err
}

// settable reads the site of a change and checks the right to it.
func (s *Server) settable(c echo.Context, p auth.Principal, raw string) (postil.SiteID, error) {
	site, err := s.siteFor(c, p, auth.Manage, raw)
	if err == nil {
		err = p.May(auth.Manage, site)
	}
	return site, err
}

// flagJSON is a flag as its admins see it: how it was written, and its revision.
type flagJSON struct {
	Name      string          `json:"name"`
	Flag      json.RawMessage `json:"flag"`
	Revision  int64           `json:"revision"`
	ChangedAt string          `json:"changed_at"`
}

func flagOf(v postil.Setting) flagJSON {
	return flagJSON{v.Name, v.Value, v.Revision, stamp(v.At)}
}

// adminFlags is GET /api/v1/admin/flags.
func (s *Server) adminFlags(c echo.Context, _ auth.Principal) error {
	out := []flagJSON{}
	for _, v := range s.deps.Admin.Settings.Values(postil.FlagSetting, "") {
		out = append(out, flagOf(v))
	}
	slices.SortFunc(out, func(a, b flagJSON) int { return strings.Compare(a.Name, b.Name) })
	return answer(c, http.StatusOK, jsonType, map[string]any{"flags": out})
}

// adminFlag is GET /api/v1/admin/flags/{name}.
func (s *Server) adminFlag(c echo.Context, _ auth.Principal) error {
	values := s.deps.Admin.Settings.Values(postil.FlagSetting, c.Param("name"))
	if len(values) == 0 {
		return postil.Missing()
	}
	return resource(c, flagOf(values[0]))
}

// adminSetFlag is PUT /api/v1/admin/flags/{name}: the flag, with a reason beside
// its members, and with a time when it is to count later.
func (s *Server) adminSetFlag(c echo.Context, p auth.Principal) error {
	var in struct {
		Reason string `json:"reason"`
		At     string `json:"at"`
	}
	body, err := bindPart(c, &in)
	if err != nil {
		return err
	}
	if in.At != "" {
		if err := p.May(auth.Manage, ""); err != nil {
			return err
		}
		key := postil.SettingKey{Kind: postil.FlagSetting, Name: c.Param("name")}
		return s.plan(c, postil.SettingChange{SettingKey: key, Value: json.RawMessage(body), By: p.By, Reason: in.Reason}, in.At)
	}
	return s.changeFlag(c, p, body, in.Reason)
}

// adminRemoveFlag is DELETE /api/v1/admin/flags/{name}.
func (s *Server) adminRemoveFlag(c echo.Context, p auth.Principal) error {
	if err := p.May(auth.Manage, ""); err != nil {
		return err
	}
	if len(s.deps.Admin.Settings.Values(postil.FlagSetting, c.Param("name"))) == 0 {
		return postil.Missing()
	}
	return s.changeFlag(c, p, nil, "")
}

func (s *Server) changeFlag(c echo.Context, p auth.Principal, value json.RawMessage, reason string) error {
	if err := p.May(auth.Manage, ""); err != nil {
		return err
	}
	key := postil.SettingKey{Kind: postil.FlagSetting, Name: c.Param("name")}
	_, err := s.deps.Admin.Settings.Set(c.Request().Context(), postil.SettingChange{SettingKey: key, Value: value, By: p.By, Reason: reason})
	if err != nil {
		return err
	}
	if value == nil {
		return c.NoContent(http.StatusNoContent)
	}
	return s.adminFlag(c, p)
}

// revisionJSON is a line of the history.
type revisionJSON struct {
	Revision int64           `json:"revision"`
	Name     string          `json:"name"`
	Site     *string         `json:"site"`
	Before   json.RawMessage `json:"before"` // null: the default
	After    json.RawMessage `json:"after"`
	By       string          `json:"by"`
	Channel  postil.Channel  `json:"channel"`
	Reason   *string         `json:"reason"`
	Undoes   *int64          `json:"undoes"` // the revision that it took back
	At       string          `json:"at"`
}

func revisionOf(v postil.SettingRevision) revisionJSON {
	out := revisionJSON{v.Revision, v.Name, orNull(string(v.Site)), v.Before, v.After, called(v.By), v.By.Channel, orNull(v.Reason), nil, stamp(v.At)}
	if v.Undoes != 0 {
		out.Undoes = &v.Undoes
	}
	return out
}

// historyPage is how many changes are told at once.
const historyPage = 50

// adminHistory is GET …/{name}/history. Who is bound to a site sees its changes
// and those of everywhere.
func (s *Server) adminHistory(kind postil.SettingKind) adminHandler {
	return func(c echo.Context, p auth.Principal) error {
		q, err := parameters(c.Request())
		if err != nil {
			return err
		}
		before := int64(0)
		if raw := q.Get("before"); raw != "" {
			if before, err = strconv.ParseInt(raw, 10, 64); err != nil || before < 1 {
				return postil.InvalidField("before", "“before” is the number of a revision.")
			}
		}
		log, err := s.deps.Admin.Settings.History(c.Request().Context(), kind, c.Param("name"), before, historyPage)
		if err != nil {
			return err
		}
		out := []revisionJSON{}
		for _, v := range log {
			if v.Site == "" || p.May(auth.Read, v.Site) == nil {
				out = append(out, revisionOf(v))
			}
		}
		return answer(c, http.StatusOK, jsonType, map[string]any{"history": out})
	}
}

// adminRollback is POST …/{name}/rollback: what it was before the last change.
func (s *Server) adminRollback(kind postil.SettingKind) adminHandler {
	return func(c echo.Context, p auth.Principal) error {
		var in struct {
			Site   string `json:"site"`
			Reason string `json:"reason"`
		}
		if c.Request().ContentLength != 0 {
			if _, err := bind(c, &in); err != nil {
				return err
			}
		}
		site, err := s.settable(c, p, in.Site)
		if err == nil && kind == postil.FlagSetting {
			err = p.May(auth.Manage, "") // flags are those of every site
		}
		if err != nil {
			return err
		}
		rev, err := s.deps.Admin.Settings.Rollback(c.Request().Context(), postil.SettingKey{Kind: kind, Name: c.Param("name"), Site: site}, p.By, in.Reason)
		if err != nil {
			return err
		}
		s.deps.Admin.changed(site)
		return answer(c, http.StatusOK, jsonType, revisionOf(rev))
	}
}
