// Package view is the read side of the office: one replica of the world and one follower of the
// ledger.
//
// It guarantees that a query sees everything that was written before it, unless the view is more
// than CatchUpTimeout behind; that screens and the world advance in the same step; and that answers
// and orders are delivered only after they are durable. No reader can block the follower: all
// queues are bounded.
//
// It never writes and makes no decisions.
package view
