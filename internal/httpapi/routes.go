package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// route is one row of the table of contents.
type route struct {
	method string
	path   string // below the public URL
	handle echo.HandlerFunc
}

// Where the routes of one site stand.
const sitePath = "/api/v1/sites/:site"

// table is everything the service answers, but for OPTIONS below sitePath, which
// mount adds. read and tracked, in tracked.go, are the two kinds of routes.
func (s *Server) table() []route {
	rows := []route{
		// Reading: cacheable, the same for everybody.
		{"GET", sitePath + "/comments", s.read(s.thread)},
		{"GET", sitePath + "/counts", s.read(s.counts)},
		{"GET", sitePath + "/recent", s.read(s.recent)},
		{"HEAD", sitePath + "/comments", s.read(s.thread)},
		{"HEAD", sitePath + "/counts", s.read(s.counts)},
		{"HEAD", sitePath + "/recent", s.read(s.recent)},
		{"GET", sitePath + "/stream", s.tracked(s.stream)},

		// Writing.
		{"POST", sitePath + "/comments", s.tracked(s.post)},
		{"POST", sitePath + "/preview", s.tracked(s.preview)},
		{"POST", sitePath + "/comments/own", s.tracked(s.own)},
		{"PATCH", sitePath + "/comments/:id", s.tracked(s.edit)},
		{"DELETE", sitePath + "/comments/:id", s.tracked(s.remove)},
		{"PUT", sitePath + "/comments/:id/reactions/:emoji", s.tracked(s.react)},
		{"DELETE", sitePath + "/comments/:id/reactions/:emoji", s.tracked(s.unreact)},
		{"POST", sitePath + "/comments/:id/reports", s.tracked(s.report)},
		{"GET", sitePath + "/form", s.tracked(s.form)},

		{"GET", "/api/openapi.json", s.tracked(s.openAPI)},

		// Files.
		{"GET", "/widget.js", s.read(s.bundle)},
		{"GET", "/count.js", s.read(s.bundle)},
		{"GET", "/views.js", s.read(s.bundle)},
		{"GET", "/question.js", s.read(s.bundle)},
		{"GET", "/widget.v:n", s.read(s.bundle)},
		{"HEAD", "/widget.js", s.read(s.bundle)},
		{"HEAD", "/count.js", s.read(s.bundle)},
		{"HEAD", "/views.js", s.read(s.bundle)},
		{"HEAD", "/question.js", s.read(s.bundle)},
		{"HEAD", "/widget.v:n", s.read(s.bundle)},
		{"GET", "", s.tracked(s.home)},
		{"GET", "/", s.tracked(s.home)},
		{"HEAD", "/", s.tracked(s.home)},

		// Operations.
		{"GET", "/healthz", s.tracked(s.healthz)},
		{"HEAD", "/healthz", s.tracked(s.healthz)},
		{"GET", "/readyz", s.tracked(s.readyz)},
		{"HEAD", "/readyz", s.tracked(s.readyz)},
	}
	rows = append(rows, s.pageRoutes()...)
	rows = append(rows, s.lightRoutes()...)
	rows = append(rows, append(s.probeRoutes(), s.privacyRoutes()...)...)
	rows = append(rows, s.flagRoutes()...)
	rows = append(rows, s.optionalRoutes()...)
	rows = append(rows, s.deskRoutes()...)
	return append(rows, s.adminRoutes()...)
}

// optionalRoutes are those whose part may be absent.
func (s *Server) optionalRoutes() []route {
	var rows []route
	if s.deps.Metrics != nil {
		rows = append(rows, route{"GET", "/metrics", s.tracked(s.metrics)})
	}
	if s.contact != "" {
		rows = append(rows, route{"GET", "/.well-known/security.txt", s.tracked(s.securityTxt)})
	}
	if s.deps.Demo != nil {
		rows = append(rows, route{"GET", "/demo", s.tracked(s.toDemo)}, route{"GET", "/demo/*", s.demo}, route{"HEAD", "/demo/*", s.demo})
	}
	for name, hook := range s.deps.Hooks {
		rows = append(rows, route{"POST", "/hooks/" + name, s.tracked(s.hook(hook))})
	}
	return rows
}

// mount registers the table at the root and under the path of the public URL.
func (s *Server) mount() {
	e := echo.New()
	e.HTTPErrorHandler = s.lastResort
	e.IPExtractor = func(r *http.Request) string {
		return s.deps.Clients.ClientIP(r.RemoteAddr, r.Header).String()
	}
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{
		DisableErrorHandler: true, DisableStackAll: true, LogErrorFunc: panicked,
	}))
	e.Pre(endChunked)
	rows := s.table()
	for path, methods := range sitePaths(rows) {
		rows = append(rows, route{"OPTIONS", path, s.tracked(s.preflight(methods))})
	}
	for _, prefix := range slices.Compact([]string{"", s.prefix}) {
		for _, r := range rows {
			if path := prefix + r.path; path != "" {
				e.Add(r.method, path, r.handle)
			}
		}
	}
	s.echo = e
}

// endChunked ends the connection of a request in chunks. No browser sends one,
// and where a length stands beside the chunks, a proxy may have read another
// end of the request than we do: what follows it is not to be believed.
func endChunked(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if len(c.Request().TransferEncoding) > 0 {
			c.Response().Header().Set("Connection", "close")
		}
		return next(c)
	}
}

// sitePaths lists the methods of each path that pages on other origins use.
func sitePaths(rows []route) map[string][]string {
	methods := map[string][]string{}
	for _, r := range rows {
		if strings.HasPrefix(r.path, sitePath) {
			methods[r.path] = append(methods[r.path], r.method)
		}
	}
	return methods
}

// Routes lists method and path of every route below the public URL, sorted, for
// whoever describes the API.
func (s *Server) Routes() []string {
	var lines []string
	for _, r := range s.table() {
		lines = append(lines, r.method+" "+r.path)
	}
	slices.Sort(lines)
	return lines
}
