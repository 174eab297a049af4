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

// Machine describes this machine and the office on it, for Find.
type Machine struct {
	Program string              // path of the bullpen program, used in hook commands
	DataDir string              // the office's data directory; empty for the default
	Home    string              // home directory; empty if there is none
	Getenv  func(string) string // the environment
	Dirs    map[string]string   // configured settings directories, by source
	Office  Running

	// Version returns a program's output for --version. The output is cached until the program
	// changes.
	Version func(ctx context.Context, path string) (string, error)
}

// Running describes the running office. The zero value means that no office is running.
type Running struct {
	URL    string            // address for programs on this machine
	Crew   string            // default runner
	Kinds  []string          // kinds of the runners in use
	Guests map[string]int    // number of guests, by source
	Links  map[string][]Link // connections of watchers, by source
}

// Item is something that can be connected to the office. Install carries out the item's plan; nil
// means that the office cannot do so.
type Item struct {
	contracts.ConnectItem
	Order   int // position within its group
	Install func(context.Context) error
}

// ConflictError means that an item was not installed because a person must fix a file first.
// Nothing was changed.
type ConflictError struct{ Err error }

func (e *ConflictError) Error() string { return e.Err.Error() }
func (e *ConflictError) Unwrap() error { return e.Err }

// AskVersion runs a program with --version and returns its output.
func AskVersion(ctx context.Context, path string) (string, error) {
	ask := exec.CommandContext(ctx, path, "--version")
	ask.WaitDelay = time.Second // in case the program left child processes behind
	out, err := ask.Output()
	return string(out), err
}

// Command returns a bullpen command line for this office. It includes --data unless the data
// directory is the default.
func (m *Machine) Command(verb, rest string) string {
	line := "bullpen " + verb
	if m.DataDir != "" {
		line += " --data " + ShellWord(m.DataDir)
	}
	return strings.TrimSpace(line + " " + rest)
}

// Short returns a path with the home directory abbreviated to ~.
func (m *Machine) Short(path string) string {
	if rest, ok := strings.CutPrefix(path, m.Home+string(filepath.Separator)); ok && m.Home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// ShellWord quotes a string for a POSIX shell if necessary.
func ShellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@+=,~", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// WithoutSecrets returns a URL without user info, query or fragment, or "" if the URL is invalid.
func WithoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
