// Package view is the office for everybody who reads it: one replica of the world and
// one follower of the ledger.
//
// It guarantees: a query sees everything that was written before it was asked; what
// screens show and the world move in the same step; an answer or an order is told only
// after it is durable. No reader can hold up the follower: what waits is bounded.
//
// It never writes and decides nothing.
package view
