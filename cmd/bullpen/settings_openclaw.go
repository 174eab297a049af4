package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// gatewayTokenEnv is where OpenClaw itself looks for the token of its gateway.
const gatewayTokenEnv = "OPENCLAW_GATEWAY_TOKEN"

// gatewaySettings say which OpenClaw gateways are followed.
type gatewaySettings struct {
	urls, tokenFiles []string
	watch            bool
}

func (g *gatewaySettings) register(f *pflag.FlagSet) {
	f.StringSliceVar(&g.urls, "openclaw", nil, "OpenClaw gateway whose agents come in, for example ws://127.0.0.1:18789; may be given several times")
	f.StringSliceVar(&g.tokenFiles, "openclaw-token-file", nil, "file with the gateway's token, one for all or one for each (default "+gatewayTokenEnv+")")
	f.BoolVar(&g.watch, "openclaw-watch", false, "only look at OpenClaw: no stop, no new, no approvals; asks the gateway for operator.read alone")
}

func (s *settings) checkGateways() error {
	g := s.openclaw
	if _, err := watch.Addresses(g.urls, s.insecurePlaintext); err != nil {
		return err
	}
	if n := len(g.tokenFiles); n > 1 && n != len(g.urls) {
		return fmt.Errorf("openclaw-token-file: %d files for %d gateways: give one for all, or one for each in the same order", n, len(g.urls))
	}
	return nil
}

// gateways are the gateways with their tokens, which are read only now.
func (s *settings) gateways() (list []server.GatewayConfig, err error) {
	urls, err := watch.Addresses(s.openclaw.urls, s.insecurePlaintext)
	if err != nil {
		return nil, err
	}
	for i, url := range urls {
		token := strings.TrimSpace(os.Getenv(gatewayTokenEnv))
		if files := s.openclaw.tokenFiles; len(files) > 0 {
			if token, err = readGatewayToken(files[min(i, len(files)-1)]); err != nil {
				return nil, err
			}
		}
		list = append(list, server.GatewayConfig{URL: url, Token: token, Watch: s.openclaw.watch})
	}
	return list, nil
}

func readGatewayToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", usageError("read the token of the gateway: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, contracts.LimitDeviceFile))
	if err != nil {
		return "", usageError("read the token of the gateway: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", usageError("%s holds no token: it must have one word", path)
	}
	return token, nil
}

// examineGateways asks every gateway whether it would let us in.
func examineGateways(ctx context.Context, s *settings) (found []agents.Finding) {
	list, err := s.gateways()
	if err != nil {
		return []agents.Finding{agents.Wrong("openclaw", "correct it; `bullpen config show` tells where it comes from", "%v", err)}
	}
	for _, g := range list {
		saw, err := watch.Check(ctx, watch.Config{
			URL: g.URL, Token: g.Token, Watch: g.Watch, Dir: server.DevicePath(s.data), Version: currentVersion().Version,
		})
		var problem *watch.Problem
		switch {
		case errors.As(err, &problem):
			found = append(found, agents.Wrong("openclaw", problem.Do, "%s", problem.Saw))
		case err != nil:
			found = append(found, agents.Wrong("openclaw", "do what it says", "%v", err))
		default:
			found = append(found, agents.Fine("openclaw", "%s", saw))
		}
	}
	return found
}
