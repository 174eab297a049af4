// Package contracts is the language of Bullpen: the records in the ledger, the messages on
// the wire, the commands of people, the facts that workers report, and every code, id pattern
// and limit that several parts must agree on.
//
// The JSON Schemas in schemas/ are the contract with clients and validate every inbound
// message at run time. The Go types are written by hand and checked against the schemas by
// tests.
//
// It imports no other package of ours, has no state and starts nothing.
package contracts
