package httpapi_test

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheDescriptionOfTheAPIHasEveryRouteAndNoOther(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var doc struct {
		OpenAPI string
		Servers []struct{ URL string }
		Paths   map[string]map[string]struct {
			Summary     string
			OperationID string
			Parameters  []struct {
				Name, In string
				Required bool
			}
			Responses map[string]struct{ Description string }
			Security  []map[string][]string
		}
	}
	call(t, "GET", o.url+"/api/openapi.json", "", "").want(t, 200).read(t, &doc)
	if doc.OpenAPI != "3.1.0" || len(doc.Servers) != 1 || doc.Servers[0].URL != "https://talk.example/comments" {
		t.Errorf("%s, %+v", doc.OpenAPI, doc.Servers)
	}
	described, ids := map[string]bool{}, map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			route := strings.ToUpper(method) + " " + regexp.MustCompile(`\{([a-z]+)\}`).ReplaceAllString(path, ":$1")
			described[route] = true
			if ids[op.OperationID] || op.OperationID == "" || op.Summary == "" || len(op.Responses) != 2 {
				t.Errorf("%s: %+v", route, op)
			}
			ids[op.OperationID] = true
			if inPath := strings.Count(path, "{"); len(op.Parameters) < inPath {
				t.Errorf("%s has %d parameters in its path, and describes %+v", route, inPath, op.Parameters)
			}
			if admin := strings.HasPrefix(path, adminAt); admin != (len(op.Security) == 1) {
				t.Errorf("%s: security %v", route, op.Security)
			}
		}
	}
	for _, route := range o.server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if !strings.HasPrefix(path, "/api/") || method == "HEAD" || method == "OPTIONS" {
			continue
		}
		if !described[route] {
			t.Errorf("%s is not described; give it a row in operations, in openapi.go", route)
		}
		delete(described, route)
	}
	for route := range described {
		t.Errorf("%s is described and is no route", route)
	}
}
