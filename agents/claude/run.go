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
	"github.com/bullpen-office/bullpen/drive/session"
	"github.com/go-json-experiment/json"
)

// run is one process of a session.
type run struct {
	*process.Process
	session *session.Session
	driver  *Driver
	place   string        // the workspace
	id      string        // the conversation's id, as given to the program or as reported by it
	lines   chan *line    // closed when the program's output ends
	ended   chan struct{} // closed by End: lines are no longer needed
	endOnce sync.Once
	writeMu sync.Mutex

	// Accessed only by the running turn.
	cost     float64 // reported by the program so far
	resuming bool    // the process was told to resume a conversation and has not done so yet
}

// start starts the program. The program resumes the conversation whose id is resume or, if resume
// is empty, starts a new conversation with a new id.
func (d *Driver) start(s *session.Session, path, resume string, spec drive.Spec) (session.Run, error) {
	id := resume
	if id == "" {
		id = newSessionID()
		d.cfg.Began(id)
	}
	started, err := process.Start(process.Spec{Path: path, Args: d.arguments(id, resume != ""), Dir: spec.Workspace, Root: spec.Root, Env: d.environment(spec, id)})
	if err != nil {
		return nil, err
	}
	r := &run{Process: started, session: s, driver: d, place: spec.Workspace, id: id, lines: make(chan *line, 64), ended: make(chan struct{}), resuming: resume != ""}
	go r.read(d.cfg.Log)
	return r, nil
}

// Open does nothing: the program opens the conversation with the first prompt and reports its id
// then.
func (r *run) Open(context.Context, string) (string, error) { return "", nil }

// Prompt sends the prompt to the program and returns its answer.
func (r *run) Prompt(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	t := &turn{run: r, sink: sink, open: map[string]toolCall{}, writing: map[string]contracts.Usage{}}
	return t.exchange(ctx, p)
}

// began records that the program has started the conversation, so that a later process can resume
// it.
func (r *run) began(id string) {
	r.resuming = false
	if id != "" && id != r.id {
		r.id = id
		r.driver.cfg.Began(id)
	}
	r.session.SetID(r.id)
}

// End ends the process. After that, read does not wait for a turn to consume the remaining lines.
func (r *run) End(grace time.Duration) {
	r.Stop(grace)
	r.endOnce.Do(func() { close(r.ended) })
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
	case <-r.ended:
	}
}

// Ready discards output that arrived between turns. It returns false if the program has exited.
func (r *run) Ready() bool {
	for {
		select {
		case _, more := <-r.lines:
			if !more {
				return false
			}
		default:
			return true
		}
	}
}

// send writes value to the program as one line of JSON.
func (r *run) send(value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a line for the agent: %w", err)
	}
	r.writeMu.Lock()
	defer r.writeMu.Unlock()
	if _, err := r.Stdin.Write(append(b, '\n')); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return session.Gone(programName, "it is no longer reading its input: "+err.Error())
	}
	return nil
}
