package server

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/world"
)

// permit asks a person whether a tool of an agent's program may run, and waits for
// the answer. A question that nobody waits for any more is withdrawn. asked is told
// of the decision; nil tells nobody.
func (s *Server) permit(ctx context.Context, agentID string, p contracts.Permission, asked func(decisionID string)) (drive.Verdict, error) {
	options := []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny}
	if p.Grants == "" {
		options = []string{contracts.OptionAllow, contracts.OptionDeny}
	}
	reply := s.office.Tell(ctx, hud.Ask(contracts.AskSeen{
		AgentID: agentID, Kind: contracts.DecisionPermission, Options: options, Permission: &p,
		Prompt: "May it run: " + p.Label, ExpiresAt: s.cfg.Now().Add(contracts.PermissionWait).UnixMilli(),
	}))[0]
	if reply.Refusal != nil {
		return drive.Verdict{}, reply.Refusal
	}
	id := reply.Result.DecisionID
	if asked != nil {
		asked(id)
	}
	d, err := s.answers.Await(ctx, id)
	switch {
	case err != nil:
		s.withdraw(ctx, id, "The turn was stopped.")
		return drive.Verdict{}, err
	case d.Status != contracts.DecisionResolved:
		return drive.Verdict{}, errors.New(d.Reason)
	}
	return drive.Verdict{Allow: d.Choice == contracts.OptionAllow || d.Choice == contracts.OptionAlways, Always: d.Choice == contracts.OptionAlways, Note: d.Note}, nil
}

// permitCrew asks for somebody of the crew.
func (s *Server) permitCrew(ctx context.Context, agentID string, p contracts.Permission) (drive.Verdict, error) {
	return s.permit(ctx, agentID, p, nil)
}

func (s *Server) withdraw(ctx context.Context, decisionID, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), contracts.RecordTimeout)
	defer cancel()
	no := s.office.Tell(ctx, contracts.AskWithdrawn{DecisionID: decisionID, Reason: reason})[0].Refusal
	if no != nil && no.Code != contracts.CodeConflict {
		s.cfg.Log.Warn("a permission stays open although nobody waits for it", "decision", decisionID, "error", no)
	}
}

// orphanedPermits are the questions of programs that ended with the last life of
// the server. It is called before anything runs.
func (s *Server) orphanedPermits() (ids []string) {
	s.hub.Look(func(w *world.World) {
		for _, d := range w.Decisions() {
			ag := w.Agent(d.AskedBy)
			if d.Kind == contracts.DecisionPermission && d.Status == contracts.DecisionOpen && ag != nil && (!ag.Guest() || ag.Source == contracts.SourceBridge) {
				ids = append(ids, d.DecisionID)
			}
		}
	})
	return ids
}

// withdrawOrphans lets go of questions that nobody waits for: an agent that goes on
// with its work asks again.
func (s *Server) withdrawOrphans(ctx context.Context) error {
	s.endTurns(ctx)
	for _, id := range s.orphans {
		s.withdraw(ctx, id, "The server was started again; the agent asks anew if it still needs this.")
	}
	<-ctx.Done()
	return nil
}
