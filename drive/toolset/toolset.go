// Package toolset offers a workspace to a model as tools: read, list, search, write, edit and
// delete files, and run commands.
//
// It guarantees that a call reaches the workspace only if it is allowed. Commands always need
// permission. Changes to files need permission unless the mode is ModeEdit. A call that an office
// rule restricts always needs permission. The file tools never change git's own files.
//
// Every call is reported to the turn's sink, with its real result or the reason it was not made.
// Every call also returns text for the model, even if the arguments are malformed.
package toolset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/workspace"
	"github.com/bullpen-office/bullpen/hud"
)

// Mode determines which tools a model may use and which calls need permission.
type Mode string

// The modes. In every mode, reading needs no permission unless a rule restricts it.
const (
	ModeRead Mode = "read" // only tools that read
	ModeAsk  Mode = "ask"  // all tools; changes and commands need permission
	ModeEdit Mode = "edit" // all tools; commands need permission
)

// Config configures a Set. Workspace is required.
type Config struct {
	Workspace *workspace.Workspace
	Mode      Mode // default: ModeAsk
	// Restricted reports whether an office rule denies a call or requires permission for it.
	// If Restricted is nil, every call needs permission.
	Restricted func(p contracts.Permission) bool
}

// Set holds the tools of one workspace. It is safe for concurrent use.
type Set struct{ cfg Config }

// New returns the tools of a workspace.
func New(cfg Config) *Set { return &Set{cfg} }

// Tool describes a tool to a model.
type Tool struct {
	Name        string
	Description string
	Parameters  map[string]any // JSON schema

	access  access
	prepare prepare
}

// prepare checks a call's arguments and returns the function that makes the call.
type prepare func(s *Set, args jsontext.Value) (run func(context.Context) (outcome, error), err error)

// access is the kind of access to the workspace that a tool needs.
type access int

const (
	reads access = iota
	edits
	runs
)

// outcome is the result of a call: the text for the model, and the result that people see.
type outcome struct {
	text  string
	shown hud.Result
}

// Tools returns the tools that the model may call.
func (s *Set) Tools() []Tool {
	if s.cfg.Mode != ModeRead {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.access != reads })
}

// Call is a tool call as the model wrote it.
type Call struct {
	Tool string
	Args string // JSON; empty means no arguments
}

// Label returns the line that people see for a call.
func (c Call) Label() string { return shown(c.hud()).Label }

// hud returns the call as people see it.
func (c Call) hud() hud.Call {
	args := c.args()
	if args == nil {
		args = hud.Value(map[string]string{"arguments": c.Args})
	}
	return hud.Canonical(hud.Call{Tool: c.Tool, Args: args})
}

// Valid reports whether the arguments are a JSON object.
func (c Call) Valid() bool { return c.args() != nil }

// args returns the arguments as a JSON object, or nil if they are not one.
func (c Call) args() jsontext.Value {
	args := jsontext.Value(c.Args)
	switch {
	case strings.TrimSpace(c.Args) == "":
		return jsontext.Value("{}")
	case args.Kind() != '{' || !args.IsValid():
		return nil
	}
	return args
}

func shown(call hud.Call) contracts.HUD {
	return hud.ToolStart(hud.Source{}, "", hud.Span{}, call)
}

// Call makes a call if it is allowed, reports it to sink, and returns the result for the model.
func (s *Set) Call(ctx context.Context, c Call, sink drive.Sink) string {
	call, id := c.hud(), "call_"+strings.ReplaceAll(uuid.NewString(), "-", "")
	end := sink.ToolStart(id, call.Tool, call.Args)
	out, err := s.call(ctx, c, call, id, sink)
	if err != nil {
		out.text = "error: " + err.Error()
		if out.shown == nil {
			out.shown = hud.FailedCall(call, err.Error())
		}
	}
	end(out.shown)
	return out.text
}

func (s *Set) call(ctx context.Context, c Call, call hud.Call, id string, sink drive.Sink) (outcome, error) {
	list := s.Tools()
	i := slices.IndexFunc(list, func(t Tool) bool { return t.Name == c.Tool })
	switch {
	case i < 0:
		return outcome{}, fmt.Errorf("there is no tool %q; use one of %s", hud.Line(c.Tool, contracts.LimitName), names(list))
	case !c.Valid():
		return outcome{}, errors.New("the arguments are not a JSON object; send the call again")
	}
	run, err := list[i].prepare(s, c.args())
	if err != nil {
		return outcome{}, err
	}
	if err := s.permit(ctx, list[i], call, id, sink); err != nil {
		return outcome{}, err
	}
	return run(ctx)
}

func names(list []Tool) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// permit returns nil if a call is allowed, or else the reason it is not.
func (s *Set) permit(ctx context.Context, t Tool, call hud.Call, id string, sink drive.Sink) error {
	display := shown(call)
	p := contracts.Permission{Tool: display.Tool, Args: call.Args, Label: display.Label, CallID: id, Place: s.cfg.Workspace.Dir()}
	if s.allowedByMode(t.access) && !s.restricted(p) {
		return nil
	}
	if why := hud.Unreadable(p.Args); why != "" {
		return fmt.Errorf("the call was not made, because it cannot be shown to a person in full (%s)", why)
	}
	verdict, err := sink.Permit(ctx, p)
	switch {
	case err != nil:
		return fmt.Errorf("the call was not made, because no one allowed it: %w", err)
	case verdict.Allow:
		return nil
	case verdict.Note != "":
		return fmt.Errorf("the call was denied: %s", hud.Line(verdict.Note, contracts.LimitNote))
	}
	return errors.New("the call was denied; do not repeat it")
}

// allowedByMode reports whether the mode allows calls with this access without permission, unless a
// rule restricts them.
func (s *Set) allowedByMode(a access) bool {
	return s.cfg.Restricted != nil && (a == reads || a == edits && s.cfg.Mode == ModeEdit)
}

// restricted reports whether a rule restricts a call, either for the path in its arguments or for
// that path with links resolved.
func (s *Set) restricted(p contracts.Permission) bool {
	if s.cfg.Restricted(p) {
		return true
	}
	var args map[string]jsontext.Value
	if json.Unmarshal(p.Args, &args) != nil {
		return true
	}
	path, named := hud.Text(args["path"])
	if !named || path == "" {
		return false
	}
	real, err := s.cfg.Workspace.Real(path)
	if err != nil {
		return false // the call itself will fail
	}
	args["path"] = hud.Value(real)
	p.Args = hud.Value(args)
	return s.cfg.Restricted(p)
}

// fileRestricted reports whether reading a file needs permission.
func (s *Set) fileRestricted(name string) bool {
	return s.cfg.Restricted == nil || s.cfg.Restricted(contracts.Permission{Tool: "read", Args: hud.Value(map[string]string{"path": name}), Place: s.cfg.Workspace.Dir()})
}
