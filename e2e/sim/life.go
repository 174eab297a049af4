package sim

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/hub"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/turn"
	"github.com/bullpen-office/bullpen/view"
)

// runner is the name of the runner that does all the work.
const runner = "sim"

// staff are the agents of the office.
var staff = []contracts.AgentProfile{
	{AgentID: contracts.AgentBD, Name: "Robin", Role: contracts.RoleBD, Runner: runner},
	{AgentID: "agent_eng_1", Name: "Kim", Role: contracts.RoleEngineer, Runner: runner},
	{AgentID: "agent_writer_1", Name: "Ada", Role: contracts.RoleWriter, Runner: runner},
}

// life is one run of the server process.
type life struct {
	disk   *disk
	office *office.Office
	view   *view.View
	hub    *hub.Hub
	engine *turn.Engine
	door   *door
	failed chan error // errors of parts that must not fail
	stop   func()     // ends the parts in order and waits for them
}

// open starts the server on the store. It fails if the server cannot record its start.
func (h *history) open() (*life, error) {
	l := &life{disk: &disk{Ledger: h.store.Open(), injector: h.injector, killed: make(chan struct{})}, door: newDoor(), failed: make(chan error, 8)}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if l.office, err = office.Open(ctx, office.Config{Ledger: l.disk, Crew: staff, Director: director.Config{Pace: 50, Studios: h.plan.studios}}); err != nil {
		return nil, err
	}
	replica, err := l.office.Replica()
	if err != nil {
		return nil, err
	}
	l.view = view.New(view.Config{Ledger: l.disk, World: replica})
	if l.hub, err = hub.New(hub.Config{Ledger: l.disk, View: l.view, Office: l.office, Limits: hub.Limits{HeartbeatTimeout: 24 * time.Hour}}); err != nil {
		return nil, err
	}
	l.engine = turn.New(turn.Config{Office: desk{l}, Directory: h.agents, NewUUID: h.newUUID, Session: l.view.Sessions})
	c := crew.New(crew.Config{Office: l.office, Blobs: l.disk, Engine: l.engine, Workers: map[string]crew.Worker{runner: {Driver: h.agents}}, Default: runner, NewUUID: h.newUUID})
	core, readers, workers := newGroup(l), newGroup(l), newGroup(l)
	core.start(l.office.Run)
	readers.start(l.view.Run)
	readers.start(l.hub.Run)
	workers.start(func(ctx context.Context) error {
		return l.view.Orders(ctx, contracts.SourceCrew, l.engine.CarryOut)
	})
	workers.start(c.Run)
	server := &http.Server{Handler: http.HandlerFunc(l.hub.ServeWorld)}
	workers.start(func(context.Context) error { _ = server.Serve(l.door); return nil })
	l.stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = l.door.Close()
		if l.disk.dead() {
			l.door.cut()
		}
		_ = l.hub.Shutdown(ctx)
		_ = server.Close()
		l.engine.Close()
		workers.stop()
		core.stop()
		readers.stop()
	}
	return l, nil
}

// group runs parts of the server until stop is called.
type group struct {
	life *life
	ctx  context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup
}

func newGroup(l *life) *group {
	g := &group{life: l}
	g.ctx, g.end = context.WithCancel(context.Background())
	return g
}

func (g *group) start(run func(context.Context) error) {
	g.wg.Go(func() {
		if err := run(g.ctx); err != nil && !g.life.disk.dead() {
			g.life.failed <- err
		}
	})
}

func (g *group) stop() {
	g.end()
	g.wg.Wait()
}

// desk is the office as the engine sees it. All agents are crew, so no agent is admitted or watched.
type desk struct{ *life }

func (d desk) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	return d.office.Tell(ctx, facts...)
}

func (d desk) Await(ctx context.Context, id string) (contracts.Decision, error) {
	return d.view.Await(ctx, id)
}

func (d desk) PutBlob(ctx context.Context, content []byte) (string, error) {
	return d.disk.PutBlob(ctx, content)
}

func (d desk) PublishStream(delta contracts.StreamDelta)            { d.hub.PublishStream(delta) }
func (d desk) Admit(context.Context, contracts.AgentProfile) error  { return nil }
func (d desk) AddEvidence(context.Context, string, status.Evidence) {}

// door is a listener for in-memory connections, which work with virtual time.
type door struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex
	open []net.Conn
}

func newDoor() *door { return &door{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (d *door) Accept() (net.Conn, error) {
	select {
	case c := <-d.conns:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *door) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (d *door) Close() error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

// cut closes every connection without a close frame.
func (d *door) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.open {
		_ = c.Close()
	}
}

func (d *door) dial(context.Context, string, string) (net.Conn, error) {
	mine, theirs := net.Pipe()
	d.mu.Lock()
	d.open = append(d.open, theirs)
	d.mu.Unlock()
	select {
	case d.conns <- theirs:
		return mine, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}
