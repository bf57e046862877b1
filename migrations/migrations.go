// Package migrations holds the schema as numbered SQL files, each a small essay
// on why its tables look as they do. A file is never edited after a release:
// the next change is the next number.
package migrations

import "embed"

// FS holds the SQL files, named NNNNN_what.sql, in goose's format.
//
//go:embed *.sql
var FS embed.FS
