package httpapi

import (
	"context"
	"net/netip"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Fence says from where the admin API and the admin page may be used. The
// command line on the server is inside every fence.
type Fence interface {
	// Admits reports whether a client may. The zero address is a connection
	// without one.
	Admits(client netip.Addr) bool
	// Keeps fails when a change would shut out the client who makes it.
	Keeps(ch postil.SettingChange, client netip.Addr) error
}

// fenced refuses whoever is outside.
func (s *Server) fenced(c echo.Context) error {
	if s.deps.Admin.Fence == nil || isInside(c.Request().Context()) || s.deps.Admin.Fence.Admits(s.clientOf(c)) {
		return nil
	}
	return postil.Refuse("network", "The admin page and its API may not be used from your address. Use one of the networks in the setting admin.networks; whoever has shut everybody out opens it again on the server, through the socket in the data directory.")
}

// keepsInside refuses a change by which its author would be shut out.
func (s *Server) keepsInside(c echo.Context, ch postil.SettingChange) error {
	if _, local := auth.Local(c.Request().Context()); local || s.deps.Admin.Fence == nil {
		return nil
	}
	return s.deps.Admin.Fence.Keeps(ch, s.clientOf(c))
}

// isInside reports whether a request comes from this process or this machine's
// socket and not from a client.
func isInside(ctx context.Context) bool {
	_, local := auth.Local(ctx)
	_, ours := auth.FromContext(ctx)
	return local || ours
}

type clientKey struct{}

// clientOf returns who asks: of a request that the admin page makes, whoever
// looks at the page.
func (s *Server) clientOf(c echo.Context) netip.Addr {
	r := c.Request()
	if client, ok := r.Context().Value(clientKey{}).(netip.Addr); ok {
		return client
	}
	return s.deps.Clients.ClientIP(r.RemoteAddr, r.Header)
}
