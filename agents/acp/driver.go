// Package acp drives any agent program that speaks the Agent Client Protocol, version 1: JSON-RPC
// over standard input and output.
//
// A turn reports thinking, tool calls and text as they happen, asks a person when the agent asks
// for permission, and can be cancelled without losing the conversation. A permission request is
// refused unless a person or a rule of the office allows it. Agents may read and write files and
// run commands through the office, but only inside their workspace. If the process has exited, the
// next turn restarts it and resumes the conversation if the agent supports that. Closing a session
// leaves nothing running.
package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/session"
)

// Config configures a Driver. Command is required.
type Config struct {
	Command string
	Args    []string
	Model   string // default: the agent's default
	Mode    string // default: the agent's default
	Version string // Bullpen's version, which is sent to agents

	// Began, unless nil, is called with the session id that the agent gives to a conversation, as
	// soon as the id is known. The office then does not treat the conversation as a guest.
	Began func(session string)

	Now func() time.Time // default time.Now
	Log *slog.Logger     // default: no logging
}

// Driver opens sessions with an agent program.
type Driver struct{ cfg Config }

// New returns a driver; it starts nothing.
func New(cfg Config) *Driver {
	if cfg.Began == nil {
		cfg.Began = func(string) {}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg.Version = cmp.Or(cfg.Version, "0")
	return &Driver{cfg}
}

// Capabilities declares that agents may support images. A turn with images fails with
// drive.ErrUnsupported if its agent does not support them.
func (d *Driver) Capabilities() drive.Capabilities { return drive.Capabilities{Images: true} }

// Open returns a session, or an error if the program is not installed. The session's process starts
// with the first turn.
func (d *Driver) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	if d.cfg.Command == "" {
		return nil, errors.New("the runner has no command: set it to a program that speaks the Agent Client Protocol, such as [opencode, acp]")
	}
	path, err := exec.LookPath(d.cfg.Command)
	if err != nil {
		return nil, fmt.Errorf("the program %q is not installed or not in PATH: install it, or set the runner's command", d.cfg.Command)
	}
	start := func(*session.Session, string) (session.Run, error) { return d.start(path, spec) }
	return session.New(session.Config{Name: programName, Start: start, Began: d.cfg.Began, Now: d.cfg.Now}, spec.Resume), nil
}
