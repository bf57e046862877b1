// Package soak keeps the real binary at work for a while and fails when what
// it uses grows: memory, goroutines or open files. It has tests only, behind
// the build tag soak; "make soak" runs them for ten minutes.
//
// The rule a newcomer would break: compare like with like. The first quarter
// warms caches up and is not looked at.
package soak
