// Package recipes builds a page with each generator that web/README.md has a recipe for, and looks
// whether the two lines arrive in it as they were meant. The recipes are taken from that file, so
// that what is tested is what is read.
//
// It is run by “make recipes” and needs hugo, jekyll, mkdocs and npm. The rule a newcomer would
// break: a recipe is changed in web/README.md and nowhere else.
package recipes
