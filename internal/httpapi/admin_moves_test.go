package httpapi_test

import (
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestPostsAreMergedAfterALookAndTakenApartAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "A comment on the page.")
	n := postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/Posts/Hello.html"}, Author: postil.Author{Name: "Di"}, Text: "On its twin.", Nonce: "n"}
	if _, err := o.store.AddComment(ctx, n, nil); err != nil {
		t.Fatal(err)
	}
	o.ask(t, "GET", "/posts/twins?site=blog", "").want(t, 200).golden(t, "admin_twins")
	o.ask(t, "POST", "/posts/merge", `{"site":"blog","post":"/Posts/Hello.html","into":"/posts/hello","dry_run":true}`).want(t, 200).golden(t, "admin_merge_preview")
	if len(o.audit(t, "action=post.")) != 0 {
		t.Error("a preview changed something")
	}
	o.ask(t, "POST", "/posts/merge", `{"site":"blog","post":"https://blog.example/Posts/Hello.html?utm_source=x","into":"/posts/hello"}`).want(t, 200).golden(t, "admin_merge")
	if got := o.ask(t, "GET", "/comments?site=blog&post=/Posts/Hello.html", "").want(t, 200).text; strings.Count(got, `"revision":`) != 2 {
		t.Errorf("the old key selects %s", got)
	}
	o.ask(t, "PATCH", "/posts?site=blog&post=/Posts/Hello.html", `{"title":"Both"}`).want(t, 200)
	o.ask(t, "GET", "/posts/moves?site=blog", "").want(t, 200).golden(t, "admin_moves")
	o.ask(t, "POST", "/posts/moves/1/undo", "").want(t, 200).golden(t, "admin_move_undone")
	if got := o.ask(t, "GET", "/comments?site=blog&post=/Posts/Hello.html", "").want(t, 200).text; strings.Count(got, `"revision":`) != 1 {
		t.Errorf("afterwards the old key selects %s", got)
	}
	o.ask(t, "POST", "/posts/split", `{"site":"blog","post":"/posts/hello","comments":["1"],"into":"/posts/apart","title":"Apart"}`).want(t, 200).golden(t, "admin_split")
	o.ask(t, "POST", "/posts/rename", `{"site":"blog","post":"/posts/apart","into":"/posts/hello"}`).want(t, 409)
	o.ask(t, "POST", "/posts/rename", `{"site":"blog","post":"/posts/apart"}`).want(t, 400)
}

func TestThePostsOfASiteAreReadInPages(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, key := range []postil.PostID{"/c", "/a", "/b"} {
		if _, err := o.store.SetPost(ctx, "blog", key, postil.PostChange{}, setup); err != nil {
			t.Fatal(err)
		}
	}
	var keys, cursor string
	for range 3 {
		var page struct {
			Posts []struct{ Key string }
			Next  *string `json:"next_cursor"`
		}
		o.ask(t, "GET", "/posts?site=blog&limit=2"+cursor, "").want(t, 200).read(t, &page)
		for _, p := range page.Posts {
			keys += p.Key
		}
		if page.Next == nil {
			break
		}
		cursor = "&cursor=" + *page.Next
	}
	if keys != "/a/b/c" {
		t.Error(keys)
	}
	o.ask(t, "GET", "/posts?site=blog&cursor=***", "").want(t, 400)
}

func TestACorrectionOfANameAloneAndOfAPlaceIsTakenBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "The first one.")
	o.say(t, "blog", "The second one, another text.")
	for _, id := range []string{"1", "2"} {
		o.ask(t, "POST", "/comments/"+id+"/decision", `{"decision":"approve"}`).want(t, 200)
	}
	type corrected struct {
		Comment struct {
			ParentID *string `json:"parent_id"`
			Author   struct{ Name string }
			History  []struct{ ID string }
		}
	}
	var got corrected
	o.ask(t, "PATCH", "/comments/2", `{"name":"Cyril","parent_id":"1"}`).want(t, 200).read(t, &got)
	if got.Comment.Author.Name != "Cyril" || got.Comment.ParentID == nil || *got.Comment.ParentID != "1" {
		t.Errorf("%+v", got)
	}
	last := got.Comment.History[len(got.Comment.History)-1].ID
	o.ask(t, "POST", "/decisions/"+last+"/undo", "").want(t, 200)
	got = corrected{}
	o.ask(t, "GET", "/comments/2", "").want(t, 200).read(t, &got)
	if got.Comment.Author.Name != "Cy" || got.Comment.ParentID != nil {
		t.Errorf("after the undo: %+v", got)
	}
	o.ask(t, "PATCH", "/comments/1", `{"parent_id":"99"}`).want(t, 400)
	o.ask(t, "PATCH", "/comments/1", `{"parent_id":"x"}`).want(t, 400)
}
