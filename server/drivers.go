package server

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bullpen-office/bullpen/agents/claude"
	"github.com/bullpen-office/bullpen/agents/openclaw"
	gateway "github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/agents/peer"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/turn"
)

// openDrivers reads which conversations are the office's own.
func (s *Server) openDrivers() {
	s.conversations = &turn.Memory{}
	if s.cfg.ledgerPath() == "" {
		return
	}
	memory, err := turn.OpenMemory(filepath.Join(s.cfg.DataDir, "conversations.json"))
	if err != nil {
		s.cfg.Log.Warn("agents do not remember their conversations", "error", err)
	}
	s.conversations = memory
}

// openProgram makes the worker of people who are programs. It starts nothing.
func (s *Server) openProgram(_ string, r staff.Runner) (crew.Worker, error) {
	d, err := s.programDriver(r)
	if err != nil {
		return crew.Worker{}, err
	}
	w := crew.Worker{Driver: d, Lenient: r.Lenient, Acquire: s.lending(r)}
	if r.Kind == staff.Claude || r.Command != "" {
		w.Place = func(agentID string) (string, error) { return s.workplace(agentID, r) }
	}
	return w, nil
}

// place is the directory in which the program of a member of the crew works. It is false
// for agents that are not programs of the crew, and empty when there is none.
func (s *Server) place(runner, agentID string) (dir string, program bool) {
	if s.crew == nil {
		return "", false
	}
	w, ok := s.crew.Workers[runner]
	if !ok || drive.TakesOf(w.Driver).Work {
		return "", false
	}
	if w.Place != nil {
		dir, _ = w.Place(agentID) // without one there is nothing to show paths from
	}
	return dir, true
}

func (s *Server) programDriver(r staff.Runner) (drive.Driver, error) {
	switch {
	case r.Kind == staff.Claude:
		return claude.New(claude.Config{Command: r.Command, Args: r.Args, Model: r.Model, Began: s.began, Now: s.cfg.Now, Log: s.cfg.Log}), nil
	case r.Kind == staff.Peer && r.Command != "":
		return peer.New(peer.Config{Command: r.Command, Args: r.Args, Peer: s.bridge.Peer(), Await: s.bridge.Await, Exited: s.bridge.Exited, Now: s.cfg.Now, Log: s.cfg.Log}), nil
	case r.Kind == staff.Peer:
		return s.bridge.Peer(), nil
	case r.Kind == staff.OpenClaw:
		return s.gatewayDriver(r)
	}
	return nil, fmt.Errorf("the kind %q is not a program", r.Kind)
}

// defaultGateway is where a gateway listens that nobody configured.
const defaultGateway = "ws://127.0.0.1:18789"

// gatewayDriver reaches an agent of a gateway: the one that the runner names, or the
// first that is followed.
func (s *Server) gatewayDriver(r staff.Runner) (drive.Driver, error) {
	address, token := r.URL, ""
	if list := openclaw.Gateways(s.cfg.Options[openclaw.Adapter.Source.Source]); address == "" && len(list) > 0 {
		address, token = list[0].URL, list[0].Token
	}
	address, err := gateway.Address(cmp.Or(address, defaultGateway), false)
	if err != nil {
		return nil, err
	}
	own, _, err := r.Token(s.cfg.Getenv, gate.ReadFile)
	if err != nil && !errors.Is(err, staff.ErrNoKey) {
		return nil, err
	}
	return openclaw.New(openclaw.Config{
		URL: address, Token: cmp.Or(own, token), Dir: openclaw.DeviceDir(s.cfg.DataDir), Agent: r.Agent, Version: s.cfg.Version, Now: s.cfg.Now, Log: s.cfg.Log,
	}), nil
}

// began marks a conversation as the office's own before it begins.
func (s *Server) began(id string) {
	if err := s.conversations.Began(id); err != nil {
		s.cfg.Log.Warn("a conversation of the office may be shown twice after a restart", "error", err)
	}
}

// workplace is the directory in which an agent's program works: the configured one,
// or one of its own in the data directory.
func (s *Server) workplace(agentID string, r staff.Runner) (string, error) {
	if dir := cmp.Or(s.cfg.Staff.Workspace(agentID), r.Workspace); dir != "" {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			return "", fmt.Errorf("the workspace %q is not a directory that is there: make it, or change the configuration", dir)
		}
		return dir, nil
	}
	root, err := s.workplaces()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, agentID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the workspace: %w", err)
	}
	return dir, nil
}

// roots say how the paths of somebody are shown: from where it works, and from home.
func (s *Server) roots(agentID string) hud.Roots {
	home, _ := os.UserHomeDir() // without one, paths are shown whole
	who := s.view.Person(agentID)
	work := who.Place // of a guest
	if who.Runner == crew.Rehearsal {
		work = s.cfg.Folder
	}
	if dir, program := s.place(who.Runner, agentID); program {
		work = dir
	}
	return hud.RootsAt(work, home)
}

// workplaces is where agents without a configured workspace work. An office in
// memory leaves nothing behind.
func (s *Server) workplaces() (string, error) {
	if s.cfg.DataDir != "" {
		return filepath.Join(s.cfg.DataDir, "workspaces"), nil
	}
	s.binding.Lock()
	defer s.binding.Unlock()
	if s.scratch == "" {
		dir, err := os.MkdirTemp("", "bullpen-workspaces-")
		if err != nil {
			return "", fmt.Errorf("make a place for agents to work in: %w", err)
		}
		s.scratch = scratch(dir)
	}
	return string(s.scratch), nil
}

// scratch is a directory that goes with the office.
type scratch string

func (dir scratch) Close() error {
	if dir == "" {
		return nil
	}
	return os.RemoveAll(string(dir))
}
