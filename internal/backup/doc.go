// Package backup decides when a backup is made, which ones are kept and how a
// restored database takes the place of another one. It moves files; how a
// database is copied and verified is the store's business.
//
// Backups are made every night into one directory, under names that tell the
// moment, and an older one goes only when a newer one is whole: seven days and
// four weeks are kept. A night that was missed is made up for after the start.
// When it fails the service runs on, and says so in readyz and in the metrics
// until one succeeds.
//
// The rule a newcomer would break: what is not verified does not count. A file
// gets its name when it is known to be good, and the age of the last backup is
// that of the last good one.
package backup
