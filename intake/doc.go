// Package intake keeps the roster of guests, with the evidence about each, and provides the
// endpoints for workflow events.
//
// Its Roster guarantees:
//   - Every guest is in the office once, under a unique name.
//   - A status is recorded only when it changes, and every status can be explained.
//   - Silence, a dead process or a restart changes a status without further reports.
//   - Reporting evidence never waits for the ledger. Facts that could not be recorded are retried.
//   - LimitGuests bounds the memory that the Roster uses.
package intake
