package codex

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/session"
)

// Config configures a Driver. The zero value works.
type Config struct {
	Command string   // default "codex"
	Args    []string // options before the subcommand
	Model   string   // default: Codex's default
	Mode    string   // when Codex asks for approval: untrusted, on-request or never; default on-request
	Version string   // Bullpen's version, which is sent to Codex

	// Began, unless nil, is called with the id of each thread as soon as the id is known, so that
	// the office does not treat the thread as a guest.
	Began func(thread string)

	Now func() time.Time // default time.Now
	Log *slog.Logger     // default: no logging
}

// Modes lists the possible values of Config.Mode.
var Modes = []string{"untrusted", "on-request", "never"}

// Driver opens threads with Codex's app-server.
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
	cfg.Command, cfg.Mode, cfg.Version = cmp.Or(cfg.Command, program), cmp.Or(cfg.Mode, "on-request"), cmp.Or(cfg.Version, "0")
	return &Driver{cfg}
}

const program = "codex"

// Open returns a session, or an error if Codex is not installed. The session's process starts with
// the first turn.
func (d *Driver) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	path, err := exec.LookPath(d.cfg.Command)
	if err != nil {
		return nil, fmt.Errorf("the program %q is not installed or not in PATH: install Codex (%s), or set the runner's command", d.cfg.Command, installCommand)
	}
	start := func(*session.Session, string) (session.Run, error) { return d.start(path, spec) }
	return session.New(session.Config{Name: translate.Label, Start: start, Began: d.cfg.Began, Now: d.cfg.Now}, spec.Resume), nil
}
