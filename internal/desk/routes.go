package desk

import "net/http"

// mount registers everything that the desk answers. page and change are for
// those who are signed in; open is for everybody.
func (d *Desk) mount() {
	d.mux = http.NewServeMux()
	on := func(pattern string, h http.Handler) { d.mux.Handle(pattern, h) }

	// Files, and the way in and out.
	on("GET /assets/{name}", http.HandlerFunc(d.asset))
	on("GET /signin", d.open(d.signinForm))
	on("POST /signin", d.open(d.signIn))
	on("GET /signin/{code}", d.open(d.invitation))
	on("POST /signin/{code}", d.open(d.accept))
	on("POST /signout", d.change(d.signOut))

	// Comments.
	on("GET /{$}", d.page(d.queue))
	on("GET /comments", d.page(d.comments))
	on("GET /spam", d.page(d.spam))
	on("GET /comments/{id}", d.page(d.comment))
	on("GET /comments/{id}/item", d.page(d.item))
	on("GET /waiting", d.page(d.waiting))
	on("POST /comments/{id}/act", d.change(d.act))
	on("POST /decisions/{id}/undo", d.change(d.undo))
	on("GET /bulk", d.page(d.preview))
	on("POST /bulk", d.change(d.bulk))

	on("/", d.page(d.nothing))
}
