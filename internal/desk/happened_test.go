package desk_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

func TestOnePageSaysWhatHappenedBetweenTwoMoments(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Name: "Cy", Text: "A thought.", Device: "device-of-cy-0123456789"})
	d := a.SignedIn(t)
	d.Press(t, "comments/"+id+"/act", url.Values{"do": {"approve"}, "expect": {"pending"}, "back": {""}})
	a.AwaitStatus(t, soon, id, "approved")
	now := time.Now().UTC()
	span := url.Values{"from": {now.Add(-10 * time.Minute).Format("2006-01-02T15:04")}, "to": {now.Add(10 * time.Minute).Format("2006-01-02T15:04")}}
	want(t, d.Get(t, "happened?"+span.Encode()), 200, "Comment received", "Comment held", "because of how the form was sent", "pending → approved by <bdi>admin</bdi>, this page after ", "Comment published",
		`href="./comments/`+id+`">comment `+id, "Requests: 0 requests from")
	span.Set("from", span.Get("to"))
	want(t, d.Get(t, "happened?"+span.Encode()), 422, "“from” lies before “to”")
	want(t, d.Get(t, "happened?from=2026-01-01T00:00&to=2026-01-01T00:10"), 200, "Nothing happened then.")
	want(t, d.Get(t, "stats"), 200, "<dt>Received</dt><dd>1</dd>", "<dt>Published</dt><dd>1</dd>", "<dt>Decided by people</dt><dd>1</dd>", "Half were decided within", "Views: 0 views from",
		`<svg viewBox="0 0 720 160" role="img" aria-label="Received: 1 comment from`, "<rect ")
}
