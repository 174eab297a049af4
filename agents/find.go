package agents

import (
	"context"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Machine is where Find looks: this machine, and the office that runs on it.
type Machine struct {
	Program string              // bullpen itself, for commands that others run
	DataDir string              // of the office, where it is not the default one
	Home    string              // of the user; empty when there is none
	Getenv  func(string) string // the environment
	Dirs    map[string]string   // by source: where a vendor keeps its settings, if that was configured
	Office  Running

	// Version returns what a program prints for --version. It is asked once, and again
	// after the program changed.
	Version func(ctx context.Context, path string) (string, error)
}

// Running is what is known of the running office. The zero value means that none runs.
type Running struct {
	URL    string            // for programs on this machine
	Crew   string            // the runner of people who name none
	Kinds  []string          // of the runners in use
	Guests map[string]int    // how many are here, by source
	Links  map[string][]Link // connections to where agents run, by source
}

// Item is something that can be connected. Install carries its plan out; it is nil when
// the office cannot do that itself.
type Item struct {
	contracts.ConnectItem
	Order   int // place within its group
	Install func(context.Context) error
}

// ConflictError says that an item was not installed because files are not as they should
// be: a person has to look at them. Nothing was changed.
type ConflictError struct{ Err error }

func (e *ConflictError) Error() string { return e.Err.Error() }
func (e *ConflictError) Unwrap() error { return e.Err }

// AskVersion returns what a program prints for --version.
func AskVersion(ctx context.Context, path string) (string, error) {
	ask := exec.CommandContext(ctx, path, "--version")
	ask.WaitDelay = time.Second // for processes that it started and left behind
	out, err := ask.Output()
	return string(out), err
}

// Command is a command line of bullpen for the office of this data directory.
func (m *Machine) Command(verb, rest string) string {
	line := "bullpen " + verb
	if m.DataDir != "" {
		line += " --data " + ShellWord(m.DataDir)
	}
	return strings.TrimSpace(line + " " + rest)
}

// Short shows a path in the home directory with ~.
func (m *Machine) Short(path string) string {
	if rest, ok := strings.CutPrefix(path, m.Home+string(filepath.Separator)); ok && m.Home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// ShellWord quotes a text for a POSIX shell where that is needed.
func ShellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@+=,~", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// WithoutSecrets is an address without user, password, query and fragment.
func WithoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
