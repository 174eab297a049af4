package server

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud/status"
)

// unendedTurns are the ends of what came through the bridge and was under way when
// the last life of the server ended. It is called before anything runs.
func (s *Server) unendedTurns(ctx context.Context) []contracts.HUD {
	ends, err := activity.Leftovers(ctx, s.ledger, uuid.NewString, func(h *contracts.HUD) bool {
		return strings.HasPrefix(h.Session, contracts.SourceBridge+":")
	}, s.roots)
	if err != nil {
		s.cfg.Log.Warn("turns of the bridge that were left open stay open until the next start", "error", err)
	}
	return ends
}

// endTurns records that nobody works any more on what the last life began: the
// callers are gone, and so are the programs.
func (s *Server) endTurns(ctx context.Context) {
	for _, end := range s.unended {
		t := s.newBridgeTurn(ctx, end.AgentID, end.Session, drive.Prompt{})
		t.record(end)
		if end.Event == contracts.HUDTurnEnd {
			t.witness(status.TurnEnded, "", "the server stopped in the middle of its turn", "")
		}
	}
}
