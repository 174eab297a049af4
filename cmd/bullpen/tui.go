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

const tuiHelp = `Show the office in this terminal: people, what needs you, the task board, chat,
activity and the timeline. It is the same office that the browser shows, by the
same protocol; ? tells the keys, and leaving it changes nothing.

It works over ssh, in light and dark terminals, with NO_COLOR and without UTF-8,
from 60x16 characters on.`

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

// showOffice asks the office once before it takes the terminal over, so that a
// wrong address or key is a plain message with its exit code.
func showOffice(ctx context.Context, cl *client) error {
	cfg := tui.Config{Server: cl.base, Token: cl.cfg.Token, TLS: cl.cfg.TLS, Name: loginName(), Build: currentVersion().Version}
	if err := tui.Check(cfg); err != nil {
		return usageError("%w", err)
	}
	var state contracts.Snapshot
	if err := cl.get(ctx, "/v1/state", &state); err != nil {
		return err
	}
	// A terminal that goes away is no reason to stay.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	return tui.Run(ctx, cfg)
}

// loginName is what the person is called on this machine; empty when it does not
// say. Windows puts the domain before it.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
}
