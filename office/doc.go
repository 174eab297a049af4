// Package office is the one writer of an office. It takes commands and facts in,
// asks the director what they mean, appends the answer to the ledger, and only
// then replies.
//
// It guarantees that nothing is acknowledged before it is durable; that a command
// id counts once for its client, also over a restart; that a batch is there whole
// or not at all; and that after any failure to append the world is folded anew
// from the ledger. It knows no edge: sockets, runners and adapters come to it.
package office
