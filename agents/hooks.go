package agents

import (
	"context"
	"fmt"
	"strings"
)

// Hooks installs and removes hooks in the settings of a vendor's own program; the hooks make the
// program report to the office. Both operations are idempotent and change nothing else in the
// settings.
type Hooks interface {
	// Install adds or updates the hooks.
	Install(ctx context.Context, h HookConfig) (HookReport, error)
	// Remove removes the hooks that Install added.
	Remove(ctx context.Context, h HookConfig) (HookReport, error)
	// Status compares the installed hooks with the expected ones. It may run the vendor's
	// program to determine its version.
	Status(ctx context.Context, h HookConfig) (HookReport, error)
	// Help returns a paragraph for `bullpen hooks --help` that describes what Install changes, and
	// where.
	Help() string
	// Summary reads the settings without running anything. office is the address of this office; if
	// it is empty, hooks that report to another office are not detected.
	Summary(office string) HookSummary
	// Found reports whether the vendor's program or its directory is on this machine.
	Found() bool
}

// HookConfig selects the hooks, the settings file, and the office that the hooks report to.
type HookConfig struct {
	Project   string        // a project's directory; if empty, the hooks are for all of the user's sessions
	Program   string        // the vendor's executable; default: found in PATH
	Transport HookTransport // default: HooksByCommand

	Self          string // path of the bullpen program, for hooks that run a command
	DataDir       string // the office's data directory, for messages; always set
	DataDirFlag   string // value of --data for hooks that run a command; empty for the default directory
	TypedURL      string // the office's address as typed by the user; empty if none was typed
	HTTPTarget    string // address for hooks over HTTP; empty if the office cannot receive them
	Token         bool   // the office requires a token
	OfficeURL     string // address of the data directory's office; empty if none was started
	OfficeRunning bool   // whether the office at OfficeURL responds
}

// InstallCommand returns the command line that installs a vendor's hooks for this office and
// project.
func (h HookConfig) InstallCommand(name string) string { return h.Command("install", name) }

// Command returns the command line of a subcommand of `bullpen hooks` for a vendor, this office and
// this project.
func (h HookConfig) Command(subcommand, name string) string {
	project := ""
	if h.Project != "" {
		project = "--project " + ShellWord(h.Project)
	}
	return (&Machine{DataDir: h.DataDirFlag}).Command("hooks "+subcommand+" "+name, project)
}

// HookTransport is how hooks reach the office.
type HookTransport string

// Transports of hooks.
const (
	HooksByCommand HookTransport = "command"
	HooksByHTTP    HookTransport = "http"
)

// HookReport is the result of a `bullpen hooks` command.
type HookReport struct {
	JSON     any      // for --json
	Lines    []string // text output; may contain control characters
	Version  string   // version of the vendor's program, set by Status; empty if unknown
	Problems []string // set by Status
}

// HookSummary describes whether a vendor's hooks are installed and which office they report to.
type HookSummary struct {
	Path        string `json:"path,omitzero"`
	Installed   bool   `json:"installed"`
	Events      int    `json:"events_total"`       // installed hooks
	OtherOffice string `json:"elsewhere,omitzero"` // address of another office that the hooks report to
	Problem     string `json:"problem,omitzero"`
}

// HookLine formats a summary of the adapter's hooks as one line of text. install is the command
// that installs them.
func (a Adapter) HookLine(h HookSummary, install string) string {
	switch {
	case h.Problem != "":
		return a.Label + ": " + h.Problem
	case !h.Installed:
		return fmt.Sprintf("%s is not connected; run `%s`", a.Label, install)
	case h.OtherOffice != "":
		return fmt.Sprintf("%s reports to another office (%s); run `%s` to switch it to this one", a.Label, h.OtherOffice, install)
	}
	return fmt.Sprintf("%s connected (%d hooks)", a.Label, h.Events)
}

// UsageError is a mistake in the command line of `bullpen hooks`.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// WithHooks returns the adapters that have hooks.
func WithHooks(list []Adapter) (have []Adapter) {
	for _, a := range list {
		if a.Hooks != nil {
			have = append(have, a)
		}
	}
	return have
}

// HooksOf returns the adapter with this source name. It returns an error if there is no such
// adapter or it has no hooks.
func HooksOf(list []Adapter, name string) (Adapter, error) {
	var names []string
	for _, a := range WithHooks(list) {
		if a.Source.Source == name {
			return a, nil
		}
		names = append(names, a.Source.Source)
	}
	return Adapter{}, fmt.Errorf("unknown agent %q (agents with hooks: %s)", name, strings.Join(names, ", "))
}
