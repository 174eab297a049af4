// Package claude drives Claude Code. Each session has one long-lived process, which reads prompts
// and reports its progress as lines of JSON.
//
// A turn reports thinking, tool calls and text as they happen, asks a person before running a tool
// that needs permission, and can be interrupted without losing the conversation. If the process has
// exited, the next turn restarts it and resumes the conversation; a program that keeps crashing is
// not restarted, and turns fail with the reason. Closing a session leaves nothing running.
package claude

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/session"
	"github.com/google/uuid"
)

// Config configures a Driver. The zero value runs `claude`.
type Config struct {
	Command string   // default: claude, found in PATH
	Args    []string // appended to the driver's own arguments
	Model   string   // default: Claude Code's default model

	// Began, unless nil, is called with Claude Code's id for each conversation before the
	// conversation starts, so that the office does not treat the conversation as a guest.
	Began func(session string)

	Now func() time.Time // default: time.Now
	Log *slog.Logger     // default: no logging
}

// Driver opens sessions with Claude Code.
type Driver struct{ cfg Config }

// New returns a driver; it starts nothing.
func New(cfg Config) *Driver {
	cfg.Command = cmp.Or(cfg.Command, "claude")
	if cfg.Began == nil {
		cfg.Began = func(string) {}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Driver{cfg}
}

// Capabilities declares that Claude Code supports images.
func (d *Driver) Capabilities() drive.Capabilities { return drive.Capabilities{Images: true} }

// Open returns a session, or an error if Claude Code is not installed. The session's process
// starts with the first turn.
func (d *Driver) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	path, err := exec.LookPath(d.cfg.Command)
	if err != nil {
		return nil, fmt.Errorf("the program %q (Claude Code) is not installed or not in PATH: install it, or set the runner's command", d.cfg.Command)
	}
	start := func(s *session.Session, resume string) (session.Run, error) { return d.start(s, path, resume, spec) }
	return session.New(session.Config{Name: programName, Start: start, Began: d.cfg.Began, Now: d.cfg.Now}, spec.Resume), nil
}

// arguments returns the command-line arguments that make the program resume the conversation with
// this id if known is true, or start it otherwise.
func (d *Driver) arguments(id string, known bool) []string {
	args := []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--permission-prompt-tool", "stdio", "--include-partial-messages"}
	if known {
		args = append(args, "--resume", id)
	} else {
		args = append(args, "--session-id", id)
	}
	if d.cfg.Model != "" {
		args = append(args, "--model", d.cfg.Model)
	}
	return append(args, d.cfg.Args...)
}

// programName is the name of the program in the office and in errors.
const programName = "Claude Code"

func newSessionID() string { return uuid.NewString() }
