package server

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/world"
)

// followOrders carries out orders for agents at the bridge and delivers chat messages to
// its guests. Orders from before the server started are not repeated: their processes
// have ended. Reported activity is not an order.
func (s *Server) followOrders(ctx context.Context) error {
	s.apologize()
	return s.ledger.Follow(ctx, s.opened, func(recs []contracts.Record) error {
		for i := range recs {
			order, ok, err := recs[i].Order()
			if err != nil {
				return err
			}
			if ok {
				s.control(order)
			}
			if recs[i].Kind != contracts.KindChat {
				continue
			}
			body, err := recs[i].Decode()
			if err != nil {
				return err
			}
			if c := body.(*contracts.Chat); c.From == contracts.UserID && s.dialledIn(c.To) {
				s.deliver(world.PendingChat{Seq: recs[i].Seq, Chat: *c})
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

// control carries out an order.
func (s *Server) control(h *contracts.HUD) {
	of := func(agent string) bool { return intake.AgentID(agent) == h.AgentID }
	switch {
	case h.Subtype == "stop":
		s.engine.Stop(of)
	case h.Subtype == "kill" || h.Subtype == "new_session":
		s.engine.Reset(of, s.session(h.AgentID))
	}
}

// session is the number of an agent's newest session: the record that begins it came with
// the order, and work in it may have begun.
func (s *Server) session(agentID string) (number int) {
	s.hub.Look(func(w *world.World) {
		if a := w.Agent(agentID); a != nil && !a.Guest() {
			number = a.Sessions
		}
	})
	return number
}
