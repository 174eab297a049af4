// Package intake receives activity from outside the office: guests, and evidence of their
// activity.
//
// Its Roster guarantees that every guest is in the office once, under a unique name; that a status
// is recorded only when it changes; that silence, a dead process or a restart changes a status
// without further reports; and that every status can be explained. Reporting evidence is cheap and
// never waits for the ledger: facts that could not be recorded are retried. Memory is bounded by
// LimitGuests.
package intake
