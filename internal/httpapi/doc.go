// Package httpapi speaks HTTP: it binds requests, asks the rooms behind its
// interfaces, and answers with JSON, files and streams. Everything that knows
// Echo is in here, and routes.go is the table of contents.
//
// It decides nothing about comments, counts nothing and caches nothing; it has
// no SQL. A handler binds, calls and answers, and returns its error: errors.go
// alone knows which status an error has.
//
// The rule a newcomer would break: a route of class read writes its few headers
// itself and carries nothing that belongs to one request (no request id, no
// Origin, no cookie), because its answer is the same for everybody and stands
// in shared caches. Whatever is personal belongs to another class.
//
// # Addresses
//
// Every route exists twice: at the root of the listener and under the path of
// the public URL. A proxy in front may therefore strip that path or keep it.
// Only addresses under the public path are ever handed out.
//
// # Order of a write
//
// Site, Origin, content type and body, cheap validation, limit, then the work.
// A request that is refused after the limit gets its allowance back.
//
// To add an endpoint: a row in routes.go, a method with request and response
// structs beside it, its golden answer in testdata (go test -update).
package httpapi
