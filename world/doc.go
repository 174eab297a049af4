// Package world is the office's current state: the fold of the ledger's records into agents,
// projects, tasks, decisions, artifacts, trophies, and agents' open turns and calls.
//
// It guarantees that the same records produce the same world, bit for bit, whether they are folded
// in one pass, in parts, after a restart, or after retention has removed activity up to a
// checkpoint; that an agent's position depends only on a recorded goal and the time; and that the
// world's size depends on the live work, not on the history. It makes no decisions, reads no clock
// and does no IO.
package world
