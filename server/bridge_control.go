package server

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/world"
)

// followOrders carries out what people want of who answers at the bridge, and hands on
// what they say to its guests. The order is in the ledger; what was ordered before this
// life has no process any more.
func (s *Server) followOrders(ctx context.Context) error {
	s.apologize()
	return s.ledger.Follow(ctx, s.opened, func(recs []contracts.Record) error {
		for i := range recs {
			if recs[i].Kind != contracts.KindHUD && recs[i].Kind != contracts.KindChat {
				continue
			}
			body, err := recs[i].Decode()
			if err != nil {
				return err
			}
			switch b := body.(type) {
			case *contracts.HUD:
				if b.Event == contracts.HUDReceived {
					s.control(b)
				}
			case *contracts.Chat:
				if b.From == contracts.UserID && s.dialledIn(b.To) {
					s.deliver(world.PendingChat{Seq: recs[i].Seq, Chat: *b})
				}
			}
		}
		return nil
	})
}

// dialledIn reports whether an agent is a guest of the bridge; one that the view does
// not have yet can be nobody else.
func (s *Server) dialledIn(id string) (guest bool) {
	s.hub.Look(func(w *world.World) {
		a := w.Agent(id)
		guest = a == nil || a.Source == contracts.SourceBridge
	})
	return guest
}

func (s *Server) control(h *contracts.HUD) {
	of := func(agent string) bool { return intake.AgentID(agent) == h.AgentID }
	switch {
	case h.Subtype == "stop":
		s.bridge.Stop(of)
	case !s.dialledIn(h.AgentID):
		s.controlProgram(h)
	case h.Subtype == "kill" || h.Subtype == "new_session":
		s.bridge.Reset(of)
	}
}
