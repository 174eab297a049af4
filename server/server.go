package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/directory"
	"github.com/bullpen-office/bullpen/bridge"
	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/export/agui"
	"github.com/bullpen-office/bullpen/export/otlp"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/group"
	"github.com/bullpen-office/bullpen/hub"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger/door"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/openapi"
	outposts "github.com/bullpen-office/bullpen/outpost/door"
	"github.com/bullpen-office/bullpen/peers"
	"github.com/bullpen-office/bullpen/repo/keeper"
	"github.com/bullpen-office/bullpen/repo/registry"
	"github.com/bullpen-office/bullpen/turn"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// Server is a running office, or one node of a shared office, with its HTTP routes.
type Server struct {
	cfg           Config
	sources       contracts.Sources // where agents come from
	ledger        store
	office        officeAPI
	own           *office.Office // nil if the office is shared
	node          *cluster.Node  // nil unless the office is shared
	nats          *nats.Conn     // nil unless the office is shared
	vault         *cluster.Vault // nil unless the office is shared
	clock         *office.Clock
	hub           *hub.Hub
	view          *view.View
	crew          *crew.Crew     // nil without a crew
	keeper        *keeper.Keeper // nil if there is no crew or no data directory
	directory     *directory.Directory
	conversations *turn.Memory // conversations started by the office
	address       string       // the bridge's address, for programs that the office starts
	engine        *turn.Engine
	bridge        *bridge.Bridge
	peers         *peers.Peers
	watchers      map[string]agents.Watcher // by source
	roster        *intake.Roster
	ui            *intake.UI
	outposts      *outposts.Door
	repos         *registry.Registry
	ledgerDoor    *door.Door
	agui          *agui.Door
	traces        *otlp.Exporter // nil if no export is configured
	binding       sync.Mutex     // guards gate and http while bind sets them
	gate          *gate.Gate
	http          *http.Server
	mux           *openapi.Mux // its routes are registered before anything is served
	metrics       *prometheus.Registry
	refused       *prometheus.CounterVec
	started       time.Time
	closing       atomic.Bool
	shutdownCtx   context.Context // cancelled when shutdown starts, so that requests stop waiting
	startShutdown context.CancelFunc

	workers group.Group // crew, roster, watchers, outposts, upkeep and other background work
	core    group.Group // the server's own office
	readers group.Group // view, hub, exports
	failed  chan error
	once    sync.Once
	err     error // result of Shutdown
}

// New opens the ledger and folds its records into the office. New also joins a shared office and
// starts the view; everything else starts with Serve. Callers must call Shutdown even if they never
// call Serve.
func New(ctx context.Context, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if cfg.DataDir != "" {
		if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("create the data directory %s: %w", cfg.DataDir, err)
		}
		warnOpenData(cfg)
	}
	s := &Server{cfg: cfg, mux: &openapi.Mux{}, sources: append(agents.Sources(cfg.Adapters), intake.UISource), metrics: newRegistry(), started: cfg.Now(), failed: make(chan error, 16)}
	s.workers.Failed, s.core.Failed, s.readers.Failed = s.failed, s.failed, s.failed
	s.shutdownCtx, s.startShutdown = context.WithCancel(context.Background())
	err := s.open(ctx)
	if err == nil && cfg.Addr != nil {
		err = s.bind(cfg.Addr)
	}
	if err != nil {
		return nil, errors.Join(err, s.Shutdown(ctx))
	}
	return s, nil
}

func (s *Server) open(ctx context.Context) error {
	replica, err := s.openOffice(ctx)
	if err != nil {
		return err
	}
	registerDamage(s.metrics, s.ledger.Damage)
	s.view = view.New(view.Config{
		Ledger: s.ledger, World: replica, Sources: s.sources, Node: s.cfg.node(), Shared: s.node != nil, Now: s.clock.Now, Players: s.office.Players, Metrics: s.metrics,
		Load: func(ctx context.Context, upTo uint64) (*world.World, error) {
			return office.LoadUpTo(ctx, s.ledger, s.cfg.Scene, upTo)
		},
	})
	s.office.SetSceneFunc(func() (sc *scene.Scene) {
		s.view.Peek(func(w *world.World) { sc = w.Scene() })
		return sc
	})
	s.repos = &registry.Registry{Office: s.office, Repos: s.cfg.Repos, Node: s.cfg.node(), Shared: s.node != nil, Ephemeral: !s.cfg.durable(), Log: s.cfg.Log}
	s.hub, err = hub.New(hub.Config{
		Ledger: s.ledger, View: s.view, Office: s.office, Check: s.repos.Check, Principal: gate.PrincipalFrom, Now: s.clock.Now,
		Metrics: s.metrics, Logger: s.cfg.Log, Version: s.cfg.Version, Sources: s.sources, SnapshotHz: s.cfg.SnapshotHz, ReplayOff: s.cfg.ReplayOff,
	})
	if err != nil {
		return err
	}
	// Other nodes may write while the components below are opened; the components wait for the view.
	s.readers.Go(s.view.Run)
	s.ledgerDoor = door.New(door.Config{
		Ledger: s.ledger, Office: s.office, Audit: s.recordAudit, Dir: filepath.Join(s.cfg.DataDir, "backup.tmp"), ShutdownCtx: s.shutdownCtx, Log: s.cfg.Log,
	})
	s.openMemory()
	s.openRoster()
	s.openUI()
	if err := s.openWatchers(); err != nil {
		return err
	}
	if err := s.openExports(); err != nil {
		return err
	}
	s.openPeers()
	if err := s.openDirectory(); err != nil {
		return err
	}
	s.openEngine()
	s.openCrew()
	return nil
}

