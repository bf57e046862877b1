// Package markup turns what a commenter typed into what others see: Markdown into safe HTML (Render), readable plain
// text (Plain, Excerpt), the addresses it links to (Links), and forms of it that can be compared (Fold, FoldWords,
// WordList). Preview and storing call the same Render, so that an author never sees anything but the real thing.
//
// It does not store, shorten or repair the source: the source stays byte for byte as typed, and only the rendering is
// cleaned. It decides nothing about a comment; Hints, MixedScript, HasBidiControl and Invisible only report.
//
// The rule a newcomer would break: no HTML leaves this package except through Sanitize, and Sanitize lets through what
// policy.go lists, nothing else. An element that is missing on the page is added in policy.go together with its line in
// the test oracle (oracle_test.go), never by writing HTML past it.
//
// Everything here is a pure function, deterministic, safe for concurrent use, and bounded in time for hostile input.
//
// To add a piece of Markdown: add its goldmark parser in parser.go, let its element through in policy.go and in the
// oracle, say in plain.go how it reads as plain text, and add a testdata/NAME.md with its golden NAME.html.
package markup
