package server

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/turn"
)

// turns is the office as the engine sees it, and the directory of who answers.
type turns struct{ *Server }

func (s turns) Find(ctx context.Context, k turn.Key) (turn.Route, error) {
	return s.bridge.Find(ctx, k)
}

func (s turns) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	return s.office.Tell(ctx, facts...)
}

func (s turns) Await(ctx context.Context, decisionID string) (contracts.Decision, error) {
	return s.view.Await(ctx, decisionID)
}

func (s turns) PutBlob(ctx context.Context, content []byte) (string, error) {
	return s.ledger.PutBlob(ctx, content)
}

func (s turns) PublishStream(d contracts.StreamDelta) { s.hub.PublishStream(d) }

// Admit lets an agent that nobody knows in as a guest.
func (s turns) Admit(ctx context.Context, p contracts.AgentProfile) error {
	if s.view.OfCrew(p.AgentID) {
		return nil
	}
	if err := s.roster.Join(ctx, p, intake.Proof{Seen: true}); err != nil {
		return fmt.Errorf("the agent cannot be let in: %w", err)
	}
	return nil
}

// Witness takes evidence of what a guest does; what the crew does follows from its open
// turns.
func (s turns) Witness(ctx context.Context, agentID string, e status.Evidence) {
	if !s.view.OfCrew(agentID) {
		s.roster.Witness(ctx, agentID, e)
	}
}
