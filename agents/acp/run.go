package acp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/acp/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/rpc"
)

// run is one process of a session.
type run struct {
	*process.Process
	driver *Driver
	dir    string // workspace, with links resolved
	conn   *rpc.Conn
	served chan struct{} // closed when the program's output ends
	agent  translate.Agent
	files  files
	shells *terminals
	once   sync.Once
	cost   float64 // cost of the conversation, as the agent reported it; used only by turns

	mu      sync.Mutex
	session string          // the agent's id for the conversation
	turn    *turn           // nil between turns
	strange map[string]bool // kinds of unknown messages that have been logged
}

// startRun starts the program but sends nothing to it.
func startRun(d *Driver, path string, spec drive.Spec) (*run, error) {
	started, err := process.Start(process.Spec{Path: path, Args: d.cfg.Args, Dir: spec.Workspace, Root: spec.Root, Env: spec.Env})
	if err != nil {
		return nil, err
	}
	dir, err := workspace(spec.Workspace)
	if err != nil {
		started.Stop(0)
		return nil, err
	}
	r := &run{Process: started, driver: d, dir: dir, served: make(chan struct{}), strange: map[string]bool{}, files: files{dir}, shells: newTerminals(dir, spec.Env)}
	r.conn = rpc.New(started.Stdout, started.Stdin, r, d.cfg.Log)
	go func() {
		defer close(r.served)
		r.conn.Serve()
	}()
	return r, nil
}

// ended reports whether the program has closed its output.
func (r *run) ended() bool {
	select {
	case <-r.served:
		return true
	default:
		return false
	}
}

// end ends the process and everything it started. With a grace period, it first closes the
// conversation if the agent supports that.
func (r *run) end(grace time.Duration) {
	r.once.Do(func() {
		if grace > 0 && !r.ended() {
			r.closeConversation(grace)
		}
		r.Stop(grace)
		r.shells.end()
	})
	<-r.served
}

// call sends a request and returns the result. If the program is gone, the error is a *goneError.
func (r *run) call(ctx context.Context, method string, params any) (jsontext.Value, error) {
	return r.callUntil(ctx, method, params, nil)
}

// callUntil is like call, but also calls arrived when the answer arrives, before later messages are
// handled.
func (r *run) callUntil(ctx context.Context, method string, params any, arrived func()) (jsontext.Value, error) {
	result, err := r.conn.Call(ctx, method, params, arrived)
	if errors.Is(err, rpc.ErrClosed) {
		return nil, r.gone(err)
	}
	return result, err
}

// gone waits for the process to exit after its output has ended, and returns a *goneError with its
// exit status.
func (r *run) gone(why error) error {
	select {
	case <-r.Done():
	case <-time.After(contracts.ProcessGrace):
		return &goneError{reason: why.Error()}
	}
	if err := r.Err(); err != nil {
		return &goneError{reason: err.Error(), exit: err}
	}
	return &goneError{reason: "exit status 0, without an answer"}
}

// Notify handles a notification from the agent. Updates outside a turn are ignored, because the
// office does not show them.
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
		r.turn.take(u)
	}
}

// logUnknown logs the first message of each unknown kind. The caller holds the lock.
func (r *run) logUnknown(what, kind string) {
	if !r.strange[kind] && len(r.strange) < contracts.LimitACPChoices {
		r.strange[kind] = true
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

// owns returns an error unless session is the conversation of this process.
func (r *run) owns(session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if session != r.session {
		return &rpc.Error{Code: rpc.CodeNotFound, Message: "unknown session"}
	}
	return nil
}

// inTurn returns an error unless a turn is running and has not been cancelled.
func (r *run) inTurn() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn == nil || r.turn.ctx.Err() != nil {
		return &rpc.Error{Code: rpc.CodeInvalid, Message: "no turn is running"}
	}
	return nil
}

var _ rpc.Handler = (*run)(nil)
