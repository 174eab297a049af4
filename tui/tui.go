package tui

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/bullpen-office/bullpen/tui/link"
)

// Config is the office to show and the terminal to use.
type Config struct {
	Server string      // http://host:port
	Token  string      // sent only to Server; default: none, as in link.Config
	TLS    *tls.Config // default: standard certificate verification
	Name   string      // the user's name, shown to others in the room; default "Visitor"
	Build  string

	In, Out *os.File // default: stdin and stdout
}

// framesPerSecond is high enough to show people walking, and low enough for a slow connection.
const framesPerSecond = 30

// ErrNoTerminal means that the input or the output is not a terminal.
var ErrNoTerminal = errors.New("not a terminal: run this in a terminal, or use `bullpen status` in scripts")

// ErrDumb means that the terminal cannot position the cursor.
var ErrDumb = errors.New("TERM=dumb does not support cursor positioning: use a full terminal, or `bullpen status`")

func (c Config) withDefaults() Config {
	c.In = cmp.Or(c.In, os.Stdin)
	c.Out = cmp.Or(c.Out, os.Stdout)
	return c
}

// Check returns ErrNoTerminal or ErrDumb if Run cannot use the terminal, else nil.
func Check(cfg Config) error {
	cfg = cfg.withDefaults()
	if !term.IsTerminal(cfg.In.Fd()) || !term.IsTerminal(cfg.Out.Fd()) {
		return ErrNoTerminal
	}
	if os.Getenv("TERM") == "dumb" {
		return ErrDumb
	}
	return nil
}

// Run shows the office until the user quits or ctx is done. It restores the terminal, even after a
// panic.
func Run(parent context.Context, cfg Config) error {
	cfg = cfg.withDefaults()
	if err := Check(cfg); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	updates := &updateQueue{}
	l := link.New(link.Config{Server: cfg.Server, Token: cfg.Token, TLS: cfg.TLS, Name: cfg.Name, Build: cfg.Build, OnUpdate: updates.push})
	a := newApp(ctx, l, updates, time.Now, newLook(!lightByEnv(os.Getenv), !UTF8(os.Getenv)))
	a.canvas = &canvas{File: cfg.Out}
	p := tea.NewProgram(a, tea.WithContext(ctx), tea.WithInput(cfg.In), tea.WithOutput(a.canvas), tea.WithFPS(framesPerSecond))
	a.canvas.drawn = func() { go p.Send(drawnMsg{}) }
	updates.wake = func() { p.Send(updatesMsg{}) }
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	_, err := p.Run()
	cancel()
	<-done
	for _, line := range a.unsent() {
		fmt.Fprintln(cfg.Out, line)
	}
	return ending(parent, err)
}

// ending returns nil if the user has quit or ctx is done, else an error that describes what failed.
func ending(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, tea.ErrInterrupted), errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("the terminal view crashed: %w; the office keeps running", err)
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		return nil
	}
	return fmt.Errorf("the terminal view failed: %w; the office keeps running", err)
}

// lightByEnv reports whether COLORFGBG, which some terminals set, indicates a light background.
// Init also queries the terminal, but not every terminal answers.
func lightByEnv(getenv func(string) string) bool {
	value := getenv("COLORFGBG")
	at := strings.LastIndexByte(value, ';')
	if at < 0 {
		return false
	}
	bg := value[at+1:]
	return bg == "7" || bg == "15"
}
