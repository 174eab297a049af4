package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/crew/driven"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/world"
)

// driverOf says how an agent that nobody dialled in for is reached: the program of
// somebody of the crew answers in a conversation of the caller's own, everybody else
// of the crew as it answers a chat.
func (s *Server) driverOf(agent string) (drive.Driver, bool) {
	id, runner, number := intake.AgentID(agent), "", 0
	found := false
	s.hub.Look(func(w *world.World) {
		if a := w.Agent(id); a != nil && !a.Guest() {
			runner, number, found = a.Runner, a.Sessions, true
		}
	})
	if !found || s.crew == nil {
		return s.spawner(id)
	}
	r, ok := s.crew.Runners[runner]
	if !ok {
		runner = s.crew.Default
		r, ok = s.crew.Runners[runner]
	}
	if program, ok := r.(*driven.Runner); ok {
		return s.visitor(id, runner, number, program)
	}
	return crewDriver{s, id, r}, ok
}

// crewDriver lets callers of the bridge talk to somebody of the crew.
type crewDriver struct {
	s      *Server
	agent  string
	runner crew.Runner
}

// Takes says that runners are told everything with every turn: they remember nothing.
func (d crewDriver) Takes() drive.Takes {
	takes := drive.TakesOf(d.runner)
	takes.Messages = true
	return takes
}

func (d crewDriver) Open(context.Context, drive.Spec) (drive.Session, error) { return d, nil }
func (d crewDriver) ID() string                                              { return "" }
func (d crewDriver) Close() error                                            { return nil }

func (d crewDriver) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	if !drive.TakesOf(d.runner).Messages && contracts.Clip(p.Text, contracts.LimitChatText) != p.Text { // half of a question is another question
		return drive.Answer{}, fmt.Errorf("%w: at most %d characters", drive.ErrTooLong, contracts.LimitChatText)
	}
	work := contracts.ChatWork{Chat: contracts.Chat{ThreadID: contracts.AgentThreadPx + d.agent, From: contracts.UserID, To: d.agent, Text: p.Text}}
	d.s.hub.Look(func(w *world.World) { work.Summary = w.Summary() })
	meter := newCrewMeter(ctx, d.s.crew, d.agent)
	defer meter.stop(nil)
	meter.Used(contracts.Usage{})
	reply, err := d.runner.Chat(meter.ctx, crew.ChatJob{AgentID: d.agent, ChatWork: work, Caller: &p}, crewSink{sink, meter})
	err = meter.cause(ctx, err)
	answer := drive.Answer{Text: reply.Text, Cut: reply.Cut, Usage: meter.total()}
	if err != nil {
		return answer, fmt.Errorf("the answer failed: %w", err)
	}
	return answer, nil
}

// crewSink shows a runner's doings on the sink of a driver. What it streams is
// its working, not the answer, which comes whole.
type crewSink struct {
	drive.Sink
	*crewMeter
}

func (s crewSink) Progress(int, string) {}

func (s crewSink) Delta(_, text string) { s.Sink.Delta("thought", text) }

func (s crewSink) ToolStart(tool string, args any) func(any) { return s.Sink.ToolStart("", tool, args) }

func (s crewSink) Used(u contracts.Usage) { s.crewMeter.Used(u) }

func (s crewSink) Drive() drive.Sink { return meteredSink{s.Sink, s.crewMeter} }

// meteredSink holds what a program says that it uses against the crew's budgets.
type meteredSink struct {
	drive.Sink
	meter *crewMeter
}

func (s meteredSink) Used(u contracts.Usage) { s.meter.Used(u) }

// crewMeter holds an answer against the crew's budgets.
type crewMeter struct {
	crew  *crew.Crew
	agent string
	ctx   context.Context
	stop  context.CancelCauseFunc

	mu   sync.Mutex
	used contracts.Usage
}

func newCrewMeter(ctx context.Context, c *crew.Crew, agent string) *crewMeter {
	m := &crewMeter{crew: c, agent: agent}
	m.ctx, m.stop = context.WithCancelCause(ctx)
	return m
}

// Used replaces what was used so far and stops the answer when that is too much.
func (m *crewMeter) Used(u contracts.Usage) {
	m.mu.Lock()
	m.used = u
	m.mu.Unlock()
	if err := m.crew.Afford(m.ctx, m.agent, "", u); err != nil {
		m.stop(err)
	}
}

// cause is why the answer failed: the budget, when that ended it and not the caller.
func (m *crewMeter) cause(caller context.Context, err error) error {
	if over := context.Cause(m.ctx); err != nil && over != nil && caller.Err() == nil {
		return over
	}
	return err
}

func (m *crewMeter) total() contracts.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}
