package server

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
)

// officeAPI is the office of a server: its own office.Office, or the cluster.Node of a shared office.
type officeAPI interface {
	Do(ctx context.Context, cmd contracts.Command) contracts.Reply
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
	TellAs(ctx context.Context, teller contracts.Teller, facts ...contracts.Fact) []contracts.Reply
	Record(ctx context.Context, f contracts.Fact) error
	Redact(ctx context.Context, r office.RedactRequest) (office.Redactions, error)
	Work() []contracts.Work
	WorkChanged() <-chan struct{}
	Players() []contracts.Player
	PlayerLeft(id string)
	SetSceneFunc(current office.SceneFunc)
	Health() error
	RetentionPaused() string
}

// openOffice opens the ledger and the office, and returns a copy of the world for viewers.
func (s *Server) openOffice(ctx context.Context) (*world.World, error) {
	if s.cfg.Cluster != nil {
		return s.joinCluster(ctx)
	}
	l, err := sqlite.Open(ctx, sqlite.Config{Path: s.cfg.ledgerPath(), LockDir: s.cfg.LockDir, Logger: s.cfg.Log})
	if err != nil {
		return nil, err
	}
	s.ledger = l
	if s.own, err = office.Open(ctx, s.officeConfig()); err != nil {
		return nil, err
	}
	s.office, s.clock = s.own, s.own.Clock()
	replica, err := s.own.Replica()
	if err != nil {
		return nil, fmt.Errorf("copy the world for viewers: %w", err)
	}
	return replica, nil
}

func (s *Server) officeConfig() office.Config {
	return office.Config{
		Ledger: s.ledger, Scene: s.cfg.Scene, Crew: s.cfg.people(), Node: s.cfg.node(), Watches: s.watches(),
		Director: director.Config{Pace: s.cfg.Pace, Sources: s.sources, Studios: s.cfg.Studios, Unchecked: s.cfg.Unchecked, Alone: s.cfg.Cluster == nil, Policy: s.cfg.Staff.Permissions(),
			Reviews: s.cfg.Staff.Review, RunsOn: s.cfg.Staff.RunsOn},
		RedactText: hud.RedactKeys, Now: s.cfg.Now, Logger: s.cfg.Log, Metrics: s.metrics,
	}
}

// watches returns the sources that this node watches.
func (s *Server) watches() []string {
	return append(agents.Watched(s.cfg.Adapters), contracts.SourceUI)
}

// runOffice starts the server's own office, or a node's exchange of messages with the other nodes.
func (s *Server) runOffice() {
	if s.node != nil {
		s.readers.Go(func(ctx context.Context) error {
			return s.node.Lanes(ctx, s.hub.PublishStream, s.outposts.HandleRemoteReport)
		})
		return
	}
	s.core.Go(s.own.Run)
	s.workers.Go(func(ctx context.Context) error { return s.upkeep(ctx, s.own) })
}

// upkeep removes old activity until ctx is done.
func (s *Server) upkeep(ctx context.Context, o *office.Office) error {
	return o.Upkeep(ctx, s.cfg.Upkeep, office.ActivityRules(s.cfg.KeepActivity))
}
