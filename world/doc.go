// Package world says what is true now: the fold of the ledger's records into
// people, projects, tasks, decisions, artifacts, trophies, and the turns and calls
// that agents have open.
//
// It guarantees that the same records give the same world, bit for bit, whether
// folded at once, in parts, after a restart, or after retention removed activity up
// to a checkpoint; that where somebody stands is a
// function of a recorded goal and the time; and that its size follows the live
// work, not the history. It decides nothing, knows no clock, and does no IO.
package world
