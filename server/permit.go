package server

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
)

// asker is whose program asks, and in which turn.
type asker struct{ agent, turn string }

// permit asks a person whether a tool of an agent's program may run, and waits for
// the answer. A question that nobody waits for any more is withdrawn. asked is told
// of the decision; nil tells nobody.
func (s *Server) permit(ctx context.Context, who asker, p contracts.Permission, asked func(decisionID string)) (drive.Verdict, error) {
	options := []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny}
	if p.Grants == "" {
		options = []string{contracts.OptionAllow, contracts.OptionDeny}
	}
	decided, err := s.ask(ctx, who, []contracts.AskSeen{hud.Ask(contracts.AskSeen{
		Kind: contracts.DecisionPermission, Options: options, Permission: &p, Prompt: "May it run: " + p.Label,
	})}, asked)
	if err != nil {
		return drive.Verdict{}, err
	}
	d := decided[0]
	return drive.Verdict{Allow: d.Choice == contracts.OptionAllow || d.Choice == contracts.OptionAlways, Always: d.Choice == contracts.OptionAlways, Note: d.Note}, nil
}

// ask puts the questions of an agent's program to a person, and waits until every
// one is answered. The error says why one is not; all that are open are withdrawn
// then. asked is told of each decision; nil tells nobody.
func (s *Server) ask(ctx context.Context, who asker, questions []contracts.AskSeen, asked func(decisionID string)) (decided []contracts.Decision, err error) {
	var ids []string
	defer func() {
		for _, id := range ids[len(decided):] {
			s.withdraw(ctx, id, "The turn was stopped.")
		}
	}()
	for _, q := range questions {
		q.AgentID, q.TurnID, q.ExpiresAt = who.agent, who.turn, s.cfg.Now().Add(contracts.PermissionWait).UnixMilli()
		reply := s.office.Tell(ctx, q)[0]
		if reply.Refusal != nil {
			return nil, reply.Refusal
		}
		ids = append(ids, reply.Result.DecisionID)
		if asked != nil {
			asked(reply.Result.DecisionID)
		}
	}
	for _, id := range ids {
		d, err := s.answers.Await(ctx, id)
		switch {
		case err != nil:
			return decided, err
		case d.Status != contracts.DecisionResolved:
			return append(decided, d), errors.New(d.Reason)
		}
		decided = append(decided, d)
	}
	return decided, nil
}

// askCrew asks for somebody of the crew.
func (s *Server) askCrew(ctx context.Context, agentID string, questions []contracts.AskSeen) ([]contracts.Decision, error) {
	return s.ask(ctx, asker{agent: agentID}, questions, nil)
}

// permitCrew asks for somebody of the crew.
func (s *Server) permitCrew(ctx context.Context, agentID string, p contracts.Permission) (drive.Verdict, error) {
	return s.permit(ctx, asker{agent: agentID}, p, nil)
}

func (s *Server) withdraw(ctx context.Context, decisionID, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), contracts.RecordTimeout)
	defer cancel()
	no := s.office.Tell(ctx, contracts.AskWithdrawn{DecisionID: decisionID, Reason: reason})[0].Refusal
	if no != nil && no.Code != contracts.CodeConflict {
		s.cfg.Log.Warn("a permission stays open although nobody waits for it", "decision", decisionID, "error", no)
	}
}
