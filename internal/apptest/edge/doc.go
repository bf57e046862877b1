// Package edge runs nginx with the configuration that Postil ships for it,
// deploy/nginx-edge.conf, in front of a service on this machine. The tests
// behind the build tag "edge" prove what that file promises; the bench measures
// it. Both need nginx.
//
// The rule a newcomer would break: the shipped file is what runs. Only where it
// listens, whom it asks and where it keeps things is replaced, and Start fails
// when the text to replace is not there any more.
package edge
