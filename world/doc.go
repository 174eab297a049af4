// Package world is the current state: the fold of the ledger's records into agents,
// projects, tasks, decisions, artifacts, trophies, and the turns and calls that agents
// have open.
//
// It guarantees that the same records give the same world, bit for bit, whether folded
// in one pass, in parts, after a restart, or after retention removed activity up to a
// checkpoint; that an agent's position is a function of a recorded goal and the time;
// and that its size follows the live work, not the history. It makes no decisions, reads
// no clock and does no IO.
package world
