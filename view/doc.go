// Package view is the read side of the office: one replica of the world and one follower of the
// ledger.
//
// It guarantees: a query sees everything that was written before it; screens and the world move in
// the same step; answers and orders are delivered only after they are durable. No reader can block
// the follower: all queues are bounded.
//
// It never writes and makes no decisions.
package view
