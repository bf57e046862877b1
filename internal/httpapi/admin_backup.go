package httpapi

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// adminBackup is POST /api/v1/admin/backups: a verified backup of everything as
// a file, for whoever may manage all sites. The secret of the installation is
// in it only for the owner of the data directory, who has it already.
func (s *Server) adminBackup(c echo.Context, p auth.Principal) error {
	if err := p.May(auth.Manage, ""); err != nil {
		return err
	}
	if s.deps.Admin.Backups == nil {
		return postil.Missing()
	}
	ctx := c.Request().Context()
	_, local := auth.Local(ctx)
	// It takes as long as it takes to make; while it is sent, a client that
	// stands still is given up.
	control := http.NewResponseController(c.Response())
	_ = control.SetWriteDeadline(time.Time{}) // fails for a response that has no connection
	path, done, err := s.deps.Admin.Backups.Backup(ctx, p.By, local && c.QueryParam("secret") != "no")
	if err != nil {
		return err
	}
	defer done()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", "application/vnd.sqlite3")
	h.Set("Content-Disposition", `attachment; filename="postil-backup.db"`)
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	c.Response().WriteHeader(http.StatusOK)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(answerTime))
		if _, err := io.CopyN(c.Response(), f, 1<<20); err != nil {
			return nil // the end, or a client that has gone and sees that bytes are missing
		}
	}
}
