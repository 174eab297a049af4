package crew

import (
	"context"
	"errors"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// driveSink is the sink as a program's driver sees it.
type driveSink struct{ *sink }

// Drive is this sink for a program.
func (s *sink) Drive() drive.Sink { return driveSink{s} }

// ToolStart reports a call with the program's own id.
func (d driveSink) ToolStart(callID, tool string, args any) func(result any) {
	end := d.Turn.ToolStart(callID, tool, args)
	d.turn.pulse.tools.Add(1)
	var once sync.Once
	return func(result any) {
		end(result)
		once.Do(func() { d.turn.pulse.tools.Add(-1) })
	}
}

// Permit asks a person. The time that the person takes is not the worker's.
func (d driveSink) Permit(ctx context.Context, p contracts.Permission) (drive.Verdict, error) {
	return askPerson(d, d.turn.crew.Permit, ctx, p)
}

// Ask puts questions to a person and waits for the answers.
func (d driveSink) Ask(ctx context.Context, questions []contracts.AskSeen) ([]contracts.Decision, error) {
	return askPerson(d, d.turn.crew.Ask, ctx, questions)
}

// askPerson waits for a person without holding the time against the worker.
func askPerson[Q, A any](d driveSink, ask func(context.Context, string, Q) (A, error), ctx context.Context, q Q) (none A, err error) {
	switch {
	case ask == nil:
		return none, errors.New("questions cannot be asked here")
	case d.Closed():
		return none, errors.New("the turn is over")
	}
	d.turn.pulse.asked.Add(1)
	defer d.turn.pulse.asked.Add(-1)
	defer d.turn.pulse.touch()
	return ask(ctx, d.turn.work.AgentID, q)
}

var _ drive.Sink = driveSink{}
