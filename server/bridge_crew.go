package server

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/world"
)

// driverOf says how an agent that nobody dialled in for is reached: somebody of
// the crew answers as it answers a chat.
func (s *Server) driverOf(agent string) (drive.Driver, bool) {
	if s.crew == nil {
		return nil, false
	}
	id, runner := intake.AgentID(agent), ""
	found := false
	s.hub.Look(func(w *world.World) {
		if a := w.Agent(id); a != nil && !a.Guest() {
			runner, found = a.Runner, true
		}
	})
	if !found {
		return nil, false
	}
	r, ok := s.crew.Runners[runner]
	if !ok {
		r, ok = s.crew.Runners[s.crew.Default]
	}
	return crewDriver{s, id, r}, ok
}

// crewDriver lets callers of the bridge talk to somebody of the crew.
type crewDriver struct {
	s      *Server
	agent  string
	runner crew.Runner
}

func (d crewDriver) Open(context.Context, drive.Spec) (drive.Session, error) { return d, nil }
func (d crewDriver) ID() string                                              { return "" }
func (d crewDriver) Close() error                                            { return nil }

func (d crewDriver) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	work := contracts.ChatWork{Chat: contracts.Chat{ThreadID: contracts.AgentThreadPx + d.agent, From: contracts.UserID, To: d.agent, Text: contracts.Clip(p.Text, contracts.LimitChatText)}}
	d.s.hub.Look(func(w *world.World) { work.Summary = w.Summary() })
	reply, err := d.runner.Chat(ctx, crew.ChatJob{AgentID: d.agent, ChatWork: work}, crewSink{sink})
	if err != nil {
		return drive.Answer{}, fmt.Errorf("the answer failed: %w", err)
	}
	return drive.Answer{Text: reply.Text}, nil
}

// crewSink shows a runner's doings on the sink of a driver. What it streams is
// its working, not the answer, which comes whole.
type crewSink struct{ drive.Sink }

func (s crewSink) Progress(int, string) {}

func (s crewSink) Delta(_, text string) { s.Sink.Delta("thought", text) }

func (s crewSink) ToolStart(tool string, args any) func(any) { return s.Sink.ToolStart("", tool, args) }
