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
	switch {
	case d.turn.crew.Permit == nil:
		return drive.Verdict{}, errors.New("nobody can be asked here")
	case d.Closed():
		return drive.Verdict{}, errors.New("the turn is over")
	}
	d.turn.pulse.asked.Add(1)
	defer d.turn.pulse.asked.Add(-1)
	defer d.turn.pulse.touch()
	return d.turn.crew.Permit(ctx, d.turn.work.AgentID, p)
}

var _ drive.Sink = driveSink{}
