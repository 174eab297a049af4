package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
)

// ClusterConfig configures a server that is one of several nodes of an office.
type ClusterConfig struct {
	Ledger jetstream.Config // its Logger is set by the server
	Node   string           // this node's name, unique among the office's nodes
}

// joinCluster opens the shared ledger and makes this server a node of its office.
func (s *Server) joinCluster(ctx context.Context) (*world.World, error) {
	config := s.cfg.Cluster.Ledger
	config.Office, config.Logger = cmp.Or(config.Office, jetstream.DefaultOffice), s.cfg.Log
	config.Options = append([]nats.Option{nats.Name("bullpen " + s.cfg.Cluster.Node)}, config.Options...)
	path, served, known := cluster.Membership(s.cfg.DataDir)
	if served != "" && served != config.Office {
		return nil, fmt.Errorf("the node in %s serves office %q, not %q: use --office %s, or another --data directory", s.cfg.DataDir, served, config.Office, served)
	}
	config.Existing = known
	l, err := jetstream.Open(ctx, config)
	if known && errors.Is(err, jetstream.ErrNoOffice) {
		err = fmt.Errorf("%w; this node has served the office before: delete %s to let this node create a new office", err, path)
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
		Upkeep: s.upkeep, Metrics: s.metrics, Log: s.cfg.Log,
	})
	if err != nil {
		return nil, err
	}
	s.office = s.node
	return office.Load(ctx, l, s.cfg.Scene)
}

// Arrival describes the shared office that the server found on its first start; it is nil on later
// starts.
func (s *Server) Arrival() *cluster.Arrival { return s.node.Arrival() }

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
