package acp

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/acp/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/drive/session"
	"github.com/bullpen-office/bullpen/drive/workspace"
)

// run is one process of a session.
type run struct {
	*session.Program
	driver *Driver
	agent  translate.Agent
	files  *workspace.Workspace
	shells *terminals
	once   sync.Once
	cost   float64 // cost of the conversation, as the agent reported it; only the running turn accesses it

	mu            sync.Mutex
	session       string          // the agent's id for the conversation
	turn          *turn           // nil between turns
	loggedUnknown map[string]bool // kinds of unknown messages that have been logged
}

// programName is the name of the program in errors.
const programName = "the agent program"

// start starts the program but sends nothing to it.
func (d *Driver) start(path string, spec drive.Spec) (session.Run, error) {
	started, err := session.StartProgram(programName, process.Spec{Path: path, Args: d.cfg.Args, Dir: spec.Workspace, Root: spec.Root, Env: spec.Env})
	if err != nil {
		return nil, err
	}
	files, err := workspace.Open(spec.Workspace, spec.Env)
	if err != nil {
		started.Stop(0)
		return nil, err
	}
	r := &run{Program: started, driver: d, loggedUnknown: map[string]bool{}, files: files, shells: newTerminals(files.Dir(), spec.Env)}
	started.Serve(r, d.cfg.Log)
	return r, nil
}

// End ends the process and everything it started. With a grace period, it first closes the
// conversation if the agent supports that.
func (r *run) End(grace time.Duration) {
	r.once.Do(func() {
		if grace > 0 && r.Ready() {
			r.closeConversation(grace)
		}
		r.Program.End(grace)
		r.shells.end()
	})
}

// Notify handles a notification from the agent. Updates outside a turn are ignored, because the
// office shows updates only within a turn.
func (r *run) Notify(method string, params jsontext.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if method != methodUpdate {
		r.logUnknown("notification", method)
		return
	}
	u, ok := translate.ReadUpdate(params)
	if !ok || u.Session != r.session {
		return
	}
	if !u.Known() {
		r.logUnknown("session update", string(u.Kind))
	}
	if r.turn != nil {
		r.turn.handle(u)
	}
}

// logUnknown logs the first message of each unknown kind. The caller holds the lock.
func (r *run) logUnknown(what, kind string) {
	if !r.loggedUnknown[kind] && len(r.loggedUnknown) < contracts.LimitACPChoices {
		r.loggedUnknown[kind] = true
		r.driver.cfg.Log.Info("unknown message from the agent program", "what", what, "kind", kind)
	}
}

// Request answers a request from the agent.
func (r *run) Request(method string, params jsontext.Value) func(context.Context) (any, error) {
	switch method {
	case methodPermission:
		return r.permission(params)
	case methodRead, methodWrite:
		return func(context.Context) (any, error) { return r.file(method, params) }
	case methodCreate, methodOutput, methodWait, methodKill, methodRelease:
		return func(ctx context.Context) (any, error) { return r.terminal(ctx, method, params) }
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logUnknown("request", method)
	return func(context.Context) (any, error) {
		return nil, &rpc.Error{Code: rpc.CodeMethod, Message: "unknown method " + method}
	}
}

// checkSession returns an error unless session is this process's conversation.
func (r *run) checkSession(session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if session != r.session {
		return &rpc.Error{Code: rpc.CodeNotFound, Message: "unknown session"}
	}
	return nil
}

// checkInTurn returns an error if no turn is running or the turn has been cancelled.
func (r *run) checkInTurn() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn == nil || r.turn.ctx.Err() != nil {
		return &rpc.Error{Code: rpc.CodeInvalid, Message: "no turn is running"}
	}
	return nil
}

var _ rpc.Handler = (*run)(nil)
