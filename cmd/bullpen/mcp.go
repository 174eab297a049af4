package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	neturl "net/url"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents/claude/channel"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/tools"
	"github.com/bullpen-office/bullpen/tools/door"
	"github.com/bullpen-office/bullpen/trust"
)

const mcpHelp = `Serve the office's tools to an agent as an MCP server on standard input and output.
The agent can ask a person and wait for the answer, read the board, take a task, report
progress, deliver results and chat. It acts as the agent that its token belongs to:

  bullpen token create --role agent --agent agent_helper
  codex mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen mcp
  claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen mcp

Clients that use MCP over HTTP connect to the office's /mcp endpoint with the same token.

With --session, a running Claude Code session also receives messages from the office and
answers them (a channel). Claude Code asks you to confirm the channel:

  claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen mcp --session dev::desk
  claude --dangerously-load-development-channels server:bullpen

A channel also supports the environment variables of the agent bridge: SYNTHESIS_WS_URL,
SYNTHESIS_OPENCLAW_SESSION and SYNTHESIS_CLAUDE_SESSION.`

func newMCPCommand() *cobra.Command {
	c := mcpCommand(false)
	c.Use, c.Short, c.Long = "mcp", "Connect an agent to the office through MCP", mcpHelp
	return c
}

// newChannelCommand returns `bullpen mcp --session` under its earlier name, which existing settings
// use.
func newChannelCommand() *cobra.Command {
	c := mcpCommand(true)
	c.Use, c.Short, c.Hidden = "channel", "Connect a Claude Code session to the office; now part of bullpen mcp", true
	return c
}

// mcpCommand returns the command that runs the MCP server.
func mcpCommand(needsSession bool) *cobra.Command {
	s := newSettings()
	var url, session string
	c := &cobra.Command{Args: noArgs, Annotations: map[string]string{asItIs: "true"}}
	s.registerData(c.Flags())
	c.Flags().StringVar(&url, "url", "", "address of the office or of its bridge: http, https, ws or wss (default: $SYNTHESIS_WS_URL, or the running office)")
	c.Flags().StringVar(&session, "session", "", "<agent>::<chat> to receive messages for, as a channel (default: $SYNTHESIS_OPENCLAW_SESSION)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		session = cmp.Or(session, os.Getenv("SYNTHESIS_OPENCLAW_SESSION"))
		if session == "" && needsSession {
			return usageError("missing session: use --session <agent>::<chat>, or set SYNTHESIS_OPENCLAW_SESSION")
		}
		if _, ok := contracts.SessionAgent(session); session != "" && !ok {
			return usageError("invalid session %q: use --session <agent>%s<chat>, such as dev::desk", session, contracts.SessionSeparator)
		}
		find, err := findOffice(s, cmp.Or(url, os.Getenv("SYNTHESIS_WS_URL")))
		if err != nil {
			return err
		}
		token, err := givenToken()
		if err != nil {
			return err
		}
		if token == "" { // never the owner token: an agent must not have it
			return usageError("missing token: set BULLPEN_TOKEN to a token from `bullpen token create --role agent --agent NAME`")
		}
		remote := tools.NewRemote(tools.RemoteConfig{Token: token, Version: currentVersion().Version, Find: func() (tools.Endpoint, error) {
			at, err := find()
			return tools.Endpoint{URL: toolsOf(at.bridge), TLS: at.tls}, err
		}})
		if session == "" {
			return mcpEnded(serveTools(cmd.Context(), remote))
		}
		at, err := find()
		if err != nil {
			return err
		}
		return mcpEnded(channel.Run(cmd.Context(), channel.Config{
			URL: at.bridge, TLS: at.tls, Token: token, Session: session, Office: remote,
			Program: cmp.Or(os.Getenv("SYNTHESIS_CLAUDE_SESSION"), os.Getenv("CLAUDE_CODE_SESSION_ID"), uuid.NewString()),
			PID:     os.Getpid(), Version: currentVersion().Version, Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
		}))
	}
	return c
}

// serveTools runs the MCP server on standard input and output until the input ends or ctx is done.
func serveTools(ctx context.Context, office tools.Office) error {
	err := tools.New(tools.Config{Office: office, Version: currentVersion().Version}).Run(ctx, tools.Drain(&mcp.StdioTransport{}))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// officeAt is the address of an office's bridge.
type officeAt struct {
	bridge string
	tls    *tls.Config
}

// findOffice returns a function that finds the office at an address or, if address is empty, the
// office of the data directory. That office may be started later.
func findOffice(s *settings, address string) (func() (officeAt, error), error) {
	if address == "" {
		return func() (officeAt, error) {
			office, err := newClient(s, "")
			if err != nil {
				return officeAt{}, err
			}
			return officeAt{bridgeOf(office.base), office.cfg.TLS}, nil
		}, nil
	}
	bridge, err := bridgeAddress(address)
	if err != nil {
		return nil, err
	}
	secure, err := trust.Config(s.cacert)
	if err != nil {
		return nil, usageError("%w", err)
	}
	return func() (officeAt, error) { return officeAt{bridge, secure}, nil }, nil
}

// toolsOf returns the MCP endpoint of the office with this bridge. bridge is an address that
// bridgeAddress or bridgeOf returned.
func toolsOf(bridge string) string {
	base, _, _ := strings.Cut(bridge, "?")
	return "http" + strings.TrimSuffix(strings.TrimPrefix(base, "ws"), gate.BridgePath) + door.Path
}

func bridgeOf(office string) string {
	return "ws" + strings.TrimPrefix(office, "http") + gate.BridgePath
}

// bridgeAddress returns the bridge's URL, given the address of the office, of the bridge itself, or
// of the MCP endpoint.
func bridgeAddress(text string) (string, error) {
	u, err := neturl.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
		return "", usageError("invalid --url %q: use the address of an office, such as http://%s, or of its bridge, such as ws://%s/bridge", text, defaultAddr, defaultAddr)
	}
	path := strings.TrimRight(u.Path, "/")
	if office, ok := strings.CutSuffix(path, door.Path); ok || path == "" {
		path = office + gate.BridgePath
	}
	u.Scheme, u.Path, u.RawPath = strings.Replace(u.Scheme, "http", "ws", 1), path, ""
	return u.String(), nil
}

// mcpEnded adds an exit code to the error that ended the server.
func mcpEnded(err error) error {
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
