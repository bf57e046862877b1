package httpapi_test

import "testing"

func TestViewsOfManyPostsComeInOneAnswer(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	person := senders[0]
	for _, visitor := range []string{"203.0.113.1", "203.0.113.2"} {
		b.send(t, senders[1], visitor, "POST", "/api/view", `{"path":"/posts/kv"}`).is(t, 202, viewAccepted)
	}
	const site = "/api/v1/sites/blog/views?"
	for _, c := range []struct {
		query, want string
	}{
		{"post=/posts/kv&post=/none", `{"views":{"/none":0,"/posts/kv":2}}`},
		{"post=https://blog.example/posts/kv/?utm_source=x", `{"views":{"https://blog.example/posts/kv/?utm_source=x":2}}`},
		{"post=https://evil.example/posts/kv&post=/posts/kv", `{"views":{"/posts/kv":2,"https://evil.example/posts/kv":0}}`},
	} {
		if r := b.send(t, person, "203.0.113.9", "GET", site+c.query, ""); r.StatusCode != 200 || r.text != c.want || r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s is answered %d %s, want %s", c.query, r.StatusCode, r.text, c.want)
		}
	}
	for _, query := range []string{"", "limit=3"} {
		if r := b.send(t, person, "203.0.113.9", "GET", site+query, ""); r.StatusCode != 400 {
			t.Errorf("%q is answered %d", query, r.StatusCode)
		}
	}
	b.down.Store(true)
	if r := b.send(t, person, "203.0.113.9", "GET", site+"post=/posts/kv", ""); r.StatusCode < 500 {
		t.Errorf("without a store it is answered %d: a number was invented", r.StatusCode)
	}
}
