// Package watch follows OpenClaw gateways: their agents join the office, and their activity is
// recorded with evidence.
//
// A Follower follows one gateway until its context is done: it reconnects automatically (with 1 s
// to 30 s between attempts), reads the history that it may have missed, and records every fact
// under an id that makes repetitions harmless. If a gateway is gone, rejects the connection or
// sends invalid messages, the follower's state describes what to do; the office keeps running.
//
// A Follower makes a gateway act only to carry out a decision by a person or by a rule of the
// office: to stop a run, start a new session, or answer an approval request. The configured token
// is never logged or stored. Only the owner can read the files that contain the device key and the
// token that the gateway gave this device.
package watch
