package main

import (
	"context"
	"os/signal"
	"os/user"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui"
)

const tuiHelp = `Show the office in this terminal: agents, what needs you, the task board, chat, activity
and the timeline. It shows the same office as the browser. Press ? for the keys; quitting
does not stop the office.

It works over ssh, in light and dark terminals, with NO_COLOR and without UTF-8, and
needs at least 60x16 characters.`

const tuiExample = `  bullpen tui
  BULLPEN_TOKEN=$(cat token) bullpen tui --url https://office.example`

func newTUICommand() *cobra.Command {
	s := newSettings()
	var url string
	c := &cobra.Command{Use: "tui", Short: "Show the office in this terminal", Long: tuiHelp, Example: tuiExample, Args: noArgs}
	s.registerData(c.Flags())
	registerURL(c.Flags(), &url)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		cl, err := newClient(s, url)
		if err != nil {
			return err
		}
		return showOffice(cmd.Context(), cl)
	}
	return c
}

// showOffice runs the terminal view. It makes one request first, so that a wrong address or token
// is reported as a plain message with its exit code.
func showOffice(ctx context.Context, cl *client) error {
	cfg := tui.Config{Server: cl.base, Token: cl.cfg.Token, TLS: cl.cfg.TLS, Name: loginName(), Build: currentVersion().Version}
	if err := tui.Check(cfg); err != nil {
		return usageError("%w", err)
	}
	var state contracts.Snapshot
	if err := cl.get(ctx, "/v1/state", &state); err != nil {
		return err
	}
	// Quit when the terminal closes.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	return tui.Run(ctx, cfg)
}

// loginName returns the user name without a Windows domain, or "" if it is unknown.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
}
