package httpapi

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// mostDeliveries is how many deliveries one answer lists.
const mostDeliveries = 100

// webhookJSON is a webhook without its secret.
type webhookJSON struct {
	ID              string               `json:"id"`
	Name            string               `json:"name"`
	Site            *string              `json:"site"` // null: every site
	URL             string               `json:"url"`
	Format          postil.WebhookFormat `json:"format"`
	Events          []string             `json:"events"` // empty: all
	Active          bool                 `json:"active"`
	CreatedAt       string               `json:"created_at"`
	SecretRotatedAt *string              `json:"secret_rotated_at"`
}

func webhookOf(w postil.Webhook) webhookJSON {
	return webhookJSON{strconv.FormatInt(w.ID, 10), w.Name, orNull(string(w.Site)), w.URL, w.Format, append([]string{}, w.Events...), w.Active,
		stamp(w.Created), stampOrNull(w.Rotated)}
}

// deliveryJSON is an event that a webhook is, was or will be told.
type deliveryJSON struct {
	ID        string               `json:"id"`
	Event     string               `json:"event"`
	Comment   string               `json:"comment_id"`
	State     postil.DeliveryState `json:"state"`
	Attempts  int                  `json:"attempts"`
	Status    *int                 `json:"status"` // of the last answer, null when there was none
	Problem   *string              `json:"problem"`
	CreatedAt string               `json:"created_at"`
	DueAt     *string              `json:"due_at"` // null unless it is still to be sent
}

func deliveryOf(d postil.Delivery) deliveryJSON {
	out := deliveryJSON{ID: strconv.FormatInt(d.ID, 10), Event: d.Event.HookEvent(), Comment: d.Event.Comment.String(), State: d.State, Attempts: d.Attempts,
		Problem: orNull(d.Problem), CreatedAt: stamp(d.Created)}
	if d.Status != 0 {
		out.Status = &d.Status
	}
	if d.State == postil.DeliveryDue {
		out.DueAt = stampOrNull(d.Due)
	}
	return out
}

// adminWebhooks is GET /api/v1/admin/webhooks.
func (s *Server) adminWebhooks(c echo.Context, p auth.Principal) error {
	hooks, err := s.deps.Admin.Webhooks.Webhooks(c.Request().Context())
	if err != nil {
		return err
	}
	out := []webhookJSON{}
	for _, w := range hooks {
		if p.May(auth.Manage, w.Site) == nil {
			out = append(out, webhookOf(w))
		}
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"webhooks": out})
}

// webhookIn is a new webhook or what is to change of one.
type webhookIn struct {
	Name   *string   `json:"name"`
	Site   string    `json:"site"`
	URL    *string   `json:"url"`
	Format *string   `json:"format"`
	Events *[]string `json:"events"`
	Active *bool     `json:"active"`
}

// apply changes what is named and checks the whole.
func (in webhookIn) apply(w *postil.Webhook) (err error) {
	if in.Name != nil {
		if w.Name, err = label(*in.Name); err != nil {
			return err
		}
	}
	if in.URL != nil {
		w.URL = *in.URL
	}
	if in.Format != nil {
		w.Format = postil.WebhookFormat(*in.Format)
	}
	if in.Events != nil {
		w.Events = *in.Events
	}
	if in.Active != nil {
		w.Active = *in.Active
	}
	return w.Check()
}

// adminAddWebhook is POST /api/v1/admin/webhooks. Its answer and that of a
// rotation are the only places where the secret is shown.
func (s *Server) adminAddWebhook(c echo.Context, p auth.Principal) error {
	var in webhookIn
	if _, err := bind(c, &in); err != nil {
		return err
	}
	site, err := s.siteFor(c, p, auth.Manage, in.Site)
	if err != nil {
		return err
	}
	w := postil.Webhook{Name: "webhook", Site: site, Format: postil.PlainJSON, Active: true}
	if err := in.apply(&w); err != nil {
		return err
	}
	if w, err = s.deps.Admin.Webhooks.AddWebhook(c.Request().Context(), w, p.By); err != nil {
		return err
	}
	return s.withSecret(c, http.StatusCreated, w)
}

func (s *Server) withSecret(c echo.Context, status int, w postil.Webhook) error {
	return answer(c, status, jsonType, struct {
		Webhook webhookJSON `json:"webhook"`
		Secret  string      `json:"secret"`
	}{webhookOf(w), s.deps.Admin.Hooks.Secret(w)})
}

// webhook returns the webhook that a request names, if its caller may manage it.
func (s *Server) webhook(c echo.Context, p auth.Principal) (w postil.Webhook, err error) {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return w, err
	}
	if w, err = s.deps.Admin.Webhooks.Webhook(c.Request().Context(), id); err != nil {
		return w, err
	}
	return w, p.May(auth.Manage, w.Site)
}

