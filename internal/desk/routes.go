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
	on("GET /reports", d.page(d.reports))
	on("GET /authors", d.page(d.authors))
	on("GET /authors/{id}", d.page(d.author))
	on("GET /authors/{id}/export", d.page(d.exportAuthor))
	on("POST /authors/{id}/erase", d.change(d.eraseAuthor))
	on("POST /notes", d.change(d.forward("saved", addNote)))
	on("POST /notes/{id}/remove", d.change(d.forward("removed", remove("notes"))))
	on("GET /replies", d.page(d.replies))
	on("POST /replies", d.change(d.forward("saved", addReply)))
	on("POST /replies/{id}/remove", d.change(d.forward("removed", remove("reply-templates"))))
	on("GET /rules", d.page(d.rules))
	on("POST /rules", d.change(d.forward("saved", addRule)))
	on("POST /rules/ban", d.change(d.forward("banned", addRule)))
	on("POST /rules/trust", d.change(d.forward("trusted", addRule)))
	on("POST /rules/{id}/remove", d.change(d.forward("removed", remove("rules"))))

	d.mountPosts(on)

	// Sites and what readers do there.
	on("GET /sites", d.page(d.sitePages))
	on("POST /sites", d.change(d.forward("saved", addSite)))
	on("GET /sites/{id}", d.page(d.sitePage))
	on("POST /sites/{id}", d.change(d.forward("saved", setSite)))
	on("POST /sites/{id}/lockdown", d.change(d.forward("saved", lockSite)))
	on("GET /views", d.page(d.views))
	on("GET /stats", d.page(d.stats))
	on("GET /happened", d.page(d.happened))
	on("GET /questions", d.page(d.questions))
	on("POST /questions/{id}/tags", d.change(d.forward("saved", tagQuestion)))
	on("POST /questions/{id}/remove", d.change(d.forward("removed", removeQuestion)))

	// Who may come in, and what they did.
	on("GET /people", d.page(d.people))
	on("POST /keys", d.change(d.addKey))
	on("POST /keys/{id}/revoke", d.change(d.forward("revoked", remove("keys"))))
	on("POST /moderators", d.change(d.addModerator))
	on("POST /moderators/{id}/revoke", d.change(d.forward("revoked", remove("moderators"))))
	on("POST /signin-links", d.change(d.invite))
	on("POST /sessions/{id}/end", d.change(d.forward("ended", remove("sessions"))))
	on("GET /audit", d.page(d.audit))

	d.mountSettings(on)
	on("/", d.page(d.nothing))
}

// mountPosts registers what puts threads in order.
func (d *Desk) mountPosts(on func(pattern string, h http.Handler)) {
	on("GET /posts", d.page(d.posts))
	on("POST /posts", d.change(d.forward("saved", setPost)))
	on("GET /posts/merge", d.page(d.mergePreview))
	on("POST /posts/merge", d.change(d.forward("merged", movePost("merge"))))
	on("POST /posts/rename", d.change(d.forward("renamed", movePost("rename"))))
	on("POST /posts/split", d.change(d.forward("split", movePost("split"))))
	on("POST /posts/moves/{id}/undo", d.change(d.forward("unmoved", undoMove)))
}

// mountSettings registers what is decided while the service runs.
func (d *Desk) mountSettings(on func(pattern string, h http.Handler)) {
	on("GET /settings", d.page(d.settings))
	on("POST /settings", d.change(d.foretell))
	on("POST /settings/{id}", d.change(d.setConfig))
	on("GET /flags", d.page(d.flagPage))
	on("POST /flags", d.change(d.setFlag))
	on("POST /flags/{id}/remove", d.change(d.forward("removed", remove("flags"))))
	on("POST /plans/{id}/drop", d.change(d.forward("dropped", dropPlan)))
	on("GET /webhooks", d.page(d.webhooks))
	on("POST /webhooks", d.change(d.addWebhook))
	on("POST /webhooks/{id}", d.change(d.forward("saved", pauseWebhook)))
	on("POST /webhooks/{id}/secret", d.change(d.rotate))
	on("POST /webhooks/{id}/remove", d.change(d.forward("removed", remove("webhooks"))))
}
