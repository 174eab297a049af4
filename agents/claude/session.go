package claude

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/go-json-experiment/json"
)

// session is one conversation with Claude Code.
type session struct {
	driver *Driver
	path   string
	spec   drive.Spec

	turns sync.Mutex // one turn at a time

	mu     sync.Mutex
	id     string // Claude Code's id for the conversation
	known  bool   // the program has started the conversation
	run    *run   // nil while no process runs
	broke  process.Crashes
	closed bool
}

// run is one process of the session.
type run struct {
	*process.Process
	lines    chan *line    // closed when the program's output ends
	left     chan struct{} // closed when lines are no longer needed
	leave    sync.Once
	write    sync.Mutex
	cost     float64 // reported by the program so far
	resuming bool    // the process was told to resume a conversation and has not done so yet; used only by turns
}

// ID returns Claude Code's id for the conversation.
func (s *session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Turn sends the prompt to Claude Code and returns its answer.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	s.turns.Lock()
	defer s.turns.Unlock()
	if err := ctx.Err(); err != nil {
		return drive.Answer{}, err
	}
	r, err := s.ensureRunning()
	if err != nil {
		return drive.Answer{}, err
	}
	t := &turn{session: s, run: r, sink: sink, open: map[string]toolCall{}, writing: map[string]contracts.Usage{}}
	answer, err := t.exchange(ctx, p)
	s.afterTurn(r, err)
	return answer, err
}

// ensureRunning returns the session's process. It starts one if none is running.
func (s *session) ensureRunning() (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errors.New("the conversation was closed")
	case s.run != nil && s.run.ready():
		return s.run, nil
	}
	if err := s.broke.Check(s.driver.cfg.Now()); err != nil {
		return nil, err
	}
	if s.id == "" {
		s.id = newSessionID()
	}
	s.driver.cfg.Began(s.id)
	started, err := process.Start(process.Spec{Path: s.path, Args: s.driver.arguments(s.id, s.known), Dir: s.spec.Workspace, Root: s.spec.Root, Env: s.driver.environment(s.spec, s.id)})
	if err != nil {
		return nil, err
	}
	s.run = &run{Process: started, lines: make(chan *line, 64), left: make(chan struct{}), resuming: s.known}
	go s.run.read(s.driver.cfg.Log)
	return s.run, nil
}

// afterTurn ends the process and counts a crash if err is a goneError. After any other outcome, the
// next turn can use the process.
func (s *session) afterTurn(r *run, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.broke = nil
		return
	}
	var gone *goneError
	if !errors.As(err, &gone) {
		return // interrupted, or an answer that is an error: the conversation continues
	}
	s.broke.Note(s.driver.cfg.Now())
	if s.run == r {
		s.run = nil
	}
	r.end(0)
}

// began records that the program has started the conversation, so that a later process can resume
// it.
func (s *session) began(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known = true; id != "" && id != s.id {
		s.id = id
		s.driver.cfg.Began(id)
	}
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

// end ends the process. After that, read does not wait for a turn to take the remaining lines.
func (r *run) end(grace time.Duration) {
	r.Stop(grace)
	r.leave.Do(func() { close(r.left) })
}

// read delivers the lines of the program's output until the output ends. It logs and skips invalid
// lines.
func (r *run) read(log interface{ Warn(string, ...any) }) {
	defer close(r.lines)
	in := bufio.NewReaderSize(r.Stdout, 64<<10)
	for {
		text, err := process.ReadLine(in)
		if len(text) > 0 {
			if l, bad := parseLine(text); bad != nil {
				log.Warn("invalid output line from the agent program", "bytes", len(text), "error", bad)
			} else {
				r.deliver(l)
			}
		}
		if err != nil {
			return
		}
	}
}

// deliver sends l to the turn, or drops l if the buffer is full and lines are no longer needed.
func (r *run) deliver(l *line) {
	select {
	case r.lines <- l:
		return
	default:
	}
	select {
	case r.lines <- l:
	case <-r.left:
	}
}

// ready discards output that arrived between turns. It returns false if the program has exited.
func (r *run) ready() bool {
	for {
		select {
		case _, more := <-r.lines:
			if !more {
				r.Stop(0)
				return false
			}
		default:
			return true
		}
	}
}

// say writes value to the program as one line of JSON.
func (r *run) say(value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a line for the agent: %w", err)
	}
	r.write.Lock()
	defer r.write.Unlock()
	if _, err := r.Stdin.Write(append(b, '\n')); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return &goneError{reason: "it no longer reads its input: " + err.Error()}
	}
	return nil
}

// goneError means that the process exited or stopped reading during a turn.
type goneError struct {
	reason string
	exit   error // the process's exit error; nil if unknown
}

func (e *goneError) Error() string   { return "Claude Code ended: " + e.reason }
func (e *goneError) Unwrap() []error { return []error{drive.ErrGone, e.exit} }

// ended waits for the process to exit after its output has ended, and returns a *goneError with its
// exit status.
func (r *run) ended() error {
	select {
	case <-r.Done():
	case <-time.After(contracts.ProcessGrace):
		return &goneError{reason: "it closed its output"}
	}
	if err := r.Err(); err != nil {
		return &goneError{reason: err.Error(), exit: err}
	}
	return &goneError{reason: "exit status 0, without an answer"}
}
