// Package contracts is the language of Bullpen: the records in the ledger, the
// messages on the wire, the commands people give, the facts workers report, and
// every code, id pattern and limit that more than one part must agree on.
//
// The JSON Schemas in schemas/ are the contract with the outside and validate
// every inbound message at run time. The Go types are written by hand and held
// against the schemas by tests.
//
// It imports nothing of ours, holds no state and starts nothing.
package contracts
