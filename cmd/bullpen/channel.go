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

const channelHelp = `Connect a running Claude Code session to the office as an agent. Claude Code starts
this command as an MCP server; give it a session <agent>::<chat> and an agent token:

  claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen channel --session dev::desk
  claude --dangerously-load-development-channels server:bullpen

Claude Code asks you to confirm the channel. The variables of the agent bridge are
supported: SYNTHESIS_WS_URL, SYNTHESIS_OPENCLAW_SESSION, SYNTHESIS_CLAUDE_SESSION.`

func newChannelCommand() *cobra.Command {
	s := newSettings()
	var url, session string
	c := &cobra.Command{Use: "channel", Short: "Connect a Claude Code session to the office through MCP", Long: channelHelp, Args: noArgs, Annotations: map[string]string{asItIs: "true"}}
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
			return usageError("missing session: use --session <agent>::<chat>, or set SYNTHESIS_OPENCLAW_SESSION")
		}
		if _, ok := contracts.SessionAgent(cfg.Session); !ok {
			return usageError("invalid session %q: use --session <agent>%s<chat>, such as dev::desk", cfg.Session, contracts.SessionSeparator)
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
		if cfg.Token == "" { // never the owner token: an agent must not hold it
			return usageError("missing token: set BULLPEN_TOKEN to a token from `bullpen token create --role agent`")
		}
		return channelEnded(channel.Run(cmd.Context(), cfg))
	}
	return c
}

func bridgeOf(office string) string {
	return "ws" + strings.TrimPrefix(office, "http") + gate.BridgePath
}

// bridgeAddress returns the bridge's URL, given the address of the office or of the bridge itself.
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
	return "", usageError("invalid --url %q: use the address of an office, such as http://%s, or of its bridge, such as ws://%s/bridge", text, defaultAddr, defaultAddr)
}

// channelEnded adds an exit code to the error that ended the channel.
func channelEnded(err error) error {
	var refusal *contracts.Refusal
	var insecure *trust.Error
	switch {
	case errors.As(err, &insecure):
		return &exitError{code: exitTLS, err: insecure}
	case !errors.As(err, &refusal):
		return err
	}
	return &exitError{code: refusalCode(refusal.Code), reason: refusal.Code, err: errors.New(printable(refusal.Message))}
}
