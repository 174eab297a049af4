// Package director decides what happens next. Decide turns a person's command into records or a
// refusal, Observe does the same with a worker's fact, Advance executes the steps that are due, and
// Deadline reports when to call Advance again.
//
// It guarantees that equal worlds, inputs and times produce equal records; that a refusal changes
// nothing; that the records of a flow are in the order that the protocol defines; and that the work
// in progress after a restart depends only on the world. It has no clock, no randomness and no IO:
// time is an argument, and ids come from counters in the world. It folds every record into the
// given world, so the world already includes the returned records.
package director
