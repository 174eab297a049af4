package main

import (
	"cmp"
	"errors"
	"log/slog"
	neturl "net/url"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents/claude/channel"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/trust"
)

const channelHelp = `Let a running Claude Code session be an agent of the office. Claude Code starts
this as an MCP server; give it a session <agent>::<chat> and an agent's token:

  claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen channel --session dev::desk
  claude --dangerously-load-development-channels server:bullpen

Claude Code asks you to confirm that channel; nothing here does it for you. The
variables of the agent bridge are respected: SYNTHESIS_WS_URL,
SYNTHESIS_OPENCLAW_SESSION, SYNTHESIS_CLAUDE_SESSION.`

func newChannelCommand() *cobra.Command {
	s := newSettings()
	var url, session string
	c := &cobra.Command{Use: "channel", Short: "Bring the office's messages into a Claude Code session (MCP)", Long: channelHelp, Args: noArgs, Annotations: map[string]string{asItIs: "true"}}
	s.registerData(c.Flags())
	c.Flags().StringVar(&url, "url", "", "address of the office or of its bridge: http, https, ws or wss (default SYNTHESIS_WS_URL, or the running office)")
	c.Flags().StringVar(&session, "session", "", "<agent>::<chat> to answer for (default SYNTHESIS_OPENCLAW_SESSION)")
	c.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if err := s.load(); err != nil {
			return err
		}
		cfg := channel.Config{
			URL: cmp.Or(url, os.Getenv("SYNTHESIS_WS_URL")), Session: cmp.Or(session, os.Getenv("SYNTHESIS_OPENCLAW_SESSION")),
			Program: cmp.Or(os.Getenv("SYNTHESIS_CLAUDE_SESSION"), os.Getenv("CLAUDE_CODE_SESSION_ID"), uuid.NewString()),
			PID:     os.Getpid(), Version: currentVersion().Version, Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
			Token: os.Getenv("BULLPEN_TOKEN"),
		}
		if cfg.Session == "" {
			return usageError("name the session to answer for: --session <agent>::<chat>, or SYNTHESIS_OPENCLAW_SESSION")
		}
		if _, ok := contracts.SessionAgent(cfg.Session); !ok {
			return usageError("%q is not a session: --session is <agent>%s<chat>, as in dev::desk", cfg.Session, contracts.SessionSeparator)
		}
		if cfg.URL == "" {
			var office *client
			if office, err = newClient(s, ""); err != nil {
				return err
			}
			cfg.URL = bridgeOf(office.base)
			cfg.TLS = office.cfg.TLS
		} else if cfg.URL, err = bridgeAddress(cfg.URL); err != nil {
			return err
		} else if cfg.TLS, err = trust.Config(s.cacert); err != nil {
			return usageError("%w", err)
		}
		if cfg.Token == "" { // never the owner's: an agent must not hold it
			return usageError("there is no token: set BULLPEN_TOKEN to one of `bullpen token create --role agent`")
		}
		return channelEnded(channel.Run(cmd.Context(), cfg))
	}
	return c
}

// bridgeOf is the bridge of an office.
func bridgeOf(office string) string {
	return "ws" + strings.TrimPrefix(office, "http") + gate.BridgePath
}

// bridgeAddress takes the address of an office or of a bridge.
func bridgeAddress(text string) (string, error) {
	u, err := neturl.Parse(text)
	switch {
	case err != nil || u.Host == "":
	case (u.Scheme == "http" || u.Scheme == "https") && strings.Trim(u.Path, "/") == "":
		return bridgeOf(strings.TrimRight(text, "/")), nil
	case u.Scheme == "http" || u.Scheme == "https":
		return "ws" + strings.TrimPrefix(text, "http"), nil
	case u.Scheme == "ws" || u.Scheme == "wss":
		return text, nil
	}
	return "", usageError("cannot use --url %q: give the address of an office, such as http://%s, or of its bridge, such as ws://%s/bridge", text, defaultAddr, defaultAddr)
}

// channelEnded gives a refusal the exit code of its reason.
func channelEnded(err error) error {
	var no *contracts.Refusal
	var insecure *trust.Error
	switch {
	case errors.As(err, &insecure):
		return &exitError{code: exitTLS, err: insecure}
	case !errors.As(err, &no):
		return err
	}
	return &exitError{code: refusalCode(no.Code), reason: no.Code, err: errors.New(printable(no.Message))}
}
