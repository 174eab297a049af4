// Package intake receives activity from outside the office: guests, and the evidence of
// what they do.
//
// Its Roster guarantees that every guest is in the office once, under a unique name; that a status
// is recorded only when it changes; that silence, a dead process and a restart change a status by
// themselves; and that every status can be explained. Reporting evidence is cheap and never waits
// for the ledger: failed records are retried until the ledger takes them. Memory is bounded by
// LimitGuests.
package intake