// bind creates the gate and the routes for addr. Later calls do nothing.
func (s *Server) bind(addr net.Addr) (err error) {
	s.binding.Lock()
	defer s.binding.Unlock()
	if s.gate != nil {
		return nil
	}
	s.refused = registerRefusals(s.metrics)
	s.address = gate.BridgeURL(addr, s.cfg.TLS)
	config := gate.Config{
		Addr: addr, DataDir: s.cfg.DataDir, TokenFile: s.cfg.TokenFile, Hosts: s.cfg.Hosts, PublicURL: s.cfg.PublicURL,
		Proxies: s.cfg.Proxies, RequireToken: s.cfg.RequireToken, TLS: s.cfg.TLS, Now: s.cfg.Now, Log: s.cfg.Log,
		Unknown: func(r *http.Request) bool { return gate.Unrouted(&s.mux.ServeMux, r) }, OnEnded: s.closeSockets, OnRevoked: s.revoked, OnSignIn: s.signedIn,
		OnRefused: func(_ int, code contracts.ErrorCode) { s.refused.WithLabelValues(string(code)).Inc() },
	}
	if s.vault != nil {
		config.Tokens, config.Links = s.vault, s.vault
	}
	if s.gate, err = gate.New(config); err != nil {
		return err
	}
	s.http = &http.Server{Handler: s.gate.Handler(s.routes()), ErrorLog: slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug)}
	gate.Harden(s.http)
	s.http.RegisterOnShutdown(s.agui.Close)
	for _, w := range s.watchers {
		s.http.RegisterOnShutdown(w.Close)
	}
	s.http.RegisterOnShutdown(s.engine.Close)
	s.http.RegisterOnShutdown(s.peers.Close)
	return nil
}

// Link returns a one-time link (path and query) that signs a browser in as operator.
// If Config.Addr is empty, call Link only after Serve has begun.
func (s *Server) Link() string { return s.gate.Link(contracts.AccessOperator) }

// Serve runs the office and serves requests on ln until Shutdown is called or a part of the server
// fails. It returns nil after Shutdown.
func (s *Server) Serve(ln net.Listener) error {
	if err := s.bind(ln.Addr()); err != nil {
		return err
	}
	if s.closing.Load() { // Shutdown came first and had no server to close
		return nil
	}
	s.runOffice()
	s.readers.Go(s.hub.Run)
	s.readers.Go(s.exportTraces)
	s.workers.Go(func(ctx context.Context) error { return s.view.Orders(ctx, contracts.SourceCrew, s.engine.CarryOut) })
	s.workers.Go(func(ctx context.Context) error { return s.peers.Run(ctx, s.engine) })
	if s.crew != nil {
		s.workers.Go(s.crew.Run)
	}
	if s.keeper != nil {
		s.workers.Go(s.keeper.Run)
	}
	s.workers.Go(s.repos.Run)
	s.workers.Go(s.roster.Run)
	s.workers.Go(s.ui.Run)
	s.workers.Go(s.outposts.Run)
	for _, w := range s.watchers {
		s.workers.Go(w.Run)
	}
	s.workers.Go(func(ctx context.Context) error { s.gate.Watch(ctx); return nil })
	s.workers.Go(s.scrubLedger)
	go func() { s.failed <- s.http.Serve(ln) }()
	err := <-s.failed
	if s.closing.Load() || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("server failed: %w", err)
}

// Shutdown stops the parts in order. If ctx is done first, it cuts off requests and viewers instead
// of waiting for them, but always closes the office and the ledger.
func (s *Server) Shutdown(ctx context.Context) error {
	s.once.Do(func() { s.err = s.shutdown(ctx) })
	return s.err
}

// drainContext returns a context that limits how long shutdown waits for requests in progress.
// While nothing can be recorded, commands are not answered, so the timeout is short.
func (s *Server) drainContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.ledger != nil && s.ledger.Writable() != nil {
		return context.WithTimeout(ctx, contracts.ShutdownUnrecorded)
	}
	return context.WithCancel(ctx)
}

func (s *Server) shutdown(ctx context.Context) error {
	s.closing.Store(true)
	s.startShutdown()
	var errs []error
	drain, cancel := s.drainContext(ctx)
	defer cancel()
	closed := make(chan struct{})
	go func() { // stop listening now; viewers' requests end when the hub closes them
		defer close(closed)
		s.binding.Lock()
		httpServer := s.http
		s.binding.Unlock()
		if httpServer != nil && httpServer.Shutdown(drain) != nil {
			_ = httpServer.Close()
		}
	}()
	if s.hub != nil {
		if err := s.hub.Shutdown(drain); ctx.Err() != nil {
			errs = append(errs, err)
		}
	}
	<-closed
	if s.engine != nil { // http.Server.Shutdown called both Close methods without waiting for them
		s.engine.Close()
	}
	if s.peers != nil {
		s.peers.Close()
	}
	s.workers.Stop()
	if s.directory != nil {
		errs = append(errs, s.directory.Close())
	}
	s.core.Stop()
	if s.node != nil {
		s.node.Close()
	}
	s.readers.Stop()
	if s.ledger != nil {
		errs = append(errs, s.ledger.Close())
	}
	if s.vault != nil {
		s.vault.Close()
	}
	if s.nats != nil {
		s.nats.Close()
	}
	return errors.Join(errs...)
}
