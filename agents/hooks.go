package agents

import (
	"context"
	"fmt"
	"strings"
)

// Hooks puts hooks into the settings of a vendor's own programs, so that they report to
// the office, and takes them out again. Both can be repeated. What others wrote into the
// settings stays as it is.
type Hooks interface {
	// Install adds the hooks, or brings them up to date.
	Install(ctx context.Context, h Hooking) (HookReport, error)
	// Remove takes the hooks out.
	Remove(ctx context.Context, h Hooking) (HookReport, error)
	// Status compares what is installed with what belongs there. It may run the vendor's
	// program to ask for its version.
	Status(ctx context.Context, h Hooking) (HookReport, error)
	// Help is a paragraph for `bullpen hooks --help`: what is changed, and where.
	Help() string
	// Summary reads the settings and runs nothing. office is the address of this office;
	// without one, hooks that go elsewhere are not found.
	Summary(office string) HookSummary
}

// Hooking says which hooks, where, and to which office they report.
type Hooking struct {
	Project   string        // directory of a project; default: all sessions of the user
	Program   string        // of the vendor; default: the one that is found
	Transport HookTransport // default HooksByCommand

	Self    string // path of bullpen, for hooks by command
	DataDir string // of the office, where it is not the default one
	Place   string // the data directory in any case, for messages
	URL     string // of the office, where the user typed one
	Address string // of the office, for hooks by HTTP; empty when it cannot take any
	Token   bool   // the office requires a token
	Running string // address of the office of the data directory; empty when none was started
	Answers bool   // and whether it answers
}

// HookTransport is how hooks reach the office.
type HookTransport string

// The transports.
const (
	HooksByCommand HookTransport = "command"
	HooksByHTTP    HookTransport = "http"
)

// HookReport is what was done or found.
type HookReport struct {
	JSON     any      // for --json
	Lines    []string // for people; not yet safe for a terminal
	Version  string   // of the vendor's program, from Status
	Problems []string // from Status
}

// HookSummary says in a few words whether a vendor reports to an office.
type HookSummary struct {
	Path      string `json:"path,omitzero"`
	Installed bool   `json:"installed"`
	Events    int    `json:"events"`
	Elsewhere string `json:"elsewhere,omitzero"` // address of another office that they go to
	Problem   string `json:"problem,omitzero"`
}

// Words is the summary as a line.
func (a Adapter) Words(h HookSummary) string {
	switch {
	case h.Problem != "":
		return a.Label + ": " + h.Problem
	case !h.Installed:
		return fmt.Sprintf("%s does not report here; `bullpen hooks install %s` connects it", a.Label, a.Source.Source)
	case h.Elsewhere != "":
		return fmt.Sprintf("%s reports to %s; run `bullpen hooks install %s` again", a.Label, h.Elsewhere, a.Source.Source)
	}
	return fmt.Sprintf("%s reports %d events", a.Label, h.Events)
}

// UsageError is a mistake in the command line of `bullpen hooks`.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// WithHooks are the adapters that have hooks.
func WithHooks(list []Adapter) (have []Adapter) {
	for _, a := range list {
		if a.Hooks != nil {
			have = append(have, a)
		}
	}
	return have
}

// HooksOf is the adapter of a name, if it has hooks.
func HooksOf(list []Adapter, name string) (Adapter, error) {
	var names []string
	for _, a := range WithHooks(list) {
		if a.Source.Source == name {
			return a, nil
		}
		names = append(names, a.Source.Source)
	}
	return Adapter{}, fmt.Errorf("%s has no hooks; those that have: %s", name, strings.Join(names, ", "))
}
