package hub

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// features are the extensions to the Realtime World Protocol that a client may rely on.
var features = []string{"resume", "snapshot_delta", "agent_stream", "hud", "ui", "chat"}

// onHello starts a client's session, or refuses a second hello or an unsupported version.
func (s *session) onHello(id string, hello *contracts.Hello) {
	if s.greeted {
		s.refuse(id, contracts.Refuse(contracts.CodeNotAllowed, "hello was already sent; open another connection"))
		s.countViolation()
		return
	}
	if v := hello.SupportedVersions; len(v) > 0 && !slices.Contains(v, contracts.ProtocolVersion) {
		s.refuseVersion(id, "unsupported protocol version (this server supports version 1); update the client")
		return
	}
	name := hello.Client.ID
	if name == "" {
		name = hello.Client.Name
	}
	s.caller = contracts.Caller{
		Identity: s.principal.ID + "/" + name,
		By:       s.principal.ID,
		Via:      s.principal.Via,
		Access:   s.principal.Access,
		Permit:   s.principal.Permit,
		PlayerID: s.playerID(),
		Name:     hello.Client.Name,
	}
	notice := s.hub.noteSegment()
	s.mu.Lock()
	s.segment = notice
	s.mu.Unlock()
	ack := contracts.HelloAck{
		SessionID:       s.id(),
		ProtocolVersion: contracts.ProtocolVersion,
		ProtocolV:       contracts.ProtocolVersion,
		Epoch:           s.hub.ledger.ID(),
		SceneID:         s.hub.sceneID,
		Segment:         notice.segment,
		Server:          contracts.ServerInfo{Name: "bullpen", Version: s.hub.version},
		Heartbeat: contracts.Heartbeat{
			IntervalMS: contracts.HeartbeatInterval.Milliseconds(),
			TimeoutMS:  s.hub.limits.HeartbeatTimeout.Milliseconds(),
		},
		Features: features,
		Access:   s.principal.Access,
		PlayerID: s.playerID(),
		Permit:   s.principal.Permit,
	}
	if hello.Resume != nil {
		s.resume = s.hub.planResume(s.hub.runCtx, hello.Resume)
		s.hub.metrics.resumed(s.resume.reason)
		ack.Resume = s.resume.reply()
	}
	s.greeted = true
	s.post(contracts.TypeHelloAck, ack)
}

// refuseVersion tells the client which versions are supported and closes the connection.
func (s *session) refuseVersion(id, message string) {
	s.hub.metrics.refused(contracts.CodeVersionUnsupported)
	s.post(contracts.TypeError, contracts.ErrorPayload{
		InReplyTo:         id,
		Refusal:           contracts.Refusal{Code: contracts.CodeVersionUnsupported, Message: message},
		SupportedVersions: []int{contracts.ProtocolVersion},
	})
	s.fail(contracts.CloseVersion, "no common protocol version")
}
