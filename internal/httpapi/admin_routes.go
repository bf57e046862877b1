package httpapi

// Admin is what the admin routes need.
type Admin struct{}

// adminRoutes is the table of /api/v1/admin.
func (s *Server) adminRoutes() []route { return nil }
