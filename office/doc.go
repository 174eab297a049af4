// Package office is the only writer of an office's ledger. It accepts commands and facts, lets the
// director decide, appends the result to the ledger, and only then replies.
//
// It guarantees that nothing is acknowledged before it is durable; that commands with the same id
// from one client are executed only once, even across a restart; that a batch is stored completely
// or not at all; and that after a failed append the world is rebuilt from the ledger. It does not
// depend on its callers: sockets, runners and adapters.
package office
