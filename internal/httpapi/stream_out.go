package httpapi

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// eventWriter writes to a stream and sends at once.
type eventWriter interface {
	write(text string, patience time.Duration) error
}

func streamHeaders(h http.Header) {
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
}

// bareStream is a connection that is nothing but a stream any more. Of the 35
// KiB that a handler which waits costs, the buffers of the HTTP server and the
// stack below its handlers are most.
type bareStream struct{ net.Conn }

// takeOver answers the request with the headers that are set so far, and takes
// its connection from the HTTP server. It reports whether there was one to take:
// a connection of HTTP/2 carries others, too.
func takeOver(c echo.Context) (conn bareStream, ok bool) {
	raw, _, err := http.NewResponseController(c.Response()).Hijack()
	if err != nil {
		return conn, false
	}
	h := c.Response().Header()
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	h.Set("Connection", "close") // the end of the answer is the end of the connection
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&head)
	head.WriteString("\r\n")
	conn = bareStream{raw}
	_ = raw.SetDeadline(time.Time{}) // those of ordinary requests
	_ = conn.write(head.String(), streamPatience)
	return conn, true
}

// gone is closed when the reader goes. A reader who says anything more has gone
// astray.
func (b bareStream) gone() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = b.Read(make([]byte, 1))
	}()
	return gone
}

func (b bareStream) write(text string, patience time.Duration) error {
	if err := b.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := b.Write([]byte(text))
	return err
}

// heldStream is a stream within an ordinary answer.
type heldStream struct {
	c  echo.Context
	rc *http.ResponseController
}

// openStream sends the headers. The time limits of ordinary requests are
// lifted: a stream ends when its reader goes.
func openStream(c echo.Context) heldStream {
	w := heldStream{c: c, rc: http.NewResponseController(c.Response())}
	_ = w.rc.SetReadDeadline(time.Time{}) // a server without deadlines has none to lift
	c.Response().WriteHeader(http.StatusOK)
	return w
}

func (w heldStream) write(text string, patience time.Duration) error {
	if err := w.rc.SetWriteDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := w.c.Response().Write([]byte(text)); err != nil {
		return err
	}
	return w.rc.Flush()
}
