package hub

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// pipeListener accepts in-memory connections, so that a real HTTP server and real handshakes run in
// virtual time.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipeListener) dial() (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case l.conns <- a:
		return b, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// deskOffice is a minimal office: each command appends a receipt, an event and a chat message
// atomically.
type deskOffice struct {
	rig  *rig
	do   func(contracts.Command) contracts.Reply // optional
	mu   sync.Mutex
	left []string
}

func (o *deskOffice) Do(ctx context.Context, cmd contracts.Command) contracts.Reply {
	if o.do != nil {
		return o.do(cmd)
	}
	receipt := o.rig.record(&contracts.Receipt{CommandID: cmd.ID, Identity: cmd.Caller.Identity})
	event := o.rig.record(&contracts.Event{Name: contracts.EventAgentJoined, Note: cmd.ID})
	chat := o.rig.record(&contracts.Chat{ThreadID: contracts.ThreadBD, From: contracts.AgentBD, To: contracts.UserID, Text: cmd.ID})
	recs := []contracts.Record{receipt, event, chat}
	if err := o.rig.ledger.Append(ctx, ledger.AnySeq, recs); err != nil {
		return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeInternal, "%v", err)}
	}
	return contracts.Reply{Seq: recs[2].Seq}
}

func (o *deskOffice) Players() []contracts.Player { return nil }

func (o *deskOffice) PlayerLeft(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.left = append(o.left, id)
}

// rig is a hub with its view, ledger and HTTP server.
type rig struct {
	t      testing.TB
	hub    *Hub
	view   *view.View
	world  *world.World // the view's world
	ledger ledger.Ledger
	office *deskOffice
	dial   func() (net.Conn, error)
	made   atomic.Int64
	stop   func()
}

type rigOption func(*rig, *Config)

// overTCP uses real connections and real time, with timeouts that even a busy machine does not
// exceed.
func overTCP(r *rig, c *Config) {
	r.dial = nil
	c.Limits.HelloTimeout, c.Limits.HeartbeatTimeout, c.Limits.WriteTimeout = time.Hour, time.Hour, time.Hour
}

func onLedger(l ledger.Ledger) rigOption { return func(r *rig, _ *Config) { r.ledger = l } }

func withConfig(fn func(*Config)) rigOption { return func(_ *rig, c *Config) { fn(c) } }

func memoryLedger(t testing.TB) ledger.Ledger {
	t.Helper()
	l, err := sqlite.Open(context.Background(), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func fileLedger(t testing.TB, path string) ledger.Ledger {
	t.Helper()
	l, err := sqlite.Open(context.Background(), sqlite.Config{Path: path, MinFree: -1})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// newRig starts a hub. Stop it before its synctest bubble ends.
func newRig(t testing.TB, opts ...rigOption) *rig {
	t.Helper()
	r := &rig{t: t, world: world.New(scene.Default())}
	l := newPipeListener()
	r.dial = l.dial
	r.office = &deskOffice{rig: r}
	cfg := Config{Office: r.office}
	for _, o := range opts {
		o(r, &cfg)
	}
	own := r.ledger == nil
	if own {
		r.ledger = memoryLedger(t)
	}
	cfg.Ledger = r.ledger
	if r.ledger.Head() == 0 {
		r.append(&contracts.Event{Name: contracts.EventOfficeCreated, SceneID: contracts.DefaultScene,
			Agents: []contracts.AgentProfile{{AgentID: contracts.AgentBD, Name: "Robin", Role: contracts.RoleBD}}})
	}
	r.view = view.New(view.Config{Ledger: r.ledger, World: r.world})
	cfg.View = r.view
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.hub = h
	var listener net.Listener = l
	if r.dial == nil {
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		r.dial = func() (net.Conn, error) { return net.Dial("tcp", listener.Addr().String()) }
	}
	r.stop = r.serve(listener, own)
	return r
}

func (r *rig) serve(l net.Listener, closeLedger bool) func() {
	mux := http.NewServeMux()
	mux.HandleFunc("/ws/world", r.hub.ServeWorld)
	mux.HandleFunc("/ws/hud", r.hub.ServeHUD)
	mux.HandleFunc("/v1/events", r.hub.ServeEvents)
	mux.HandleFunc("/v1/events/stream", r.hub.ServeEventStream)
	srv := &http.Server{Handler: mux}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	wg.Go(func() { srv.Serve(l) })
	wg.Go(func() {
		if err := r.view.Run(ctx); err != nil {
			r.t.Errorf("the view: %v", err)
		}
	})
	wg.Go(func() {
		if err := r.hub.Run(ctx); err != nil {
			r.t.Errorf("Run: %v", err)
		}
	})
	return sync.OnceFunc(func() {
		end, done := context.WithTimeout(context.Background(), time.Minute)
		defer done()
		if err := r.hub.Shutdown(end); err != nil {
			r.t.Errorf("Shutdown: %v", err)
		}
		srv.Close()
		cancel()
		wg.Wait()
		if closeLedger {
			r.ledger.Close()
		}
	})
}

// record returns a record with a unique id.
func (r *rig) record(body contracts.Body) contracts.Record {
	r.t.Helper()
	rec, err := contracts.NewRecord(0, 1_700_000_000_000+r.made.Load(), "", body)
	if err != nil {
		r.t.Fatal(err)
	}
	if rec.Kind != contracts.KindHUD {
		rec.ID = fmt.Sprintf("rec_x%d", r.made.Add(1))
	}
	return rec
}

// append appends bodies to the ledger and returns the last seq.
func (r *rig) append(bodies ...contracts.Body) uint64 {
	r.t.Helper()
	recs := make([]contracts.Record, len(bodies))
	for i, b := range bodies {
		recs[i] = r.record(b)
	}
	if err := r.ledger.Append(context.Background(), ledger.AnySeq, recs); err != nil {
		r.t.Fatal(err)
	}
	return recs[len(recs)-1].Seq
}

func note(format string, args ...any) *contracts.Event {
	return &contracts.Event{Name: contracts.EventAgentJoined, Note: fmt.Sprintf(format, args...)}
}

func say(text string) *contracts.Chat {
	return &contracts.Chat{ThreadID: contracts.ThreadBD, From: contracts.AgentBD, To: contracts.UserID, Text: text}
}

func hudFact(id string) *contracts.HUD {
	return &contracts.HUD{UUID: id, Event: contracts.HUDToolStart, AgentID: contracts.AgentBD, Session: "main", Tool: "read"}
}
