package httpapi

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// operation is what the description of the API says of a route beside what
// follows from the route itself. success is its status; body says that it takes
// JSON; query lists its parameters.
type operation struct {
	summary string
	success int
	body    bool
	query   string // names, separated by spaces; with "!" behind those that are needed
}

// operations describes every route below /api/, by method and path. A new route
// without a row fails a test.
var operations = map[string]operation{
	"GET /api/v1/sites/:site/comments":                         {"A page of a thread", 200, false, "post! sort limit cursor focus v"},
	"GET /api/v1/sites/:site/counts":                           {"Numbers of comments of up to 100 posts", 200, false, "post!"},
	"GET /api/v1/sites/:site/views":                            {"How often each of up to 50 posts was viewed", 200, false, "post!"},
	"GET /api/v1/sites/:site/recent":                           {"The newest approved comments of a site", 200, false, "limit"},
	"GET /api/v1/sites/:site/stream":                           {"Server-sent events of up to 20 posts", 200, false, "post!"},
	"GET /api/v1/sites/:site/feed.atom":                        {"The newest comments as Atom", 200, false, "post"},
	"GET /api/v1/sites/:site/form":                             {"What an embedded form needs", 200, false, "post!"},
	"POST /api/v1/sites/:site/comments":                        {"Send a comment; 201 for keys with the scope author", 202, true, ""},
	"POST /api/v1/sites/:site/comments/own":                    {"The comments that edit keys belong to", 200, true, ""},
	"POST /api/v1/sites/:site/preview":                         {"Render a text as storing it would", 200, true, ""},
	"PATCH /api/v1/sites/:site/comments/:id":                   {"Change one's own comment, with its edit key", 200, true, ""},
	"DELETE /api/v1/sites/:site/comments/:id":                  {"Delete one's own comment, with its edit key", 200, false, ""},
	"PUT /api/v1/sites/:site/comments/:id/reactions/:emoji":    {"React to a comment", 200, false, ""},
	"DELETE /api/v1/sites/:site/comments/:id/reactions/:emoji": {"Take a reaction back", 200, false, ""},
	"POST /api/v1/sites/:site/comments/:id/reports":            {"Report a public comment", 202, true, ""},

	"POST /api/view": {"Count a view of a page", 202, true, "site"},
	"GET /api/views": {"How often a page was viewed", 200, false, "path! site"},
	"POST /api/qlog": {"Note a reader's question", 201, true, "site"},

	"GET /api/v1/flags": {"The flags as they are for a user", 200, false, "user"},

	"GET /api/openapi.json": {"This description", 200, false, ""},

	"GET /api/v1/admin/comments":                  {"Comments, the newest first", 200, false, "site status post q author network host from to queue limit cursor"},
	"GET /api/v1/admin/comments/:id":              {"Everything about a comment", 200, false, ""},
	"PATCH /api/v1/admin/comments/:id":            {"Correct text, name or place", 200, true, ""},
	"POST /api/v1/admin/comments/:id/decision":    {"Decide about a comment", 200, true, ""},
	"POST /api/v1/admin/comments/:id/reply":       {"Answer as the blog's author", 201, true, ""},
	"POST /api/v1/admin/decisions":                {"Decide about many comments, or with dry_run count them", 200, true, ""},
	"POST /api/v1/admin/decisions/:id/undo":       {"Take a decision or a batch back", 200, false, ""},
	"GET /api/v1/admin/reports":                   {"What readers reported", 200, false, "site limit cursor"},
	"GET /api/v1/admin/authors":                   {"Who wrote on a site, the last one first", 200, false, "site! q limit cursor"},
	"GET /api/v1/admin/authors/:id":               {"An author, with what was laid down about them", 200, false, "site!"},
	"GET /api/v1/admin/posts":                     {"The posts of a site", 200, false, "site limit cursor"},
	"GET /api/v1/admin/posts/twins":               {"Posts that are probably the same page", 200, false, "site"},
	"GET /api/v1/admin/posts/moves":               {"Merges, renames and splits, the newest first", 200, false, "site limit cursor"},
	"POST /api/v1/admin/posts/moves/:id/undo":     {"Take a merge, a rename or a split back", 200, false, ""},
	"POST /api/v1/admin/posts/merge":              {"Make two posts one, or with dry_run say what would move", 200, true, ""},
	"POST /api/v1/admin/posts/rename":             {"Give a post another key; the old one leads there", 200, true, ""},
	"POST /api/v1/admin/posts/split":              {"Move comments with their answers to another post", 200, true, ""},
	"PATCH /api/v1/admin/posts":                   {"Change title, address or state of a post", 200, true, "site post"},
	"GET /api/v1/admin/config":                    {"What is decided while the service runs", 200, false, "site"},
	"GET /api/v1/admin/config/:name":              {"An entry with its bounds and values", 200, false, "site"},
	"PUT /api/v1/admin/config/:name":              {"Change an entry, or with at plan it; 202 for a plan", 200, true, ""},
	"POST /api/v1/admin/config/:name/preview":     {"What a change would have meant for the last comments", 200, true, ""},
	"POST /api/v1/admin/config/:name/rollback":    {"Take the last change back", 200, true, ""},
	"GET /api/v1/admin/config/:name/history":      {"Who changed it when and why", 200, false, ""},
	"GET /api/v1/admin/config/:name/plans":        {"What is planned for it", 200, false, ""},
	"DELETE /api/v1/admin/config/:name/plans/:id": {"Drop a plan", 204, false, ""},
	"GET /api/v1/admin/plans":                     {"All planned changes, the next first", 200, false, ""},
	"GET /api/v1/admin/flags":                     {"The feature flags", 200, false, ""},
	"GET /api/v1/admin/flags/:name":               {"A flag with its rules", 200, false, ""},
	"PUT /api/v1/admin/flags/:name":               {"Set a flag, or with at plan it; 202 for a plan", 200, true, ""},
	"DELETE /api/v1/admin/flags/:name":            {"Remove a flag", 204, false, ""},
	"POST /api/v1/admin/flags/:name/rollback":     {"Take the last change back", 200, true, ""},
	"GET /api/v1/admin/flags/:name/history":       {"Who changed it when and why", 200, false, ""},
	"GET /api/v1/admin/flags/:name/plans":         {"What is planned for it", 200, false, ""},
	"DELETE /api/v1/admin/flags/:name/plans/:id":  {"Drop a plan", 204, false, ""},
	"GET /api/v1/admin/sites":                     {"The sites", 200, false, ""},
	"POST /api/v1/admin/sites":                    {"Make a site", 201, true, ""},
	"GET /api/v1/admin/sites/:key":                {"A site", 200, false, ""},
	"POST /api/v1/admin/sites/:key":               {"Make a site", 201, true, ""},
	"PATCH /api/v1/admin/sites/:key":              {"Change a site", 200, true, ""},
	"DELETE /api/v1/admin/sites/:key":             {"Erase a site with everything in it", 204, false, ""},
	"GET /api/v1/admin/keys":                      {"The API keys, the newest first", 200, false, "limit cursor"},
	"POST /api/v1/admin/keys":                     {"Make an API key, which is shown once", 201, true, ""},
	"DELETE /api/v1/admin/keys/:id":               {"Revoke an API key", 204, false, ""},
	"GET /api/v1/admin/moderators":                {"The moderators, the newest first", 200, false, "limit cursor"},
	"POST /api/v1/admin/moderators":               {"Add a moderator, with a one-time code", 201, true, ""},
	"DELETE /api/v1/admin/moderators/:id":         {"Take a moderator's role away", 204, false, ""},
	"GET /api/v1/admin/sessions":                  {"Browsers that are signed in", 200, false, ""},
	"DELETE /api/v1/admin/sessions/:id":           {"End a session", 204, false, ""},
	"POST /api/v1/admin/signin-links":             {"Make a one-time link to sign in", 201, true, ""},
	"GET /api/v1/admin/rules":                     {"Bans, trust and lists", 200, false, "site list limit cursor"},
	"POST /api/v1/admin/rules":                    {"Ban, trust, or add to a list", 201, true, ""},
	"DELETE /api/v1/admin/rules":                  {"Drop a list", 200, false, "site list!"},
	"POST /api/v1/admin/rules/import":             {"Import a list", 200, true, ""},
	"DELETE /api/v1/admin/rules/:id":              {"Remove a rule", 204, false, ""},
	"GET /api/v1/admin/notes":                     {"What moderators noted about a comment or an author", 200, false, "comment site author"},
	"POST /api/v1/admin/notes":                    {"Note something about a comment or an author", 201, true, ""},
	"DELETE /api/v1/admin/notes/:id":              {"Remove a note", 204, false, ""},
	"GET /api/v1/admin/reply-templates":           {"Saved replies, or with comment each as an answer to it", 200, false, "site comment"},
	"POST /api/v1/admin/reply-templates":          {"Save a reply", 201, true, ""},
	"DELETE /api/v1/admin/reply-templates/:id":    {"Remove a saved reply", 204, false, ""},
	"GET /api/v1/admin/webhooks":                  {"The webhooks", 200, false, ""},
	"POST /api/v1/admin/webhooks":                 {"Add a webhook", 201, true, ""},
	"GET /api/v1/admin/webhooks/:id":              {"A webhook", 200, false, ""},
	"PATCH /api/v1/admin/webhooks/:id":            {"Change a webhook", 200, true, ""},
	"DELETE /api/v1/admin/webhooks/:id":           {"Remove a webhook", 204, false, ""},
	"POST /api/v1/admin/webhooks/:id/secret":      {"Make a new secret", 200, false, ""},
	"POST /api/v1/admin/webhooks/:id/test":        {"Send a sample", 200, false, ""},
	"POST /api/v1/admin/webhooks/:id/replay":      {"Send again", 200, true, ""},
	"GET /api/v1/admin/webhooks/:id/deliveries":   {"What a webhook was told", 200, false, "state limit before"},
	"GET /api/v1/admin/audit":                     {"Who changed what", 200, false, "site q actor action subject channel from to limit cursor"},
	"GET /api/v1/admin/audit/export":              {"The same, a JSON object a line", 200, false, "site q actor action subject channel from to"},
	"POST /api/v1/admin/people/export":            {"What is stored about a person", 200, true, ""},
	"POST /api/v1/admin/people/erase":             {"Erase a person", 200, true, ""},
	"GET /api/v1/admin/exports":                   {"The comments of a site in the native format", 200, false, "site!"},
	"POST /api/v1/admin/backups":                  {"A verified backup", 200, false, ""},
	"POST /api/v1/admin/probes":                   {"What the service sees of a request", 200, true, ""},
	"GET /api/v1/admin/signals":                   {"What happened from one moment to another", 200, false, "site kind from to limit cursor"},
	"GET /api/v1/admin/stats":                     {"How comments and decisions came, by hour or day", 200, false, "site by from to"},
	"GET /api/v1/admin/views":                     {"The most viewed posts", 200, false, "site from to limit"},
	"GET /api/v1/admin/qlog":                      {"Readers' questions", 200, false, "site q tag from to limit cursor"},
	"GET /api/v1/admin/qlog/export":               {"The same, a JSON object a line", 200, false, "site q tag from to"},
	"PATCH /api/v1/admin/qlog/:id":                {"Tag a question", 200, true, ""},
	"DELETE /api/v1/admin/qlog/:id":               {"Delete a question", 204, false, ""},
}

