package server

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/world"
)

// followControls carries out what people want of guests of the bridge. The order
// is in the ledger; what was ordered before this life has no process any more.
func (s *Server) followControls(ctx context.Context) error {
	return s.ledger.Follow(ctx, s.ledger.Head(), func(recs []contracts.Record) error {
		for i := range recs {
			if recs[i].Kind != contracts.KindHUD {
				continue
			}
			body, err := recs[i].Decode()
			if err != nil {
				return err
			}
			if h := body.(*contracts.HUD); h.Event == contracts.HUDReceived {
				s.control(h)
			}
		}
		return nil
	})
}

func (s *Server) control(h *contracts.HUD) {
	guest := false
	s.hub.Look(func(w *world.World) {
		a := w.Agent(h.AgentID)
		guest = a != nil && a.Source == sourceBridge
	})
	if !guest {
		s.controlProgram(h)
		return
	}
	of := func(agent string) bool { return intake.AgentID(agent) == h.AgentID }
	switch h.Subtype {
	case "stop":
		s.bridge.Stop(of)
	case "kill", "new_session":
		s.bridge.Reset(of)
	}
}
