// Package contracts defines what several parts of Bullpen must agree on: the records in the ledger,
// the messages on the wire, the commands that people send, the facts that workers report, and all
// codes, id patterns and limits.
//
// The JSON Schemas in schemas/ are the contract with clients; every inbound message is validated
// against them at run time. The Go types are written by hand, and tests compare them with the
// schemas.
//
// The package imports no other Bullpen package, has no state and starts no goroutines.
package contracts
