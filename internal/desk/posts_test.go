package desk_test

import (
	"net/url"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

func TestPostsAreMergedRenamedAndSplitAtTheDeskAndReadersFollow(t *testing.T) {
	t.Parallel()
	a := start(t)
	d := a.SignedIn(t)
	one := ask(t, a, apptest.Draft{Post: "/posts/hello", Text: "On the page itself."})
	two := ask(t, a, apptest.Draft{Post: "/posts/Hello.html", Text: "On what is the same page."})
	for _, id := range []string{one, two} {
		a.Admin(t, "POST", "comments/"+id+"/decision", map[string]any{"decision": "approve"})
	}
	count := func(post string) int { return a.Thread(t, post).Count }
	apptest.Eventually(t, soon, "both are public", func() bool { return count("/posts/hello") == 1 && count("/posts/Hello.html") == 1 })

	want(t, d.Get(t, "posts?site=blog"), 200, "Probably the same page", "differ in case, ending")
	want(t, d.Get(t, "posts/merge?site=blog&post=/posts/Hello.html&into=/posts/hello"), 200, "1 approved", "/posts/hello")
	leadsTo(t, d.Press(t, "posts/merge", url.Values{"site": {"blog"}, "post": {"/posts/Hello.html"}, "into": {"/posts/hello"}, "back": {"posts?site=blog"}}), "../posts?did=merged&site=blog")
	apptest.Eventually(t, soon, "both keys lead to one thread", func() bool { return count("/posts/hello") == 2 && count("/posts/Hello.html") == 2 })
	want(t, d.Get(t, "posts?site=blog&did=merged"), 200, "Merged.", "Moved lately", "Undo")

	leadsTo(t, d.Press(t, "posts/moves/1/undo", url.Values{"back": {"posts?site=blog"}}), "../../../posts?did=unmoved&site=blog")
	apptest.Eventually(t, soon, "there are two threads again", func() bool { return count("/posts/hello") == 1 && count("/posts/Hello.html") == 1 })

	leadsTo(t, d.Press(t, "posts/rename", url.Values{"site": {"blog"}, "post": {"/posts/Hello.html"}, "into": {"/posts/new"}, "back": {"posts"}}), "../posts?did=renamed")
	leadsTo(t, d.Press(t, "posts/split", url.Values{"site": {"blog"}, "post": {"/posts/hello"}, "comments": {one}, "into": {"/posts/new"}, "back": {"posts"}}), "../posts?did=split")
	apptest.Eventually(t, soon, "all stands under the new key", func() bool {
		return count("/posts/new") == 2 && count("/posts/hello") == 0 && count("/posts/Hello.html") == 2
	})
}
