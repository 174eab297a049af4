package server

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/agents/openai"
	"github.com/bullpen-office/bullpen/agents/rehearsal"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/staff"
)

// openCrew sets up who works, unless nobody does.
func (s *Server) openCrew() error {
	if s.cfg.Crew == CrewNone {
		return nil
	}
	workers, err := s.workers()
	if err != nil {
		return err
	}
	s.crew = crew.New(crew.Config{
		Office: s.office, Blobs: s.ledger, Engine: s.engine, Workers: workers, Default: s.cfg.Crew,
		Profile: s.view.Person, Summary: s.view.Summary, NewUUID: uuid.NewString, Now: s.cfg.Now, Logger: s.cfg.Log,
	})
	return nil
}

// builders make workers, by the kind of their runner.
var builders = map[staff.Kind]func(s *Server, name string, r staff.Runner) (crew.Worker, error){
	staff.Rehearsal: func(s *Server, _ string, _ staff.Runner) (crew.Worker, error) {
		home, _ := os.UserHomeDir() // without one there is none to protect
		return crew.Worker{Driver: rehearsal.New(rehearsal.Config{Pace: s.cfg.Pace, Folder: s.cfg.Folder, Home: home, Summary: s.view.Summary})}, nil
	},
	staff.OpenAI:   (*Server).openModel,
	staff.Claude:   (*Server).openProgram,
	staff.OpenClaw: (*Server).openProgram,
	staff.Peer:     (*Server).openProgram,
}

// workers makes every worker that an agent needs. The rehearsal is always among them:
// people of an earlier configuration may still be on it.
func (s *Server) workers() (map[string]crew.Worker, error) {
	made := map[string]crew.Worker{}
	for _, name := range append([]string{crew.Rehearsal}, s.cfg.Staff.Used()...) {
		if made[name].Driver != nil {
			continue
		}
		r, ok := s.cfg.Staff.Runner(name)
		build := builders[r.Kind]
		if !ok || build == nil {
			return made, fmt.Errorf("there is no runner named %q that this office can run", name)
		}
		worker, err := build(s, name, r)
		if err != nil {
			return made, fmt.Errorf("runners.%s: %w", name, err)
		}
		made[name] = worker
		if c, ok := worker.Driver.(io.Closer); ok {
			s.closers = append(s.closers, c)
		}
	}
	return made, nil
}

// closeDrivers closes what drivers hold, after the last turn.
func (s *Server) closeDrivers() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// openModel makes the worker of people who are a model.
func (s *Server) openModel(name string, r staff.Runner) (crew.Worker, error) {
	address, from := r.Endpoint(s.cfg.Getenv)
	if err := staff.CheckAddress(address, "http", "https"); err != nil {
		return crew.Worker{}, fmt.Errorf("the endpoint of %s cannot be used: %w", from, err)
	}
	key, _, err := r.Key(s.cfg.Getenv, gate.ReadFile)
	switch {
	case errors.Is(err, staff.ErrNoKey) && staff.NeedsKey(address):
		return crew.Worker{}, fmt.Errorf("%s needs a key: set OPENAI_API_KEY where the office is started, or name a variable or file in api_key_env or api_key_file", address)
	case err != nil && !errors.Is(err, staff.ErrNoKey):
		return crew.Worker{}, err
	}
	if s.endpoints == nil {
		s.endpoints = openai.NewEndpoints(s.metrics)
	}
	return crew.Worker{Driver: openai.New(openai.Config{
		Name: name, Runner: r, BaseURL: address, Key: key, Endpoints: s.endpoints, Profile: s.view.Person, Summary: s.view.Summary, Now: s.cfg.Now, Log: s.cfg.Log,
	})}, nil
}
