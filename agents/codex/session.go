package codex

import (
	"context"
	"errors"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
)

// session is one Codex thread.
type session struct {
	driver *Driver
	path   string
	spec   drive.Spec

	turns sync.Mutex // one turn at a time

	mu     sync.Mutex
	id     string // of the thread
	run    *run   // nil while no process runs
	broke  process.Crashes
	closed bool
}

// ID returns the thread's id.
func (s *session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Turn sends the prompt to Codex and returns its answer. If the process has exited, a new one resumes
// the thread.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	s.turns.Lock()
	defer s.turns.Unlock()
	if err := ctx.Err(); err != nil {
		return drive.Answer{}, err
	}
	r, fresh, err := s.process()
	if err != nil {
		return drive.Answer{}, err
	}
	if fresh {
		if err := s.open(ctx, r); err != nil {
			return drive.Answer{}, err
		}
	}
	answer, err := r.prompt(ctx, p, sink)
	s.after(r, err)
	return answer, err
}

var errClosed = errors.New("the conversation was closed")

// process returns the running process, or a new one that has not opened the thread yet.
func (s *session) process() (r *run, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, false, errClosed
	case s.run != nil && !s.run.ended():
		return s.run, false, nil
	}
	if s.run != nil {
		s.run.end(0)
		s.run = nil
	}
	if err := s.broke.Check(s.driver.cfg.Now()); err != nil {
		return nil, false, err
	}
	if s.id != "" {
		s.driver.cfg.Began(s.id)
	}
	s.run, err = startRun(s.driver, s.path, s.spec)
	return s.run, true, err
}

// open opens the thread in a new process.
func (s *session) open(ctx context.Context, r *run) error {
	id, err := r.open(ctx, s.ID())
	if err != nil {
		s.after(r, err)
		s.drop(r)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.id = id
	return nil
}

// after ends the process and counts a crash if err is a goneError. After any other outcome, the next
// turn can use the process.
func (s *session) after(r *run, err error) {
	var gone *goneError
	if err != nil && !errors.As(err, &gone) {
		return
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

func (e *goneError) Error() string   { return "Codex ended: " + e.reason }
func (e *goneError) Unwrap() []error { return []error{drive.ErrGone, e.exit} }
