package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/ledger/door"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
)

// ClusterConfig configures a server that is one of several nodes of an office.
type ClusterConfig struct {
	Ledger jetstream.Config // Logger is set by the server
	Node   string           // name of this node, different from those of the other nodes
}

// store is the ledger of a server.
type store interface {
	door.Ledger
	// Damage returns the first damage that was found, nil if none.
	Damage() error
	// Writable returns why an append would fail now, as far as is known.
	Writable() error
	// Audit reads everything and returns the first damage.
	Audit(ctx context.Context) error
}

// room is the office of a server: an office of its own, or a node of a shared one.
type room interface {
	Do(ctx context.Context, cmd contracts.Command) contracts.Reply
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
	TellAs(ctx context.Context, teller contracts.Teller, facts ...contracts.Fact) []contracts.Reply
	Record(ctx context.Context, f contracts.Fact) error
	Redact(ctx context.Context, r office.RedactRequest) (office.Redactions, error)
	Work() []contracts.Work
	WorkChanged() <-chan struct{}
	Players() []contracts.Player
	PlayerLeft(id string)
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
		Director: director.Config{Pace: s.cfg.Pace, Sources: s.sources},
		Typed:    hud.RedactKeys, Now: s.cfg.Now, Logger: s.cfg.Log, Metrics: s.metrics,
	}
}

// watches returns the sources that this node watches.
func (s *Server) watches() []string {
	return append(agents.Watched(s.cfg.Adapters), contracts.SourceUI)
}

// joinCluster opens the shared ledger and makes this server a node of its office.
func (s *Server) joinCluster(ctx context.Context) (*world.World, error) {
	config := s.cfg.Cluster.Ledger
	config.Office, config.Logger = cmp.Or(config.Office, jetstream.DefaultOffice), s.cfg.Log
	config.Options = append([]nats.Option{nats.Name("bullpen " + s.cfg.Cluster.Node)}, config.Options...)
	path, known := cluster.Membership(s.cfg.DataDir)
	config.Existing = known
	l, err := jetstream.Open(ctx, config)
	if known && errors.Is(err, jetstream.ErrNoOffice) {
		err = fmt.Errorf("%w; this node has served it before: delete %s if it may create a new one", err, path)
	}
	if err != nil {
		return nil, err
	}
	s.ledger = l
	if s.nats, err = jetstream.Connect(ctx, config); err != nil {
		return nil, err
	}
	if s.vault, err = cluster.OpenVault(ctx, cluster.VaultConfig{Conn: s.nats, Office: config.Office, Replicas: config.Replicas, Log: s.cfg.Log}); err != nil {
		return nil, err
	}
	began := time.Now()
	s.clock = office.NewClock(s.cfg.Now, func() time.Duration { return time.Since(began) }, 0)
	oc := s.officeConfig()
	oc.Players = office.NewPlayers(s.cfg.Scene, s.clock.MS)
	s.node, err = cluster.Open(ctx, cluster.Config{
		Ledger: l, Conn: s.nats, Office: config.Office, Name: s.cfg.Cluster.Node, Version: s.cfg.Version, DataDir: s.cfg.DataDir, Watches: oc.Watches, Replicas: config.Replicas, Players: oc.Players,
		Open: func(ctx context.Context, life string) (*office.Office, error) {
			next := oc
			next.Life = life
			return office.Open(ctx, next)
		},
		Upkeep:  s.upkeep,
		Metrics: s.metrics, Log: s.cfg.Log,
	})
	if err != nil {
		return nil, err
	}
	s.office = s.node
	return office.Load(ctx, l, s.cfg.Scene)
}

// Arrival returns which shared office the server has found at its first start; nil otherwise.
func (s *Server) Arrival() *cluster.Arrival { return s.node.Arrival() }

// runOffice starts the server's own office, or a node's exchange of messages with the other nodes.
func (s *Server) runOffice() {
	if s.node != nil {
		s.readers.Go(func(ctx context.Context) error { return s.node.Lanes(ctx, s.hub.PublishStream, s.outposts.Saw) })
		return
	}
	s.core.Go(s.own.Run)
	s.workers.Go(func(ctx context.Context) error { return s.upkeep(ctx, s.own) })
}

// upkeep removes old activity until ctx ends.
func (s *Server) upkeep(ctx context.Context, o *office.Office) error {
	return o.Upkeep(ctx, s.cfg.Upkeep, office.ActivityRules(s.cfg.KeepActivity))
}

// streams shows streamed output to viewers.
type streams interface {
	PublishStream(d contracts.StreamDelta)
}

// allViewers shows streamed output to the viewers of all nodes.
type allViewers struct{ here, elsewhere streams }

func (a allViewers) PublishStream(d contracts.StreamDelta) {
	a.here.PublishStream(d)
	a.elsewhere.PublishStream(d)
}

func (s *Server) streams() streams {
	if s.node != nil {
		return allViewers{s.hub, s.node}
	}
	return s.hub
}