var pathParameter = regexp.MustCompile(`:([a-z]+)`)

// openAPI is GET /api/openapi.json: the routes below /api/ as OpenAPI 3.1.
func (s *Server) openAPI(c echo.Context) error {
	paths := map[string]map[string]any{}
	for _, r := range s.table() {
		op, ok := operations[r.method+" "+r.path]
		if !ok {
			continue
		}
		path := pathParameter.ReplaceAllString(r.path, "{$1}")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(r.method)] = op.describe(r)
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "Postil", "version": "1"},
		"servers": []any{map[string]any{"url": s.origin + s.prefix}},
		"paths":   paths,
		"components": map[string]any{
			"securitySchemes": map[string]any{"key": map[string]any{"type": "http", "scheme": "bearer"}},
			"schemas": map[string]any{"Problem": map[string]any{
				"type": "object", "required": []string{"type", "title", "status", "detail"},
				"properties": map[string]any{
					"type": textSchema, "title": textSchema, "status": numberSchema, "detail": textSchema,
					"field": textSchema, "limit": numberSchema, "retry_after": numberSchema,
				},
			}},
		},
	})
}

var (
	textSchema   = map[string]any{"type": "string"}
	numberSchema = map[string]any{"type": "integer"}
	objectBody   = map[string]any{jsonType: map[string]any{"schema": map[string]any{"type": "object"}}}
	problemBody  = map[string]any{"application/problem+json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Problem"}}}
)

