// Package view is the read side of the office: one replica of the world and one follower of the
// ledger.
//
// A query sees everything that was written before it, unless the view is more than CatchUpTimeout
// behind. Screens and the world advance in the same step. Answers and orders are delivered only
// after they are durable. All queues are bounded, so no reader can block the follower.
//
// The view never writes and makes no decisions.
package view
