package turn

import (
	"context"
	"errors"
	"os"
	"path"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Permit asks a person whether the agent's program may run a tool, and waits for the answer. An
// error means that no one answered, so the tool must not run.
func (r *recorder) Permit(ctx context.Context, p contracts.Permission) (drive.Verdict, error) {
	options := []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny}
	if p.Grants == "" {
		options = []string{contracts.OptionAllow, contracts.OptionDeny}
	}
	decided, err := r.askAll(ctx, "permission requested", p.Label, []contracts.AskSeen{hud.PrepareAsk(contracts.AskSeen{
		Kind: contracts.DecisionPermission, Options: options, Permission: &p, Prompt: "Allow the agent to run: " + p.Label,
	})})
	if err != nil {
		return drive.Verdict{}, err
	}
	d := decided[0]
	return drive.Verdict{Allow: d.Choice == contracts.OptionAllow || d.Choice == contracts.OptionAlways, Always: d.Choice == contracts.OptionAlways, Note: d.Note}, nil
}

// Ask puts the agent's questions to a person and returns the decisions once all are answered.
func (r *recorder) Ask(ctx context.Context, questions []contracts.AskSeen) ([]contracts.Decision, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	return r.askAll(ctx, "question asked", questions[0].Prompt, questions)
}

// askAll records questions and returns the decisions once all are answered. If it fails, it
// withdraws the unanswered questions.
func (r *recorder) askAll(ctx context.Context, says, line string, questions []contracts.AskSeen) (decided []contracts.Decision, err error) {
	if r.Closed() {
		return nil, errors.New("the turn has ended")
	}
	r.stall.asked.Add(1)
	defer r.stall.asked.Add(-1)
	defer r.stall.touch()
	var ids, waiting []string
	defer func() {
		for _, id := range waiting {
			r.report(status.Answered, id, "answered", "")
		}
		for _, id := range ids[len(decided):] {
			r.withdraw(ctx, id)
		}
	}()
	for _, q := range questions {
		q.AgentID, q.TurnID, q.ExpiresAt = r.route.AgentID, r.ID(), r.engine.cfg.Now().Add(contracts.PermissionWait).UnixMilli()
		if q.Permission != nil && path.IsAbs(q.Permission.Place) {
			q.Dir = q.Permission.Place
		}
		q.Home, _ = os.UserHomeDir() // if the home directory is unknown, rules are stricter
		reply := r.engine.cfg.Office.Tell(ctx, q)[0]
		if reply.Refusal != nil {
			return nil, reply.Refusal
		}
		id := reply.Result.DecisionID
		ids = append(ids, id)
		if reply.Result.RuleID != "" {
			continue // a rule has answered: no one is asked
		}
		waiting = append(waiting, id)
		r.report(status.Asked, id, says, hud.Line(line, contracts.LimitPreview))
	}
	for _, id := range ids {
		d, err := r.engine.cfg.Office.Await(ctx, id)
		switch {
		case err != nil:
			return decided, err
		case d.Status != contracts.DecisionResolved:
			return append(decided, d), errors.New(d.Reason)
		}
		decided = append(decided, d)
	}
	if r.Closed() { // a driver that outlives its turn must not act on the answer
		return decided, errors.New("the turn has ended")
	}
	return decided, nil
}

// withdraw cancels a question when the agent has stopped waiting for the answer.
func (r *recorder) withdraw(ctx context.Context, decisionID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), contracts.RecordTimeout)
	defer cancel()
	refusal := r.engine.cfg.Office.Tell(ctx, contracts.AskWithdrawn{DecisionID: decisionID, Reason: "The turn was stopped."})[0].Refusal
	if refusal != nil && refusal.Code != contracts.CodeConflict {
		r.log.Warn("question not withdrawn; it stays open although no one is waiting for the answer", "decision", decisionID, "error", refusal)
	}
}

// once returns a function that calls fn the first time and does nothing after that.
func once(fn func(any)) func(any) {
	var o sync.Once
	return func(v any) { o.Do(func() { fn(v) }) }
}
