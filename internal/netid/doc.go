// Package netid says which client a request came from: the peer of the
// connection, or, when that peer is a proxy the operator trusts, the address
// the proxy reports.
//
// It stores and logs nothing: raw addresses leave it only towards keyed hashes,
// and Bucket and Network give the prefixes that are hashed.
//
// The rule a newcomer would break: a header is what anybody can type. It is
// read from its right end, where the nearest proxy wrote, only as far as the
// hops are trusted, and only the one configured header is read at all. Taking
// the left-most address lets everybody pick his own.
//
// To add a header: nothing, if it holds one address (CF-Connecting-IP and the
// like) or a comma-separated list whose name ends in "Forwarded-For"; another
// grammar gets a case in Resolver.entries.
package netid
