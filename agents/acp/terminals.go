package acp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/acp/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/hud"
)

// The methods that agents use to run commands.
const (
	methodCreate  = "terminal/create"
	methodOutput  = "terminal/output"
	methodWait    = "terminal/wait_for_exit"
	methodKill    = "terminal/kill"
	methodRelease = "terminal/release"
)

// terminals are the commands that the office runs for an agent, each in its own process group.
type terminals struct {
	dir string   // workspace
	env []string // environment of the agent's program; nil means the office's own

	mu   sync.Mutex
	last int
	open map[string]*terminal
	kept map[string]translate.Terminal // output of released terminals, which a later update may refer to
	over bool
}

func newTerminals(dir string, env []string) *terminals {
	return &terminals{dir: dir, env: env, open: map[string]*terminal{}, kept: map[string]translate.Terminal{}}
}

// terminal is the process of one command, with its output.
type terminal struct {
	*process.Process
	read  chan struct{} // closed once the output has been read
	timer *time.Timer   // ends a command that runs too long

	out *process.Tail
}

// command contains the parameters of the terminal methods.
type command struct {
	Session  string   `json:"sessionId"`
	Terminal string   `json:"terminalId"`
	Command  string   `json:"command"`
	Args     []string `json:"args"`
	Dir      string   `json:"cwd"`
	Env      []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Limit *int `json:"outputByteLimit"`
}

// exit describes how a command ended.
type exit struct {
	Code   *int    `json:"exitCode,omitzero"`
	Signal *string `json:"signal,omitzero"`
}

// terminal answers a request about a command.
func (r *run) terminal(ctx context.Context, method string, params jsontext.Value) (any, error) {
	var in command
	if mismatched, err := hud.Decode(params, &in); err != nil || len(mismatched) > 0 {
		return nil, &rpc.Error{Code: rpc.CodeParams, Message: method + ": invalid parameters"}
	}
	if err := r.checkSession(in.Session); err != nil {
		return nil, err
	}
	if method == methodCreate {
		if err := r.checkInTurn(); err != nil {
			return nil, err
		}
		id, err := r.shells.create(in)
		return map[string]string{"terminalId": id}, err
	}
	t := r.shells.get(in.Terminal)
	if t == nil {
		return nil, &rpc.Error{Code: rpc.CodeNotFound, Message: "unknown terminal"}
	}
	switch method {
	case methodOutput:
		return t.output(), nil
	case methodWait:
		select {
		case <-t.read:
			return t.exit(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case methodRelease:
		r.shells.release(in.Terminal)
	}
	t.stop()
	return struct{}{}, nil
}

// create starts a command in the workspace.
func (s *terminals) create(in command) (string, error) {
	path, args := in.Command, in.Args
	if len(args) == 0 { // some agents send a shell command line
		path, args = process.Shell(in.Command)
	}
	path, err := exec.LookPath(path)
	if err != nil || in.Command == "" {
		return "", &rpc.Error{Code: rpc.CodeParams, Message: fmt.Sprintf("the program %q is not installed or not in PATH", in.Command)}
	}
	dir := in.Dir
	if dir == "" {
		dir = s.dir
	}
	env := s.env
	if env == nil {
		env = os.Environ()
	}
	env = slices.Clone(env)
	for _, v := range in.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
		return "", &rpc.Error{Code: rpc.CodeInvalid, Message: "the session is closed"}
	case len(s.open) >= contracts.LimitACPTerminals:
		return "", &rpc.Error{Code: rpc.CodeInvalid, Message: fmt.Sprintf("%d terminals are open: release one first", contracts.LimitACPTerminals)}
	}
	started, err := process.Start(process.Spec{Path: path, Args: args, Dir: dir, Root: s.dir, Env: env, Merged: true})
	if err != nil {
		return "", &rpc.Error{Code: rpc.CodeParams, Message: err.Error()}
	}
	_ = started.Stdin.Close()
	t := &terminal{Process: started, read: make(chan struct{}), out: &process.Tail{Limit: contracts.LimitACPOutput}}
	if in.Limit != nil && *in.Limit >= 0 {
		t.out.Limit = min(*in.Limit, contracts.LimitACPOutput)
	}
	t.timer = time.AfterFunc(contracts.ACPTerminalTimeout, func() { started.Stop(0) })
	go func() {
		defer close(t.read)
		_, _ = io.Copy(t.out, started.Stdout)
		<-started.Done()
		t.timer.Stop()
	}()
	s.last++
	id := "term_" + strconv.Itoa(s.last)
	s.open[id] = t
	return id, nil
}

func (s *terminals) get(id string) *terminal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// release forgets a command, but keeps its output, because a tool call may still show it.
func (s *terminals) release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.open[id]
	delete(s.open, id)
	if len(s.kept) >= contracts.LimitACPTerminals {
		clear(s.kept)
	}
	if t != nil {
		s.kept[id] = t.shown()
	}
}

// shown returns the output of a command in the form that the office shows.
func (s *terminals) shown(id string) (translate.Terminal, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.open[id]; t != nil {
		return t.shown(), true
	}
	out, ok := s.kept[id]
	return out, ok
}

func (s *terminals) end() {
	s.mu.Lock()
	list := s.open
	s.open, s.over = nil, true
	s.mu.Unlock()
	for _, t := range list {
		t.stop()
	}
}

// stop ends the command and returns once its output has been read.
func (t *terminal) stop() {
	t.Stop(0)
	<-t.read
}

// output returns the output so far and, if the command has ended, how it ended.
func (t *terminal) output() any {
	var ended *exit
	select {
	case <-t.read:
		ended = new(t.exit())
	default:
	}
	text, cut := t.out.Text()
	return struct {
		Output    string `json:"output"`
		Truncated bool   `json:"truncated"`
		Exit      *exit  `json:"exitStatus,omitzero"`
	}{text, cut, ended}
}

// exit returns how the command ended. The result is valid only once the terminal's read channel is
// closed.
func (t *terminal) exit() exit {
	if code := t.ExitCode(); code >= 0 {
		return exit{Code: &code}
	}
	return exit{Signal: new("SIGKILL")}
}

func (t *terminal) shown() translate.Terminal {
	out := translate.Terminal{}
	select {
	case <-t.read:
		out.Exit = t.exit().Code
	default:
	}
	out.Text, _ = t.out.Text()
	return out
}
