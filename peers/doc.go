// Package peers serves agents that connect to the office: programs that open a WebSocket on /bridge
// and serve a session.
//
// It guarantees: a program claims a session only with a credential for its agent; each session has
// one connection, which a newer connection replaces; a peer has one turn at a time; a turn
// continues when its program reconnects within the grace period; a late answer is not mistaken for
// another turn's answer; a peer that floods, stalls or sends invalid frames is disconnected and
// told why; the office knows which agents are connected; every message from a person to a peer gets
// one answer.
//
// It never decides whether a peer or a program answers; agents/directory does.
package peers
