package acp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
)

// session is one conversation with an agent program.
type session struct {
	driver *Driver
	path   string
	spec   drive.Spec

	turns sync.Mutex // one turn at a time

	mu     sync.Mutex
	id     string // the agent's id of the conversation
	run    *run   // nil while no process runs
	broke  process.Crashes
	closed bool
}

// ID returns the agent's id for the conversation.
func (s *session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Turn sends the prompt to the agent and returns its answer.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	s.turns.Lock()
	defer s.turns.Unlock()
	if err := ctx.Err(); err != nil {
		return drive.Answer{}, err
	}
	r, err := s.ensureRunning(ctx)
	if err != nil {
		return drive.Answer{}, err
	}
	if len(p.Images) > 0 && !r.agent.Images {
		return drive.Answer{}, fmt.Errorf("%w: it does not accept images", drive.ErrCannot)
	}
	answer, err := r.prompt(ctx, p, sink)
	s.afterTurn(r, err)
	return answer, err
}

// ensureRunning returns the session's process with an open conversation. It starts one if none is
// running.
func (s *session) ensureRunning(ctx context.Context) (*run, error) {
	r, id, err := s.startProcess()
	if err != nil || r.agent.Version != 0 {
		return r, err
	}
	id, err = r.open(ctx, id)
	if err != nil {
		s.afterTurn(r, err)
		s.drop(r)
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	s.id = id
	return r, nil
}

var errClosed = errors.New("the conversation was closed")

// startProcess returns the running process, or a new process to which nothing has been sent yet,
// and the id of the conversation to resume.
func (s *session) startProcess() (r *run, id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, "", errClosed
	case s.run != nil && !s.run.ended():
		return s.run, s.id, nil
	}
	if s.run != nil {
		s.run.end(0)
		s.run = nil
	}
	if err := s.broke.Check(s.driver.cfg.Now()); err != nil {
		return nil, "", err
	}
	if s.id != "" {
		s.driver.cfg.Began(s.id)
	}
	if s.run, err = startRun(s.driver, s.path, s.spec); err != nil {
		return nil, "", err
	}
	return s.run, s.id, nil
}

// afterTurn ends the process and counts a crash if err is a goneError. After any other outcome, the
// next turn can use the process.
func (s *session) afterTurn(r *run, err error) {
	var gone *goneError
	if err != nil && !errors.As(err, &gone) {
		return // cancelled, or an answer that is an error: the conversation continues
	}
	s.mu.Lock()
	if err == nil {
		s.broke = nil
	} else {
		s.broke.Note(s.driver.cfg.Now())
	}
	s.mu.Unlock()
	if err != nil {
		s.drop(r)
	}
}

// drop ends a process that the session no longer uses.
func (s *session) drop(r *run) {
	s.mu.Lock()
	if s.run == r {
		s.run = nil
	}
	s.mu.Unlock()
	r.end(0)
}

// Close ends the process and the session.
func (s *session) Close() error {
	s.mu.Lock()
	r := s.run
	s.run, s.closed = nil, true
	s.mu.Unlock()
	if r != nil {
		r.end(contracts.ProcessGrace)
	}
	return nil
}

// goneError means that the process exited or stopped answering.
type goneError struct {
	reason string
	exit   error // the process's exit error; nil if unknown
}

func (e *goneError) Error() string   { return "the agent program ended: " + e.reason }
func (e *goneError) Unwrap() []error { return []error{drive.ErrGone, e.exit} }
