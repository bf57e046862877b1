// Package qlog keeps the questions that readers leave: it gives each an id,
// stores it, and finds it again for those who answer.
//
// It counts no requests and knows no HTTP or SQL. It fails closed: what Ask
// returns without an error is on disk, everything else was not saved and the
// reader is told so.
//
// The rule a newcomer would break: a question carries no address, no agent and
// no name. The actor is a hash that means nothing on the next day, and it never
// leaves the installation: exports do without it. After 30 days the store
// sweeps the record away.
package qlog
