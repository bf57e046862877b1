// Package signals writes down what an operator will ask for later: what the
// service noticed about itself, and the figures of each minute.
//
// What happens to comments is written by the store, in the transactions that
// change them; here is the rest. A Recorder collects what may come thousands of
// times a second (requests over their limit, slow ones) and stores one line for
// all of a moment; a Sampler reads counters that others keep anyway and stores
// their growth once a minute; a Copier hands the whole record on to the broker,
// for whoever wants to follow it.
//
// It does not know what a figure means or when somebody must be told; that is
// the business of package alerts.
//
// The rule a newcomer would break: nothing here is called by a reader's request
// but an atomic addition. Whatever can be read from a counter is sampled, never
// reported.
package signals
