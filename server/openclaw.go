package server

import (
	"context"
	"path/filepath"

	reader "github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

// GatewayConfig is an OpenClaw gateway to follow.
type GatewayConfig struct {
	URL   string // as openclaw.Address writes it
	Token string // shared by the gateway with its operators; empty uses what is stored for this device
	Watch bool   // only look: no stop, no new, no approvals
}

// openGateways prepares to follow the gateways. The agents of the first keep their
// plain names; those of others are told apart by a tag.
func (s *Server) openGateways() error {
	for i, g := range s.cfg.Gateways {
		cfg := watch.Config{
			URL: g.URL, Token: g.Token, Watch: g.Watch, Dir: DevicePath(s.cfg.DataDir), Version: s.cfg.Version, KeepThinking: s.cfg.KeepThinking, Price: s.cfg.Staff.Estimate,
			Office: s.office, Roster: listed{s.roster}, Answers: s.view, Ledger: s.ledger, State: s.state, Now: s.cfg.Now, Log: s.cfg.Log,
		}
		if i > 0 {
			cfg.Tag = reader.TagOf(g.URL)
		}
		f, err := watch.New(cfg)
		if err != nil {
			return err
		}
		s.gateways = append(s.gateways, f)
	}
	return nil
}

// listed is the roster for agents that a gateway lists: the connection proves them.
type listed struct{ *intake.Roster }

func (l listed) Join(ctx context.Context, p contracts.AgentProfile) error {
	return l.Roster.Join(ctx, p, intake.Proof{Seen: true})
}

// DevicePath is where the key and the tokens for gateways lie; empty keeps them in
// memory.
func DevicePath(dataDir string) string {
	if dataDir == "" {
		return ""
	}
	return filepath.Join(dataDir, "openclaw")
}

func (s *Server) gatewayStates() (list []watch.State) {
	for _, g := range s.gateways {
		list = append(list, g.State())
	}
	return list
}
