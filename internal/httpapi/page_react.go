package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// reactData is what the template "reactions" sees. Without To nobody can react
// here: it shows what others did.
type reactData struct {
	To    string     // where the form goes
	Given []chipData // what the comment has, in the order of the site
	Free  []string   // what else it takes
	Back  bool       // somebody just reacted: how to take it back
}

// chipData is an emoji and how many people chose it.
type chipData struct {
	Emoji string
	N     int
}

// reactionsOf returns nil for a comment without reactions that takes none. open
// says whether there are to be forms.
func reactionsOf(l postil.Listed, offered []string, to string, open, back bool) *reactData {
	d := &reactData{Back: open && back}
	for _, emoji := range offered {
		if n := l.Reactions[emoji]; n > 0 {
			d.Given = append(d.Given, chipData{emoji, n})
		} else if open {
			d.Free = append(d.Free, emoji)
		}
	}
	if len(d.Given)+len(d.Free) == 0 {
		return nil
	}
	if open {
		d.To = to
	}
	return d
}

// takeForm is POST /thread/{site}: a comment or, with react=ID, a reaction.
func (s *Server) takeForm(c echo.Context) error {
	if q, err := parameters(c.Request()); err == nil && q.Has("react") {
		return s.sendReaction(c, q.Get("react"))
	}
	return s.sendForm(c)
}

// sendReaction is a press of a button below a comment. The page is the same
// for everybody and cannot know what its reader has chosen: one button puts an
// emoji on the comment, however often it is pressed, another takes it back.
func (s *Server) sendReaction(c echo.Context, id string) error {
	site, err := s.site(c)
	if err != nil {
		return err
	}
	if _, err := s.admit(c.Request(), site); err != nil {
		return err
	}
	s.policy(c.Response().Header(), site.Origins)
	q, err := readThreadQuery(c.Request())
	if err != nil {
		return err
	}
	sent, _, err := readForm(c)
	if err != nil {
		return err
	}
	key, err := s.deps.Sites.Resolve(c.Request().Context(), site.ID, q.post)
	if err != nil {
		return err
	}
	on, pressed := true, "emoji"
	if sent.Has("back") {
		on, pressed = false, "back"
	}
	emoji, err := site.Reaction(sent.Get(pressed))
	if err != nil {
		return err
	}
	out, err := s.reactWith(c, s.visitor(c, site), emoji, id, "", on)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, backTo(key, q.view, out, on))
}

// backTo is the page that holds the comment, as new as the reaction. After one
// it says how to take it back.
func backTo(key postil.PostID, v postil.View, out postil.Reacted, on bool) string {
	id := out.Comment.String()
	to := "?" + url.Values{"post": {string(key)}}.Encode() + orderOf(v.Query()) + "&focus=" + id
	if on {
		to += "&reacted=1"
	}
	return to + "&v=" + strconv.FormatInt(out.Version, 10) + "#postil-" + id
}
