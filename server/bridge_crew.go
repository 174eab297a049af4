package server

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/crew/driven"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/turn"
	"github.com/bullpen-office/bullpen/world"
)

// program finds who answers for an agent that nobody dialled in for: the program of a
// member of the crew in a conversation of the caller's own, everybody else of the crew as
// it answers a chat, and for other agents a program that is started.
func (s *Server) program(k turn.Key) (turn.Route, bool) {
	id, name, found := intake.AgentID(k.Agent), "", false
	route := turn.Route{AgentID: id}
	s.hub.Look(func(w *world.World) {
		a := w.Agent(id)
		if a == nil {
			return
		}
		route.Number = a.Sessions
		name, found = a.Runner, !a.Guest()
	})
	if !found || s.crew == nil {
		return s.spawner(route, k.Agent)
	}
	r, ok := s.crew.Runners[name]
	if !ok {
		name = s.crew.Default
		r, ok = s.crew.Runners[name]
	}
	if !ok {
		return turn.Route{}, false
	}
	if program := s.programs[name]; program != nil {
		return s.visitor(route, name, program)
	}
	route.Driver = crewDriver{s, id, r}
	return route, true
}

// visitor lets callers talk to the program of a member of the crew. It is false for one
// that only dials in by itself: the bridge would have found it.
func (s *Server) visitor(route turn.Route, name string, program *driven.Runner) (turn.Route, bool) {
	r, ok := s.cfg.Staff.Runner(name)
	if !ok || r.Kind == staff.Peer && r.Command == "" {
		return turn.Route{}, false
	}
	route.Runner, route.Driver, route.Acquire = name, program.Driver(), s.lending(r)
	route.Place = func(workspace string) (root, dir string, err error) {
		if workspace != "" {
			return s.cfg.confine(workspace)
		}
		dir, err = program.Workspace(route.AgentID)
		return "", dir, err
	}
	return route, true
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
	reply, err := d.runner.Chat(ctx, crew.ChatJob{AgentID: d.agent, ChatWork: work, Caller: &p}, crewSink{sink})
	if err != nil {
		return drive.Answer{}, fmt.Errorf("the answer failed: %w", err)
	}
	return drive.Answer{Text: reply.Text, Cut: reply.Cut}, nil
}

// crewSink shows a runner's doings on the sink of a driver. What it streams is
// its working, not the answer, which comes whole.
type crewSink struct{ drive.Sink }

func (s crewSink) Progress(int, string) {}

func (s crewSink) Delta(_, text string) { s.Sink.Delta("thought", text) }

func (s crewSink) ToolStart(tool string, args any) func(any) { return s.Sink.ToolStart("", tool, args) }

func (s crewSink) Drive() drive.Sink { return s.Sink }