// adminWebhook is GET /api/v1/admin/webhooks/{id}.
func (s *Server) adminWebhook(c echo.Context, p auth.Principal) error {
	w, err := s.webhook(c, p)
	if err != nil {
		return err
	}
	return resource(c, map[string]any{"webhook": webhookOf(w)})
}

// adminSetWebhook is PATCH /api/v1/admin/webhooks/{id}. The site stays: what is
// told of one must not begin to be told of another.
func (s *Server) adminSetWebhook(c echo.Context, p auth.Principal) error {
	var in webhookIn
	if _, err := bind(c, &in); err != nil {
		return err
	}
	w, err := s.webhook(c, p)
	if err != nil {
		return err
	}
	if w, err = s.deps.Admin.Webhooks.SetWebhook(c.Request().Context(), w.ID, p.By, in.apply); err != nil {
		return err
	}
	s.deps.Admin.Hooks.Wake()
	return answer(c, http.StatusOK, jsonType, map[string]any{"webhook": webhookOf(w)})
}

// adminRemoveWebhook is DELETE /api/v1/admin/webhooks/{id}.
func (s *Server) adminRemoveWebhook(c echo.Context, p auth.Principal) error {
	w, err := s.webhook(c, p)
	if err != nil {
		return err
	}
	if err := s.deps.Admin.Webhooks.RemoveWebhook(c.Request().Context(), w.ID, p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// adminRotateWebhook is POST /api/v1/admin/webhooks/{id}/secret: a new secret.
// The one before signs beside it for a day.
func (s *Server) adminRotateWebhook(c echo.Context, p auth.Principal) error {
	w, err := s.webhook(c, p)
	if err != nil {
		return err
	}
	w, err = s.deps.Admin.Webhooks.SetWebhook(c.Request().Context(), w.ID, p.By, func(w *postil.Webhook) error { w.Version++; return nil })
	if err != nil {
		return err
	}
	return s.withSecret(c, http.StatusOK, w)
}

// adminTestWebhook is POST /api/v1/admin/webhooks/{id}/test: a sample is sent
// at once, and the answer says what became of it.
func (s *Server) adminTestWebhook(c echo.Context, p auth.Principal) error {
	w, err := s.webhook(c, p)
	if err != nil {
		return err
	}
	status, took, problem := s.deps.Admin.Hooks.Test(c.Request().Context(), w)
	out := struct {
		OK      bool    `json:"ok"`
		Status  *int    `json:"status"`
		TookMS  int64   `json:"took_ms"`
		Problem *string `json:"problem"`
	}{OK: problem == "", TookMS: took.Milliseconds(), Problem: orNull(problem)}
	if status != 0 {
		out.Status = &status
	}
	return answer(c, http.StatusOK, jsonType, out)
}

// adminDeliveries is GET /api/v1/admin/webhooks/{id}/deliveries?state&before:
// the latest first. Dead ones are those that were given up.
func (s *Server) adminDeliveries(c echo.Context, p auth.Principal) error {
	w, err := s.webhook(c, p)
	if err != nil {
		return err
	}
	state := postil.DeliveryState(c.QueryParam("state"))
	switch state {
	case "", postil.DeliveryDue, postil.DeliveryDone, postil.DeliveryDead:
	default:
		return postil.InvalidField("state", "A delivery is due, done or dead.")
	}
	var before int64
	if raw := c.QueryParam("before"); raw != "" {
		if before, err = rowID(raw); err != nil {
			return postil.InvalidField("before", "“before” is the id of a delivery.")
		}
	}
	list, err := s.deps.Admin.Webhooks.Deliveries(c.Request().Context(), w.ID, state, before, mostDeliveries)
	if err != nil {
		return err
	}
	out := []deliveryJSON{}
	for _, d := range list {
		out = append(out, deliveryOf(d))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"deliveries": out})
}

// adminReplay is POST /api/v1/admin/webhooks/{id}/replay {"ids"?}: deliveries
// are sent again; those named, or all that were given up.
func (s *Server) adminReplay(c echo.Context, p auth.Principal) error {
	var in struct {
		IDs []string `json:"ids"`
	}
	if c.Request().ContentLength != 0 {
		if _, err := bind(c, &in); err != nil {
			return err
		}
	}
	w, err := s.webhook(c, p)
	if err != nil {
		return err
	}
	var ids []int64
	for _, raw := range in.IDs {
		id, err := rowID(raw)
		if err != nil {
			return postil.InvalidField("ids", "“%s” is no id of a delivery.", postil.CleanTitle(raw))
		}
		ids = append(ids, id)
	}
	n, err := s.deps.Admin.Webhooks.Replay(c.Request().Context(), w.ID, ids, p.By)
	if err != nil {
		return err
	}
	s.deps.Admin.Hooks.Wake()
	return answer(c, http.StatusOK, jsonType, map[string]any{"replayed": n})
}
