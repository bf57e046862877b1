package apptest_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
)

// Under the policy "score" a fresh site stops what is clearly spam; what reads
// like an honest comment waits for a person when it came without the form.
func TestTheScorePolicyStopsWhatIsClearlySpam(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	if got := a.Admin(t, "PATCH", "sites/blog", map[string]any{"policy": "score"}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	honest := a.Post(t, apptest.Draft{Text: "I cut my roses back to three eyes last spring, and they came back stronger. Did you feed yours?"})
	spam := a.Post(t, apptest.Draft{Text: `Buy cheap pills <a href="http://pills.xyz/buy-cheap-pills-online">cheap pills</a> [url=http://pills.xyz/buy]pills[/url] http://cheap-pills-online.top/ visit us now`})
	a.AwaitAsked(t, 10*time.Second, honest.Comment.ID)
	a.AwaitStatus(t, 10*time.Second, spam.Comment.ID, "spam")
}

func TestWhatAModeratorDecidesTeaches(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) { c.Limits = "off" }})
	if got := a.Admin(t, "PATCH", "sites/blog", map[string]any{"policy": "score"}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	advert := func(i int) string {
		return fmt.Sprintf("Silicone wristbands of every colour for festival number %d, ask for our catalogue at the wristband factory", i)
	}
	for i := range 12 {
		id := a.Post(t, apptest.Draft{Name: fmt.Sprint("promo", i), Text: advert(i)}).Comment.ID
		a.Decide(t, id, "spam")
		id = a.Post(t, apptest.Draft{Name: fmt.Sprint("Reader ", i), Text: fmt.Sprintf("When did you plant rose number %d, before or after the frost of that year?", i)}).Comment.ID
		a.Decide(t, id, "approve")
	}
	last := a.Post(t, apptest.Draft{Name: "promo99", Text: advert(99)}).Comment.ID
	a.AwaitStatus(t, 10*time.Second, last, "spam")
}
