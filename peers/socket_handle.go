package peers

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// handle processes a frame. It returns false if the connection must end.
func (s *socket) handle(body []byte) bool {
	f, refusal := decodeFrame(body)
	switch {
	case refusal != nil:
	case f.Type == "hello":
		return s.hello(&f)
	case s.peer == nil:
		s.close(contracts.ClosePolicy, "send hello first")
		return false
	case f.Type == "reply":
		refusal = s.peer.onReply(s, &f)
	case f.Type == "permission_request":
		refusal = s.peer.onPermissionRequest(&f)
	case f.Type == "ping":
		s.answer(&frame{Type: "pong"})
	case f.Type == "pong":
	default:
		refusal = contracts.Refuse(contracts.CodeValidationFailed, "unknown frame type %q", f.Type)
	}
	if refusal != nil {
		s.answer(refusalFrame(refusal))
	}
	return true
}

// prove sets the credential of a socket without a token: the hello must name a session that the
// office started. It checks the session twice, because a revocation between the first check and
// setHolder does not close this socket.
func (s *socket) prove(f *frame) bool {
	process := gate.Process{Session: f.OpenclawSession, Program: f.ClaudeSession}
	who, ok := s.peers.cfg.Processes.Identify(process)
	if !ok {
		return false
	}
	s.bound = who.AgentID
	s.peers.setHolder(s, who.ID)
	again, ok := s.peers.cfg.Processes.Identify(process)
	return ok && again == who
}

// hello claims a session and releases the session that was claimed before. It returns false if the
// connection must end.
func (s *socket) hello(f *frame) bool {
	before := s.peer
	if s.holder == "" && !s.prove(f) {
		s.close(contracts.ClosePolicy, "the office did not start this session; send a token from `bullpen token create --role agent`")
		return false
	}
	agent, refusal := agentOfSession(f.OpenclawSession)
	switch {
	case refusal != nil:
		s.answer(refusalFrame(refusal))
		if before == nil {
			s.close(contracts.ClosePolicy, "hello must name a session")
		}
		return before != nil
	case s.bound != "" && contracts.AgentIDOf(s.bound) != contracts.AgentIDOf(agent):
		s.close(contracts.ClosePolicy, "this token is for another agent")
		return false
	}
	p, reconnected := s.peers.claim(s, before, f.OpenclawSession, f.ClaudeSession)
	if p == nil {
		return false
	}
	if s.peer = p; before != nil && before != p {
		s.peers.reportPresence(before.agent())
	}
	s.peers.reportPresence(p.agent())
	if reconnected {
		s.peers.recordReconnect(p.agent(), p.key)
	}
	_ = s.conn.SetReadDeadline(time.Time{})
	if s.closed() { // closed during hello: restore the close deadline
		_ = s.conn.SetReadDeadline(time.Now().Add(contracts.CloseGrace))
	}
	return true
}

// agentOfSession returns the agent in a session key, or a refusal if the key is invalid.
func agentOfSession(key string) (string, *contracts.Refusal) {
	agent, ok := contracts.SessionAgent(key)
	if !ok {
		return "", contracts.RefuseField("openclaw_session", "session must be <agent>%s<chat>, at most %d bytes of plain text", contracts.SessionSeparator, contracts.LimitSessionKey)
	}
	return agent, nil
}
