package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/office"
)

// Ledger is a ledger that several nodes share.
type Ledger interface {
	ledger.Ledger
	// Origin describes the ledger as it was when this node opened it.
	Origin() ledger.Origin
	// Writable returns an error that explains why an append would fail now, or nil if no reason is
	// known.
	Writable() error
	// Lead prepares the ledger for appends by this node.
	Lead(ctx context.Context) error
	// Await waits until this node has read the record with the given seq.
	Await(ctx context.Context, seq uint64) error
}

// Config configures a Node. Ledger, Conn, Office, Name, Players and Open are required.
type Config struct {
	Ledger   Ledger
	Conn     *nats.Conn
	Office   string   // name of the office in the cluster
	Name     string   // this node's name, unique among the office's nodes
	Version  string   // the program's version, shown to people
	DataDir  string   // directory for the node's membership file; if empty, the file is not written
	Watches  []string // sources of activity that this node watches
	Replicas int      // number of replicas of the lease bucket, if it must be created; default: contracts.JetStreamReplicas
	Players  *office.Players

	// Open opens the office for writing. life is the id of the life that this node continues; empty
	// if there is none.
	Open func(ctx context.Context, life string) (*office.Office, error)
	// Upkeep is called when this node becomes the writer, and runs until ctx is done; nil means no
	// upkeep.
	Upkeep func(ctx context.Context, o *office.Office) error

	Metrics prometheus.Registerer // default: no metrics
	Log     *slog.Logger          // default: no logging
}

// Node is one of the nodes that serve an office. It has the methods of an office. If another node
// is the office's writer, changes are forwarded to that node.
type Node struct {
	cfg         Config
	token       string // identifies this process
	presence    *Lease // the lease on this node's name
	writerLease *Lease
	line        *line
	arrival     *Arrival // nil unless this is the first start of the node

	workChanged chan struct{}
	joined      chan error      // receives the outcome of the first join
	stopping    context.Context // done when Close begins
	stop        context.CancelFunc
	running     sync.WaitGroup
	joining     sync.Mutex // held while a life is started

	mu    sync.Mutex
	life  string         // this node's life in the ledger; empty until it has one
	local *office.Office // nil unless this node is the writer

	excluded *IncompatibleError // why this node is excluded from serving; nil if it is not
}

var validName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// Open joins the cluster: it waits until the office has a writer and the ledger contains this
// node's life. ctx applies to joining only. Callers must call Close.
func Open(ctx context.Context, cfg Config) (*Node, error) {
	if err := CheckName(cfg.Name); err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	n := &Node{cfg: cfg, token: rand.Text(), workChanged: make(chan struct{}, 1), joined: make(chan error, 1)}
	n.stopping, n.stop = context.WithCancel(context.Background())
	lease := WriterLease(cfg.Conn, cfg.Office, cfg.Name)
	lease.Holder.Token, lease.Holder.Version = n.token, cfg.Version
	lease.Replicas, lease.Log = cfg.Replicas, cfg.Log
	n.line = &line{conn: cfg.Conn, prefix: "bullpen." + cfg.Office + ".w.", self: lease.Holder, log: cfg.Log}
	var err error
	if n.writerLease, err = OpenLease(ctx, lease); err != nil {
		return nil, err
	}
	lease.Key, lease.TTL = nodeKey(cfg.Office)+cfg.Name, contracts.NodeTTL
	if n.presence, err = OpenLease(ctx, lease); err != nil {
		return nil, err
	}
	first, member := false, membership{cfg.Office, cfg.Ledger.ID()}
	if cfg.DataDir != "" {
		if first, err = member.check(cfg.DataDir); err != nil {
			return nil, err
		}
	}
	n.running.Go(n.run)
	err = n.await(ctx)
	if err == nil && first {
		err = n.saveMembership(member)
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	if cfg.Metrics != nil {
		n.register(cfg.Metrics)
	}
	return n, nil
}

// nodeKey returns the key prefix of an office's nodes in the lease bucket.
func nodeKey(office string) string { return office + ".node." }

// await waits until the node has joined.
func (n *Node) await(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout+contracts.NodeTTL)
	defer cancel()
	for logged := false; limit.Err() == nil; {
		taken, changed := n.nameTaken()
		if taken && !logged {
			n.cfg.Log.Warn("another process serves the office as this node; waiting until it stops, or until its lease expires if it has crashed", "office", n.cfg.Office, "node", n.cfg.Name)
			logged = true
		}
		select {
		case err := <-n.joined:
			return err
		case <-changed:
		case <-limit.Done():
		}
	}
	if taken, _ := n.nameTaken(); taken {
		return fmt.Errorf("another process is already serving office %q as node %q: stop it, or choose another name with --node", n.cfg.Office, n.cfg.Name)
	}
	return fmt.Errorf("node %q could not join office %q: %w; check that the NATS servers have a quorum", n.cfg.Name, n.cfg.Office, context.Cause(limit))
}

