// Package watch follows OpenClaw gateways: their agents join the office, and their activity is
// recorded with evidence.
//
// A Follower follows one gateway until its context ends: it reconnects by itself (1 s to 30 s
// between attempts), reads the history of what it may have missed, and records every fact under an
// id that makes repetitions harmless. If a gateway is gone, rejects us or sends invalid messages,
// the state of the follower says what to do; the office keeps running.
//
// It sends a gateway only those changes that a person decided in the office: stop, new session, and
// the answer to an approval. The shared token is never logged or stored; the device key and the token
// from the gateway are in files that only their owner can read.
package watch
