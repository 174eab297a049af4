// Package bridge is the agents' door: programs that speak OpenAI's chat protocol
// find the office's agents behind it, and programs that are agents dial in.
//
// It guarantees: everything that a caller sends reaches the agent or is refused by
// name; no word of one caller reaches the conversation of another;
// one turn in flight per session, the next wait in a bounded queue;
// a retry of a turn joins it instead of starting another; a caller hears something
// at once and then at every heartbeat until the answer is there; whatever goes
// wrong, a stream ends with an error chunk and [DONE], and the session stays
// usable. Every turn is recorded as activity.
package bridge
