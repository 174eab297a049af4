// Package watch follows OpenClaw gateways: their agents become people of the
// office, and what they do becomes activity with evidence.
//
// A Follower guarantees that one gateway is followed until its context ends: it
// comes back by itself (1 s to 30 s between attempts), reads again what it may have
// missed, and tells every fact under an id that makes a second telling harmless.
// A gateway that is gone, refuses us or talks nonsense is a state that can be
// asked for, in words that say what to do; it never ends the office.
//
// It sends only what somebody decided in the office: stop, new, and the answer to
// an approval. The shared token is never logged or stored; the key of this device
// and the token that the gateway gives it lie in files of their owner alone.
package watch
