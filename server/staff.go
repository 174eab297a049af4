package server

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/crew/openai"
	"github.com/bullpen-office/bullpen/crew/rehearsal"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/staff"
)

// openCrew sets up who works, unless nobody does.
func (s *Server) openCrew() error {
	if s.cfg.Crew == CrewNone {
		s.purse = crew.New(crew.Config{Budgets: s.cfg.Staff.Budgets, Accounts: s})
		return nil
	}
	runners, err := s.runners()
	if err != nil {
		return err
	}
	s.crew = crew.New(crew.Config{
		Office: s.office, Blobs: s.ledger, Streams: s.hub, NewUUID: uuid.NewString, Now: s.cfg.Now, Logger: s.cfg.Log,
		Runners: runners, Default: s.cfg.Crew, Budgets: s.cfg.Staff.Budgets, Accounts: s, Permit: s.permitCrew, Ask: s.askCrew, Roots: s.roots,
	})
	s.purse = s.crew
	return nil
}

// builders make runners, by kind.
var builders = map[staff.Kind]func(s *Server, name string, r staff.Runner) (crew.Runner, error){
	staff.Rehearsal: func(s *Server, _ string, _ staff.Runner) (crew.Runner, error) {
		home, _ := os.UserHomeDir() // without one there is none to protect
		return rehearsal.New(rehearsal.Config{Pace: s.cfg.Pace, Folder: s.cfg.Folder, Home: home}), nil
	},
	staff.OpenAI:   (*Server).openAIRunner,
	staff.Claude:   (*Server).openProgram,
	staff.OpenClaw: (*Server).openProgram,
	staff.Peer:     (*Server).openProgram,
}

// runners makes every runner that somebody works on. The rehearsal is always among
// them: people of an earlier configuration may still be on it.
func (s *Server) runners() (map[string]crew.Runner, error) {
	made := map[string]crew.Runner{}
	for _, name := range append([]string{crew.Rehearsal}, s.cfg.Staff.Used()...) {
		if made[name] != nil {
			continue
		}
		r, ok := s.cfg.Staff.Runner(name)
		build := builders[r.Kind]
		if !ok || build == nil {
			return made, fmt.Errorf("there is no runner named %q that this office can run", name)
		}
		runner, err := build(s, name, r)
		if err != nil {
			return made, fmt.Errorf("runners.%s: %w", name, err)
		}
		made[name] = runner
		if c, ok := runner.(io.Closer); ok {
			s.closers = append(s.closers, c)
		}
	}
	return made, nil
}

// closeRunners lets go of what runners hold, after the last turn.
func (s *Server) closeRunners() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (s *Server) openAIRunner(name string, r staff.Runner) (crew.Runner, error) {
	address, from := r.Endpoint(s.cfg.Getenv)
	if err := staff.CheckAddress(address, "http", "https"); err != nil {
		return nil, fmt.Errorf("the endpoint of %s cannot be used: %w", from, err)
	}
	key, _, err := r.Key(s.cfg.Getenv, gate.ReadFile)
	switch {
	case errors.Is(err, staff.ErrNoKey) && staff.NeedsKey(address):
		return nil, fmt.Errorf("%s needs a key: set OPENAI_API_KEY where the office is started, or name a variable or file in api_key_env or api_key_file", address)
	case err != nil && !errors.Is(err, staff.ErrNoKey):
		return nil, err
	}
	if s.endpoints == nil {
		s.endpoints = openai.NewEndpoints(s.metrics)
	}
	return openai.New(openai.Config{
		Name: name, Runner: r, BaseURL: address, Key: key, Endpoints: s.endpoints, Profile: s.person, Now: s.cfg.Now, Log: s.cfg.Log,
	}), nil
}

// person is who somebody of the office is.
func (s *Server) person(agentID string) contracts.AgentProfile {
	if p, ok := s.profile(agentID); ok {
		return p
	}
	return contracts.AgentProfile{AgentID: agentID, Name: agentID}
}
