package codex

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/drive/session"
	"github.com/bullpen-office/bullpen/hud"
)

// run is one app-server process of a session.
type run struct {
	*session.Program
	driver *Driver
	dir    string

	mu            sync.Mutex
	thread        string
	turn          *turn    // nil between turns
	loggedUnknown []string // methods of unknown requests that have been logged
}

// start starts the program but sends nothing to it.
func (d *Driver) start(path string, spec drive.Spec) (session.Run, error) {
	args := append(slices.Clone(d.cfg.Args), "app-server")
	started, err := session.StartProgram(translate.Label, process.Spec{Path: path, Args: args, Dir: spec.Workspace, Root: spec.Root, Env: spec.Env})
	if err != nil {
		return nil, err
	}
	r := &run{Program: started, driver: d, dir: spec.Workspace}
	started.Serve(r, d.cfg.Log)
	return r, nil
}

// Open resumes the thread with the given id, or starts a new thread if id is empty, and returns the
// thread's id.
func (r *run) Open(ctx context.Context, id string) (string, error) {
	cfg := &r.driver.cfg
	if _, err := r.Call(ctx, "initialize", map[string]any{"clientInfo": clientInfo(cfg.Version)}, nil); err != nil {
		return "", explain("start", err)
	}
	if err := r.Send("initialized", struct{}{}); err != nil {
		return "", err
	}
	params := map[string]any{"approvalPolicy": cfg.Mode, "sandbox": "workspace-write"}
	if r.dir != "" {
		params["cwd"] = r.dir
	}
	if cfg.Model != "" {
		params["model"] = cfg.Model
	}
	method := "thread/start"
	if id != "" {
		method, params["threadId"] = "thread/resume", id
	}
	result, err := r.Call(ctx, method, params, nil)
	var failed *rpc.Error
	switch {
	case errors.As(err, &failed) && id != "" && unknownThread(failed.Message):
		return "", fmt.Errorf("%w: %s", drive.ErrNoConversation, hud.Line(failed.Message, contracts.LimitNote))
	case err != nil:
		return "", explain("open a thread", err)
	}
	var opened struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if _, err := hud.Decode(result, &opened); err != nil || opened.Thread.ID == "" {
		return "", errors.New("the new Codex thread has no id")
	}
	cfg.Began(opened.Thread.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.thread = opened.Thread.ID
	return r.thread, nil
}

// unknownThread reports whether an error message means that Codex does not have the thread. After
// any other failure, the office must not abandon the conversation.
func unknownThread(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "not found") || strings.Contains(message, "no rollout")
}

// explain adds the name of the failed operation to an error response from Codex. Other errors are
// returned unchanged.
func explain(what string, err error) error {
	var failed *rpc.Error
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("the Codex app-server could not %s: %s", what, hud.Line(failed.Message, contracts.LimitNote))
}

// Notify handles a notification. Notifications about other threads or outside a turn are ignored.
func (r *run) Notify(method string, params jsontext.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != nil {
		r.turn.handle(method, params)
	}
}

// Request answers a request from Codex.
func (r *run) Request(method string, params jsontext.Value) func(context.Context) (any, error) {
	switch method {
	case methodCommand, methodFiles:
		return r.approval(params)
	case methodQuestion:
		return r.question(params)
	case "mcpServer/elicitation/request":
		return func(context.Context) (any, error) { return map[string]string{"action": "decline"}, nil }
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.loggedUnknown, method) && len(r.loggedUnknown) < contracts.LimitACPChoices {
		r.loggedUnknown = append(r.loggedUnknown, method)
		r.driver.cfg.Log.Info("refusing an unknown request from Codex", "method", method)
	}
	return func(context.Context) (any, error) {
		return nil, &rpc.Error{Code: rpc.CodeMethod, Message: "Bullpen does not support " + method}
	}
}

var _ rpc.Handler = (*run)(nil)
