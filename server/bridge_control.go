package server

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// ofCrew is the source of those who are not guests.
const ofCrew = ""

// carryOut carries out an order for an agent of the crew or of the bridge, and delivers
// what people say to guests of the bridge. The crew finds its mail in the list of work.
func (s *Server) carryOut(rec contracts.Record) error {
	body, err := rec.Decode()
	if err != nil {
		return err
	}
	switch b := body.(type) {
	case *contracts.HUD:
		s.control(b)
	case *contracts.Chat:
		if s.dialledIn(b.To) {
			s.deliver(world.PendingChat{Seq: rec.Seq, Chat: *b})
		}
	}
	return nil
}

// dialledIn reports whether an agent is a guest of the bridge.
func (s *Server) dialledIn(id string) bool {
	p, _ := s.view.Profile(id)
	return p.Source == contracts.SourceBridge
}

// control carries out an order.
func (s *Server) control(h *contracts.HUD) {
	of := func(agent string) bool { return contracts.AgentIDOf(agent) == h.AgentID }
	switch {
	case h.Subtype == "stop":
		s.engine.Stop(of)
	case h.Subtype == "kill" || h.Subtype == "new_session":
		s.engine.Reset(of, s.view.Sessions(h.AgentID))
	}
}
