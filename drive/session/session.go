// Package session implements drive.Session for agent programs that run as a process: it starts the
// process with the first turn, opens the conversation in it, and does both again after the process
// has exited.
//
// A session has one turn at a time. A program that keeps crashing is not restarted for a while, and
// its turns fail with process.ErrLooping. Closing a session ends its process.
package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
)

// Run is one process of a session.
type Run interface {
	// Open resumes the conversation with this id, or starts a new one if id is empty. It returns the
	// program's id for the conversation, or "" if the program has not reported the id yet; a run that
	// learns the id later calls Session.SetID. Open is called once, before the first prompt.
	Open(ctx context.Context, id string) (string, error)
	// Prompt runs a turn as drive.Session.Turn does. If the process is no longer usable, the error is
	// drive.ErrGone.
	Prompt(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error)
	// Ready reports, between turns, whether the process can accept a prompt.
	Ready() bool
	// End ends the process and everything it started, after giving it the grace period to exit on
	// its own. It may be called more than once.
	End(grace time.Duration)
	// LimitWritesAfter has the same contract as process.Process.LimitWritesAfter.
	LimitWritesAfter(ctx context.Context) (over func())
}

// Config configures a Session. All fields are required.
type Config struct {
	Name  string                                       // name of the program, for errors
	Start func(s *Session, resume string) (Run, error) // starts a process; resume is the conversation's id, or empty for a new conversation
	Began func(id string)                              // called before a process resumes a conversation
	Now   func() time.Time
}

// Session is one conversation with an agent program.
type Session struct {
	cfg   Config
	turns sync.Mutex // one turn at a time

	mu      sync.Mutex
	id      string // the program's id for the conversation
	run     Run    // nil while no process is running
	crashes process.Crashes
	closed  bool
}

// New returns a session that resumes the conversation with this id, or starts a new one if resume
// is empty. It starts no process.
func New(cfg Config, resume string) *Session { return &Session{cfg: cfg, id: resume} }

// ID returns the program's id for the conversation.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// SetID sets the program's id for the conversation, for programs that report it during a turn.
func (s *Session) SetID(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = id
}

// Turn sends the prompt to the program and returns its answer.
func (s *Session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
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
	answer, err := r.Prompt(ctx, p, sink)
	s.noteOutcome(r, err)
	return answer, err
}

var errClosed = errors.New("the conversation was closed")

// process returns the running process, or a new one that has not opened the conversation yet.
func (s *Session) process() (r Run, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, false, errClosed
	case s.run != nil && s.run.Ready():
		return s.run, false, nil
	}
	if s.run != nil {
		s.run.End(0)
		s.run = nil
	}
	if err := s.crashes.Check(s.cfg.Now()); err != nil {
		return nil, false, err
	}
	if s.id != "" {
		s.cfg.Began(s.id)
	}
	if r, err = s.cfg.Start(s, s.id); err != nil {
		return nil, false, err
	}
	s.run = r
	return r, true, nil
}

// open opens the conversation in a new process, with contracts.AgentStart as the timeout. If that
// fails, it ends the process.
func (s *Session) open(ctx context.Context, r Run) error {
	limited, cancel := context.WithTimeout(ctx, contracts.AgentStart)
	defer cancel()
	over := r.LimitWritesAfter(limited)
	id, err := r.Open(limited, s.ID())
	over()
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = Gone(s.cfg.Name, fmt.Sprintf("it did not answer within %v", contracts.AgentStart))
	}
	if err != nil {
		s.noteOutcome(r, err)
		s.drop(r)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if id != "" {
		s.id = id
	}
	return nil
}

// noteOutcome ends the process and counts a crash if err is drive.ErrGone. After any other outcome,
// the next turn can use the process.
func (s *Session) noteOutcome(r Run, err error) {
	if err != nil && !errors.Is(err, drive.ErrGone) {
		return
	}
	s.mu.Lock()
	if err == nil {
		s.crashes = nil
	} else {
		s.crashes.Note(s.cfg.Now())
	}
	s.mu.Unlock()
	if err != nil {
		s.drop(r)
	}
}

// drop ends a process that the session no longer uses.
func (s *Session) drop(r Run) {
	s.mu.Lock()
	if s.run == r {
		s.run = nil
	}
	s.mu.Unlock()
	r.End(0)
}

// Close ends the process and the session.
func (s *Session) Close() error {
	s.mu.Lock()
	r := s.run
	s.run, s.closed = nil, true
	s.mu.Unlock()
	if r != nil {
		r.End(contracts.ProcessGrace)
	}
	return nil
}

var _ drive.Session = (*Session)(nil)
