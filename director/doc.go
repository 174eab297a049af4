// Package director says what happens next. Decide turns a person's command into
// records or a refusal, Observe does the same with a worker's fact, Advance
// carries out what is due or follows, and Deadline says when to ask again.
//
// It guarantees that equal worlds, inputs and times give equal records; that a
// refusal changes nothing; that every flow of the protocol has its exact order;
// and that what is in flight after a restart follows from the world alone. It
// knows no clock, no randomness, no IO: the time is an argument, ids come from
// counters in the world. It folds every record into the given world as it goes,
// so that the world is the one after the returned records.
package director
