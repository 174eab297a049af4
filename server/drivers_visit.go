package server

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew/driven"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/world"
)

// visitor lets callers of the bridge talk to the program of somebody of the crew.
// It is false for one that only dials in by itself: the bridge would have found it.
func (s *Server) visitor(agentID, runner string, number int, program *driven.Runner) (drive.Driver, bool) {
	if r, ok := s.cfg.Staff.Runner(runner); !ok || r.Kind == staff.Peer && r.Command == "" {
		return nil, false
	}
	return visitor{s, agentID, program.Driver(number)}, true
}

type visitor struct {
	s       *Server
	agentID string
	program drive.Driver
}

// Takes is what the program takes.
func (v visitor) Takes() drive.Takes { return drive.TakesOf(v.program) }

func (v visitor) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	spec.AgentID = v.agentID // callers may name it in other ways
	session, err := v.program.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	return visit{session, v}, nil
}

// visit holds every turn against the crew's budgets, before it begins and while it
// tells what it uses.
type visit struct {
	drive.Session
	visitor visitor
}

func (v visit) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	if err := v.visitor.s.crew.Afford(ctx, v.visitor.agentID, "", contracts.Usage{}); err != nil {
		return drive.Answer{}, err
	}
	meter := newCrewMeter(ctx, v.visitor.s.crew, v.visitor.agentID)
	defer meter.stop(nil)
	answer, err := v.Session.Turn(meter.ctx, p, meteredSink{sink, meter})
	if err = meter.cause(ctx, err); err != nil && answer.Usage == (contracts.Usage{}) {
		answer.Usage = meter.total()
	}
	return answer, err
}

// spawner starts a program for callers of agents that nobody dialled in for and that
// do not belong to the crew; false when none is configured.
func (s *Server) spawner() (drive.Driver, bool) {
	command := s.cfg.Staff.Bridge.Spawn
	if len(command) == 0 {
		return nil, false
	}
	r := staff.Runner{Kind: staff.Peer, Command: command[0], Args: command[1:], Env: s.cfg.Staff.Bridge.Env}
	d, err := s.programDriver(r)
	return guestProgram{s, d, r}, err == nil
}

// guestProgram gives sessions that name no workspace one of their own.
type guestProgram struct {
	s      *Server
	driver drive.Driver
	runner staff.Runner
}

// Takes is what the program takes.
func (g guestProgram) Takes() drive.Takes { return drive.TakesOf(g.driver) }

func (g guestProgram) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	if n := g.s.spawned.Add(1); n > contracts.LimitSpawned {
		g.s.spawned.Add(-1)
		return nil, fmt.Errorf("%w: %d programs run for guests already; try again when one has ended", drive.ErrAbsent, contracts.LimitSpawned)
	}
	session, err := g.open(ctx, spec)
	if err != nil {
		g.s.spawned.Add(-1)
		return nil, err
	}
	return &returned{Session: session, after: func() { g.s.spawned.Add(-1) }}, nil
}

func (g guestProgram) open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	if spec.Workspace == "" {
		place, err := g.s.workplace(intake.AgentID(spec.AgentID), g.runner)
		if err != nil {
			return nil, err
		}
		spec.Workspace = place
	}
	return g.driver.Open(ctx, spec)
}

// controlProgram ends the process of somebody of the crew when a person wants that.
// Its turn was ended by the record itself; callers of the bridge are stopped here.
func (s *Server) controlProgram(h *contracts.HUD) {
	if h.Subtype != "kill" && h.Subtype != "new_session" {
		return
	}
	number := 0
	s.hub.Look(func(w *world.World) { // the record that begins the new session came with this one
		if a := w.Agent(h.AgentID); a != nil {
			number = a.Sessions
		}
	})
	for _, program := range s.programs {
		program.Kill(h.AgentID, number)
	}
	s.bridge.Reset(func(agent string) bool { return intake.AgentID(agent) == h.AgentID })
}
