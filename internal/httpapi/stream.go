package httpapi

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// A write to a stream that takes longer than this ends it; the reader connects
// again and reloads.
const (
	streamPatience = 10 * time.Second
	lastWords      = graceTime / 2 // before the service stops
)

// stream is GET /api/v1/sites/{site}/stream: server-sent events that say which
// thread has a new version. They carry no content, so that nothing but the
// thread itself decides what is public. With v, the version that the page
// shows, a thread that is newer already is told of at once: otherwise a change
// between the page's load and its stream would be seen by nobody.
func (s *Server) stream(c echo.Context) error {
	c.Response().Header()["Access-Control-Allow-Origin"] = anyOrigin
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	asked, err := manyPosts(q, maxStreamed)
	if err != nil {
		return err
	}
	shown, given, err := version(q)
	if err != nil {
		return err
	}
	site, err := s.site(c)
	if err != nil {
		return err
	}
	posts, names, err := s.streamed(c, site.ID, asked)
	if err != nil {
		return err
	}
	sub, err := s.deps.Streams.Subscribe(site.ID, posts, s.visitor(c, site).actor)
	if err != nil {
		return err
	}
	missed := ""
	if given { // read after the subscription, so that no change falls between
		missed = s.missed(c, site.ID, posts, names, shown)
	}
	return s.carry(c, sub, names, missed)
}

// missed tells of the threads that are newer than the page. What cannot be read
// now is told by the next change.
func (s *Server) missed(c echo.Context, site postil.SiteID, posts []postil.PostID, names oldKeys, shown int64) string {
	var told strings.Builder
	for _, id := range posts {
		p, err := s.deps.Posts.Post(c.Request().Context(), site, id)
		if err == nil && p.Version > shown {
			told.WriteString(names.events(postil.Notice{Change: "thread.updated", Post: id, Version: p.Version}))
		}
	}
	return told.String()
}

// oldKeys are the keys by which a reader knows posts that have another one now.
type oldKeys map[postil.PostID][]postil.PostID

// events writes a notice once for each key by which the reader knows its post.
func (names oldKeys) events(n postil.Notice) string {
	known := names[n.Post]
	if len(known) == 0 {
		return event(n)
	}
	var out strings.Builder
	for _, key := range known {
		n.Post = key
		out.WriteString(event(n))
	}
	return out.String()
}

// streamed returns the posts to listen to, each once: those on other sites
// never change.
func (s *Server) streamed(c echo.Context, site postil.SiteID, asked []string) (posts []postil.PostID, names oldKeys, err error) {
	keys, err := s.resolveAll(c, site, asked)
	names = oldKeys{}
	for i, key := range keys {
		if key == "" {
			continue
		}
		if !slices.Contains(posts, key) {
			posts = append(posts, key)
		}
		known, err := s.deps.Sites.Named(c.Request().Context(), site, asked[i])
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(names[key], known) {
			names[key] = append(names[key], known)
		}
	}
	return posts, names, err
}

// carry writes notices until the reader goes, the subscription ends or the
// service stops. Where it can it lets go of the request, and with it of nearly
// all that a connection costs.
func (s *Server) carry(c echo.Context, sub Stream, names oldKeys, missed string) error {
	hello := fmt.Sprintf(": postil\nretry: %d\n\n", pause()) + missed
	streamHeaders(c.Response().Header())
	if conn, ok := takeOver(c); ok {
		s.streams.Go(func() {
			defer sub.Close()
			defer conn.Close()
			defer s.recoverStream()
			s.tell(conn.gone(), conn, sub, names, hello)
		})
		return nil
	}
	defer sub.Close()
	s.tell(c.Request().Context().Done(), openStream(c), sub, names, hello)
	return nil
}

// recoverStream ends one stream for a fault of ours, and no other.
func (s *Server) recoverStream() {
	if p := recover(); p != nil {
		s.lg.Error("a stream failed", "err", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

// tell writes until there is nobody to write to. An error of writing is the
// reader's going.
func (s *Server) tell(gone <-chan struct{}, out eventWriter, sub Stream, names oldKeys, text string) {
	beat := time.NewTicker(s.heartbeat)
	defer beat.Stop()
	for out.write(text, streamPatience) == nil {
		select {
		case <-gone:
			return
		case <-s.stopping:
			_ = out.write(fmt.Sprintf(": come back in a moment\nretry: %d\n\n", pause()), lastWords)
			return
		case <-beat.C:
			text = ":\n\n"
		case notice, ok := <-sub.C():
			if !ok {
				return
			}
			text = names.events(notice)
		}
	}
}

// pause is after how many milliseconds a reader connects again. It differs, so
// that after a restart they do not all come at once.
func pause() int { return 2000 + rand.IntN(4000) }

// event writes a notice in the format of server-sent events.
func event(n postil.Notice) string {
	data := struct {
		Post    postil.PostID `json:"post"`
		Version int64         `json:"version"`
		ID      string        `json:"id,omitempty"`
	}{Post: n.Post, Version: n.Version}
	if n.Comment != 0 {
		data.ID = n.Comment.String()
	}
	return fmt.Sprintf("event: %s\nid: %d\ndata: %s\n\n", n.Change, n.Event, bytes.TrimSpace(must(data)))
}
