// Package peers are agents that dial in: programs that connect to the socket /bridge and
// answer for a session.
//
// It guarantees: a program claims a session only with a credential for its agent; one
// connection per session, and a newer one replaces it; one turn at a time per peer; a turn
// continues when its program reconnects within the grace period; a late answer is not
// taken for that of another turn; a peer that floods, stalls or sends nonsense is
// disconnected with the reason. The office knows who is connected, and every message of a
// person to a peer gets one answer.
//
// It never decides whether a peer or a program answers (agents/directory).
package peers
