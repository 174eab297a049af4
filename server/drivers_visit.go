package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

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
	if err := v.visitor.s.purse.Afford(ctx, v.visitor.agentID, "", contracts.Usage{}); err != nil {
		return drive.Answer{}, err
	}
	meter := newCrewMeter(ctx, v.visitor.s.purse, v.visitor.agentID)
	defer meter.stop(nil)
	answer, err := v.Session.Turn(meter.ctx, p, meteredSink{sink, meter})
	if err = meter.cause(ctx, err); err != nil && answer.Usage == (contracts.Usage{}) {
		answer.Usage = meter.total()
	}
	return answer, err
}

// openSpawner prepares the runner for agents that are neither on the staff nor connected.
func (s *Server) openSpawner() error {
	r, ok := s.cfg.Staff.Spawned()
	if !ok {
		return nil
	}
	d, err := s.programDriver(r)
	if err != nil {
		return fmt.Errorf("bridge.runner: %w", err)
	}
	s.spawned.Runner = driven.New(driven.Config{Driver: d, Name: "bridge:", Memory: s.conversations, Now: s.cfg.Now, Log: s.cfg.Log.With("runner", "bridge")})
	s.spawned.place = func(agent string) (root, dir string, err error) { return s.spawnPlace(agent, r) }
	s.closers = append(s.closers, s.spawned.Runner)
	return nil
}

// spawner starts a program for callers of agents that nobody dialled in for and that
// do not belong to the crew; false when none is configured.
func (s *Server) spawner(id string) (drive.Driver, bool) {
	if s.spawned.Runner == nil {
		return nil, false
	}
	number := 0
	s.hub.Look(func(w *world.World) {
		if a := w.Agent(id); a != nil {
			number = a.Sessions
		}
	})
	return visitor{s, id, spawning{&s.spawned, s.spawned.Driver(number)}}, true
}

// spawned are the programs that run for agents that are neither on the staff nor connected.
type spawned struct {
	*driven.Runner
	place   func(agent string) (root, dir string, err error) // the working directory of an agent
	running atomic.Int64
}

// spawning starts them, each in its agent's own directory, at most
// contracts.LimitSpawned.
type spawning struct {
	programs *spawned
	drive.Driver
}

// Takes is what the program takes.
func (g spawning) Takes() drive.Takes { return drive.TakesOf(g.Driver) }

func (g spawning) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	release := func() { g.programs.running.Add(-1) }
	if n := g.programs.running.Add(1); n > contracts.LimitSpawned {
		release()
		return nil, fmt.Errorf("%w: %d programs run for guests already; try again when one has ended", drive.ErrAbsent, contracts.LimitSpawned)
	}
	session, err := g.open(ctx, spec)
	if err != nil {
		release()
		return nil, err
	}
	return &returned{Session: session, after: release}, nil
}

func (g spawning) open(ctx context.Context, spec drive.Spec) (_ drive.Session, err error) {
	if agent, _ := contracts.SessionAgent(spec.Key); spec.Workspace == "" { // as the caller names it
		if spec.Root, spec.Workspace, err = g.programs.place(agent); err != nil {
			return nil, err
		}
	}
	return g.Driver.Open(ctx, spec)
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`) })

// spawnPlace is the directory that a program of an agent is started in, and its parent. Two
// agents never share one, even where file names ignore case: names that are not plain
// end with a dot and their hash, and plain names have no dot.
func (s *Server) spawnPlace(agent string, r staff.Runner) (root, dir string, err error) {
	if root = r.Workspace; root == "" {
		if root, err = s.workplaces(); err != nil {
			return "", "", err
		}
	}
	name := string(contracts.PrefixAgent) + "_" + agent
	if !plainName().MatchString(agent) || strings.HasPrefix(agent, string(contracts.PrefixAgent)+"_") {
		name = fmt.Sprintf("%s.%.8x", intake.AgentID(agent), sha256.Sum256([]byte(agent)))
	}
	dir = filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("create the workspace: %w", err)
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() { // a link could lead to another agent's directory
		return "", "", fmt.Errorf("the workspace %s is not a directory: move it away", dir)
	}
	return root, dir, nil
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