// describe makes the operation object of a route.
func (op operation) describe(r route) map[string]any {
	parameters := []any{}
	for _, m := range pathParameter.FindAllStringSubmatch(r.path, -1) {
		parameters = append(parameters, map[string]any{"name": m[1], "in": "path", "required": true, "schema": textSchema})
	}
	for _, name := range strings.Fields(op.query) {
		name, needed := strings.CutSuffix(name, "!")
		parameters = append(parameters, map[string]any{"name": name, "in": "query", "required": needed, "schema": textSchema})
	}
	out := map[string]any{
		"summary": op.summary, "operationId": strings.ToLower(r.method) + strings.NewReplacer("/", "_", ":", "", ".", "_").Replace(r.path),
		"parameters": parameters,
	}
	success := map[string]any{"description": op.summary}
	if op.success != http.StatusNoContent {
		success["content"] = objectBody
	}
	out["responses"] = map[string]any{strconv.Itoa(op.success): success, "default": map[string]any{"description": "A refusal, as RFC 9457 has it", "content": problemBody}}
	if op.body {
		out["requestBody"] = map[string]any{"required": true, "content": objectBody}
	}
	if strings.HasPrefix(r.path, adminPath) {
		out["security"] = []any{map[string]any{"key": []string{}}}
	}
	return out
}
