// Package intake is where activity of the world outside comes in: people who work
// elsewhere, and the evidence of what they do.
//
// Its Roster guarantees that somebody is in the office once, under a name of its
// own; that a status is recorded when it changes and not more often; that silence,
// a dead process and a restart have their say without anybody asking; and that
// every status can be explained. Telling evidence is cheap and never waits for the
// ledger: what the ledger does not take is told again until it does. Memory is
// bounded by LimitGuests.
package intake
