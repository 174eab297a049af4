// Package peer starts a program for a session and talks to it over the bridge. The program finds
// the bridge's address and the session in its environment.
//
// If a program exits, its turn ends immediately with the exit code, and the next turn restarts the
// program. A program that keeps crashing is not restarted for a while, and the error says why.
// Closing a session leaves nothing running.
package peer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
)

// Config configures a Driver. Command, Peer, Await and Exited are required.
type Config struct {
	Command string
	Args    []string
	Env     []string // the program's environment; the session's variables are added

	Peer   drive.Driver                                       // talks to the connected program
	Await  func(ctx context.Context, sessionKey string) error // waits until the program has connected
	Exited func(sessionKey, id string)                        // called when the program has exited and will not reconnect

	Start time.Duration    // maximum time for the program to connect; default contracts.ProcessStart
	Now   func() time.Time // default time.Now
	Log   *slog.Logger     // default: no logging
}

// Driver starts a program for each session.
type Driver struct{ cfg Config }

// New returns a driver. It starts no program.
func New(cfg Config) *Driver {
	if cfg.Start <= 0 {
		cfg.Start = contracts.ProcessStart
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Driver{cfg}
}

// Open returns a session, or an error if the program is not installed. The program starts with the
// first turn.
func (d *Driver) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	path, err := exec.LookPath(d.cfg.Command)
	if err != nil {
		return nil, fmt.Errorf("the program %q is not installed or not in PATH: install it, or set the runner's command", d.cfg.Command)
	}
	peer, err := d.cfg.Peer.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	id := spec.Resume
	if id == "" {
		id = uuid.NewString()
	}
	return &session{Driver: d, Session: peer, path: path, spec: spec, id: id}, nil
}

// session is one program and its conversation over the bridge.
type session struct {
	*Driver
	drive.Session // the session with the connected peer
	path          string
	spec          drive.Spec
	id            string

	mu      sync.Mutex
	run     *process.Process // nil while not running
	crashes process.Crashes
	closed  bool
}

// ID returns the conversation id that was given to the program.
func (s *session) ID() string { return s.id }

// Turn starts the program if it is not running, sends the prompt and returns the answer.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	run, err := s.ensureRunning()
	if err != nil {
		return drive.Answer{}, err
	}
	if err := s.awaitConnection(ctx, run); err != nil {
		s.afterTurn(run, err)
		return drive.Answer{}, err
	}
	answer, err := s.turnUntilExit(ctx, run, p, sink)
	s.afterTurn(run, err)
	return answer, s.explain(run, err)
}

// turnUntilExit runs a turn. The turn ends early once the program has exited and everything that it
// sent has been read. If the connection stays open after the exit, the turn ends after
// contracts.CloseGrace.
func (s *session) turnUntilExit(ctx context.Context, run *process.Process, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	turn, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		select {
		case <-turn.Done():
			return
		case <-run.Done():
			s.cfg.Exited(s.spec.Key, s.id)
		}
		select {
		case <-turn.Done():
		case <-time.After(contracts.CloseGrace):
			end(drive.ErrGone)
		}
	}()
	answer, err := s.Session.Turn(turn, p, sink)
	if cause := context.Cause(turn); err != nil && errors.Is(cause, drive.ErrGone) {
		err = cause
	}
	return answer, err
}

// ensureRunning returns the session's process. It starts one if none is running.
func (s *session) ensureRunning() (*process.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the conversation was closed")
	}
	if s.run != nil {
		select {
		case <-s.run.Done():
			s.run.Stop(0)
		default:
			return s.run, nil
		}
	}
	if err := s.crashes.Check(s.cfg.Now()); err != nil {
		return nil, err
	}
	env := append(slices.Concat(s.cfg.Env, s.spec.Env), "SYNTHESIS_OPENCLAW_SESSION="+s.spec.Key, "SYNTHESIS_CLAUDE_SESSION="+s.id)
	run, err := process.Start(process.Spec{Path: s.path, Args: s.cfg.Args, Dir: s.spec.Workspace, Root: s.spec.Root, Env: env})
	if err != nil {
		return nil, err
	}
	s.run = run
	go func() { _, _ = io.Copy(io.Discard, run.Stdout) }() // the program answers over the bridge
	return run, nil
}

// awaitConnection waits until the program has connected. It returns an error if the program exits
// or does not connect in time.
func (s *session) awaitConnection(ctx context.Context, run *process.Process) error {
	waiting, stop := context.WithTimeout(ctx, s.cfg.Start)
	defer stop()
	go func() {
		select {
		case <-run.Done():
			stop()
		case <-waiting.Done():
		}
	}()
	err := s.cfg.Await(waiting, s.spec.Key)
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case waiting.Err() == context.DeadlineExceeded:
		return fmt.Errorf("%w: it was started but did not connect within %v", drive.ErrUnreachable, s.cfg.Start)
	}
	return s.explain(run, drive.ErrGone)
}

// explain adds the exit status to a drive.ErrGone if the program has exited; it returns other
// errors unchanged.
func (s *session) explain(run *process.Process, err error) error {
	if err == nil || !errors.Is(err, drive.ErrGone) {
		return err
	}
	select {
	case <-run.Done():
		if how := run.Err(); how != nil {
			return fmt.Errorf("%w: %w", err, how)
		}
		return fmt.Errorf("%w: exit status 0 without an answer", err)
	default:
		return err
	}
}

// afterTurn resets the crash count if the turn succeeded. If the program has exited or did not
// connect, it counts a crash and stops the program.
func (s *session) afterTurn(run *process.Process, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.crashes = nil
	case errors.Is(err, drive.ErrGone), errors.Is(err, drive.ErrUnreachable):
		s.crashes.Note(s.cfg.Now())
		if s.run == run {
			s.run = nil
		}
		run.Stop(0)
	}
}

// Close ends the program and the conversation.
func (s *session) Close() error {
	s.mu.Lock()
	run := s.run
	s.run, s.closed = nil, true
	s.mu.Unlock()
	if run != nil {
		run.Stop(0) // a peer does not read its standard input, so closing that would not stop it
	}
	return s.Session.Close()
}
