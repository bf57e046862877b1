package httpapi

import (
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// healthz is GET /healthz: the process is up.
func (s *Server) healthz(c echo.Context) error {
	return answer(c, http.StatusOK, jsonType, map[string]string{"status": "ok"})
}

// readyz is GET /readyz: 503 only when comments cannot be accepted.
func (s *Server) readyz(c echo.Context) error {
	report := s.deps.Ready(c.Request().Context())
	status := http.StatusOK
	if !report.Accepting {
		status = http.StatusServiceUnavailable
		c.Response().Header().Set("Retry-After", "2")
	}
	if report.Checks == nil {
		report.Checks = map[string]string{}
	}
	return answer(c, status, jsonType, struct {
		Status string            `json:"status"`
		Checks map[string]string `json:"checks"`
		Backup *string           `json:"last_backup,omitempty"`
	}{report.Status, report.Checks, stampOrNull(report.Backup)})
}

// securityTxt is GET /.well-known/security.txt (RFC 9116): whom to tell of a
// weakness.
func (s *Server) securityTxt(c echo.Context) error {
	expires := time.Now().UTC().AddDate(0, 6, 0).Truncate(24 * time.Hour).Format(time.RFC3339)
	return c.String(http.StatusOK, "Contact: "+s.contact+"\nExpires: "+expires+"\nPreferred-Languages: en\n")
}

// metrics is GET /metrics, for the machine itself. A request that a proxy
// passed on comes from elsewhere even when the proxy is not known to us.
func (s *Server) metrics(c echo.Context) error {
	r := c.Request()
	client := s.deps.Clients.ClientIP(r.RemoteAddr, r.Header)
	passedOn := r.Header.Get("X-Forwarded-For") + r.Header.Get("Forwarded") + r.Header.Get("Via")
	if !client.IsLoopback() || passedOn != "" {
		return postil.Missing()
	}
	s.deps.Metrics.ServeHTTP(c.Response(), r)
	return nil
}

// home is GET /: where to go from here.
func (s *Server) home(c echo.Context) error {
	if s.deps.Demo != nil {
		return s.redirect(c, "demo/")
	}
	return c.String(http.StatusOK, "This is Postil, a comment service for blogs. There is nothing to see at this address.\n")
}

// toDemo is GET /demo.
func (s *Server) toDemo(c echo.Context) error { return s.redirect(c, "demo/") }

// redirect sends the browser to a place beside the current address: relative,
// because only the proxy knows what stands before it.
func (s *Server) redirect(c echo.Context, place string) error {
	if p := c.Request().URL.Path; p == s.prefix && p != "" {
		place = path.Base(p) + "/" + place
	}
	return c.Redirect(http.StatusFound, place)
}

// demo serves the demo blog.
func (s *Server) demo(c echo.Context) error {
	r := c.Request()
	at := strings.Index(r.URL.Path, "/demo/")
	http.StripPrefix(r.URL.Path[:at+len("/demo")], s.deps.Demo).ServeHTTP(c.Response(), r)
	return nil
}

// hook passes on what a foreign service reports; its handler knows how to tell
// the sender from a stranger.
func (s *Server) hook(h http.Handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		r.Body = http.MaxBytesReader(c.Response().Writer, r.Body, maxHook)
		h.ServeHTTP(c.Response(), r)
		return nil
	}
}

// maxHook is how many bytes a hook may send.
const maxHook = 1 << 20