// nameTaken reports whether another process holds the name of this node, and returns a channel that
// is closed when that may have changed.
func (n *Node) nameTaken() (taken bool, changed <-chan struct{}) {
	h, ok, changed := n.presence.Holder()
	return ok && h.Token != n.token, changed
}

// finishJoin sets the outcome of joining. Only the first call has an effect.
func (n *Node) finishJoin(err error) {
	select {
	case n.joined <- err:
	default:
	}
}

// run keeps the node in the cluster until Close.
func (n *Node) run() {
	ctx := n.stopping
	for ctx.Err() == nil {
		err := n.presence.Run(ctx, n.serve)
		if ctx.Err() == nil {
			n.cfg.Log.Warn("node left the cluster; rejoining", "error", err)
			pauseAfter(ctx, err)
		}
	}
}

// serve runs contend and keepJoined while this process holds the node's name.
func (n *Node) serve(ctx context.Context) error {
	if err := n.mayServe(ctx); err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { n.contend(ctx) })
	running.Go(func() { n.keepJoined(ctx) })
	<-ctx.Done()
	return ctx.Err()
}

// contend competes for the writer lease, and writes while this node holds it.
func (n *Node) contend(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.writerLease.Run(ctx, n.write)
		if ctx.Err() != nil || err == nil {
			continue
		}
		n.cfg.Log.Error("this node cannot become the office's writer; another node may take over", "error", err)
		pauseFor(ctx, contracts.LeaseTTL)
	}
}

// keepJoined calls join until it succeeds.
func (n *Node) keepJoined(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.join(ctx)
		if err == nil {
			n.finishJoin(nil)
			return
		}
		if refused := (*IncompatibleError)(nil); errors.As(err, &refused) {
			n.finishJoin(err)
		}
		if ctx.Err() == nil {
			n.cfg.Log.Warn("this node could not join the office; retrying", "error", err)
			pauseAfter(ctx, err)
		}
	}
}

// CheckName returns an error unless name is a valid node name.
func CheckName(name string) error {
	if !validName.MatchString(name) || len(name) > contracts.LimitNodeName {
		return fmt.Errorf("invalid node name %q: use up to %d letters, digits, '.', '_' and '-'", name, contracts.LimitNodeName)
	}
	return nil
}

// Close leaves the cluster. If n is the writer, another node can then take over; otherwise n
// records the end of its life.
func (n *Node) Close() {
	if n.writer() == nil && n.Life() != "" && n.cfg.Conn.IsConnected() {
		ctx, cancel := context.WithTimeout(context.Background(), contracts.ForwardAttempt)
		defer cancel()
		down := contracts.NodeDown{Node: n.cfg.Name, Life: n.Life()}
		if err := n.leave(ctx, down); err != nil {
			n.cfg.Log.Warn("this node's shutdown was not recorded; the office's writer will record it later", "after", contracts.NodeTTL, "error", err)
		}
	}
	n.stop()
	n.running.Wait()
}

// Name returns the name of the node, or "" if n is nil, that is, if the office has no nodes.
func (n *Node) Name() string {
	if n == nil {
		return ""
	}
	return n.cfg.Name
}

// Life returns the id of this node's life, which owns everything that the node runs; empty until
// the node has joined.
func (n *Node) Life() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.life
}

// writer returns the office if this node is its writer, otherwise nil.
func (n *Node) writer() *office.Office {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.local
}

// Health returns nil if a command could be executed now, otherwise an error that explains why not.
func (n *Node) Health() error {
	if o := n.writer(); o != nil {
		return o.Health()
	}
	if err := n.cfg.Ledger.Writable(); err != nil {
		return err
	}
	if !n.cfg.Conn.IsConnected() {
		return errors.New("not connected to NATS")
	}
	h, ok, _ := n.writerLease.Holder()
	if err := n.checkPermitted(h, ok); err != nil {
		return err
	}
	if !ok || h.Token == n.token {
		return n.noWriter()
	}
	return nil
}

// noWriter returns an error that explains why the office has no writer, or errNoWriter if this node
// does not know the reason.
func (n *Node) noWriter() error {
	if err := n.cfg.Ledger.Writable(); err != nil {
		return err
	}
	if problem := cmp.Or(n.writerLease.Problem(), n.presence.Problem()); problem != nil {
		return fmt.Errorf("%w; NATS has not confirmed that this node may write: %w", errNoWriter, problem)
	}
	return errNoWriter
}

// Status describes a node and its cluster, for /readyz and `bullpen status`.
type Status struct {
	Office string `json:"office"`
	Node   string `json:"node"`
	Writes bool   `json:"writes"`          // this node is the office's writer
	Writer string `json:"writer,omitzero"` // the writer's name; empty if there is no writer
	Server string `json:"server,omitzero"` // the NATS server that this node is connected to; empty if it is disconnected
}

// Status returns the state of the node.
func (n *Node) Status() Status {
	h, _, _ := n.writerLease.Holder()
	return Status{Office: n.cfg.Office, Node: n.cfg.Name, Writes: n.writer() != nil, Writer: h.Node, Server: n.cfg.Conn.ConnectedServerName()}
}
