package httpapi

// Admin is what the admin routes need.
type Admin struct{}

// adminRoutes is the part of the table below /api/v1/admin. Its handlers are
// tracked, and stand in files that begin with admin_.
func (s *Server) adminRoutes() []route { return nil }
