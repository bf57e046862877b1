// Package desk is the admin page: signing in, and pages and forms for whoever
// moderates and runs a site. Pages are made on the server and work without
// script; the script only spares reloading.
//
// It decides nothing and stores nothing. What a page shows and what a form does
// is a request to the admin API inside this process, in the name of whoever is
// signed in: so rights, rules and sentences are the same whichever way somebody
// comes, and the log says "page". It knows the API by its JSON alone.
//
// The rule a newcomer would break: nothing changes on GET. A form is POST, holds
// the session's token, and is answered with 303 to where the person was, filters
// and all; see change.
//
// To add a page: a template in web/admin that begins with {{template "top" .}},
// a handler that asks the API and calls show, a row in routes.go, and an entry
// of the menu in templates.go.
package desk
