package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// SettingPlans keeps changes of settings that are to happen later.
type SettingPlans interface {
	Plan(ctx context.Context, ch postil.SettingChange, at time.Time) (postil.SettingPlan, error)
	// Planned returns the changes of a kind and a name, of all when they are "".
	Planned(ctx context.Context, kind postil.SettingKind, name string) ([]postil.SettingPlan, error)
	Drop(ctx context.Context, id int64, by postil.By) error
}

// planJSON is a change that is to happen.
type planJSON struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"` // "config" or "flag"
	Name   string          `json:"name"`
	At     string          `json:"at"`
	Site   *string         `json:"site"`
	Value  json.RawMessage `json:"value"`
	By     string          `json:"by"`
	Reason *string         `json:"reason"`
}

func planOf(p postil.SettingPlan) planJSON {
	return planJSON{strconv.FormatInt(p.ID, 10), string(p.Kind), p.Name, stamp(p.Due), orNull(string(p.Site)), p.Value, called(p.By), orNull(p.Reason)}
}

// plan keeps a change for its time.
func (s *Server) plan(c echo.Context, ch postil.SettingChange, raw string) error {
	at, err := moment("at", raw)
	if err != nil {
		return err
	}
	p, err := s.deps.Admin.Plans.Plan(c.Request().Context(), ch, at)
	if err != nil {
		return err
	}
	return answer(c, http.StatusAccepted, jsonType, planOf(p))
}

// adminAllPlans is GET /api/v1/admin/plans: what is to happen to any setting or
// flag, the next first.
func (s *Server) adminAllPlans(c echo.Context, p auth.Principal) error {
	return s.answerPlans(c, p, "", "")
}

// adminPlans is GET …/{name}/plans. Who is bound to a site sees its plans and
// those of everywhere.
func (s *Server) adminPlans(kind postil.SettingKind) adminHandler {
	return func(c echo.Context, p auth.Principal) error {
		if kind == postil.ConfigSetting {
			if _, err := s.entry(c.Param("name")); err != nil {
				return err
			}
		}
		return s.answerPlans(c, p, kind, c.Param("name"))
	}
}

func (s *Server) answerPlans(c echo.Context, p auth.Principal, kind postil.SettingKind, name string) error {
	all, err := s.deps.Admin.Plans.Planned(c.Request().Context(), kind, name)
	if err != nil {
		return err
	}
	out := []planJSON{}
	for _, v := range all {
		if v.Site == "" || p.May(auth.Read, v.Site) == nil {
			out = append(out, planOf(v))
		}
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"plans": out})
}

// adminDropPlan is DELETE …/{name}/plans/{id}.
func (s *Server) adminDropPlan(kind postil.SettingKind) adminHandler {
	return func(c echo.Context, p auth.Principal) error {
		all, err := s.deps.Admin.Plans.Planned(c.Request().Context(), kind, c.Param("name"))
		if err != nil {
			return err
		}
		for _, v := range all {
			if strconv.FormatInt(v.ID, 10) != c.Param("id") {
				continue
			}
			if err := p.May(auth.Manage, v.Site); err != nil {
				return err
			}
			if err := s.deps.Admin.Plans.Drop(c.Request().Context(), v.ID, p.By); err != nil {
				return err
			}
			return c.NoContent(http.StatusNoContent)
		}
		return postil.Missing()
	}
}
