// Package hub serves the office to its viewers: the world socket, the HUD socket, the event stream
// and pages of history.
//
// It guarantees that no record is sent before it is appended; that a new record is encoded and
// framed once, regardless of the number of viewers; that each connection receives the messages of
// its channels in order and exactly once, even across a resume; that the reply to a command
// precedes every message that the command caused on that connection; and that a slow viewer never
// slows down others.
//
// A viewer is a position in one shared log of encoded frames; only replies are queued for each
// viewer. The hub never writes to the ledger and makes no decisions.
package hub
