package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// deskRoutes are those of the admin page, which has a table of its own.
func (s *Server) deskRoutes() []route {
	if s.deps.Desk == nil {
		return nil
	}
	return []route{
		{"GET", "/admin", s.tracked(s.toDesk)},
		{"GET", "/admin/*", s.tracked(s.desk)},
		{"HEAD", "/admin/*", s.tracked(s.desk)},
		{"POST", "/admin/*", s.tracked(s.desk)},
	}
}

// toDesk is GET /admin.
func (s *Server) toDesk(c echo.Context) error { return s.redirect(c, "admin/") }

// desk answers a page or a form of the admin page.
func (s *Server) desk(c echo.Context) error {
	if err := s.fenced(c); err != nil {
		return err
	}
	r := c.Request()
	r = r.WithContext(context.WithValue(r.Context(), clientKey{}, s.clientOf(c)))
	at := strings.Index(r.URL.Path, "/admin/")
	http.StripPrefix(r.URL.Path[:at+len("/admin")], s.deps.Desk).ServeHTTP(c.Response(), r)
	return nil
}
