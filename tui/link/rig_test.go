package link

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/freeport"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/server"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// testTimeout is the longest wait before a test fails.
const testTimeout = 2 * time.Minute

// liveServer is a real server that can be stopped and restarted on the same address.
type liveServer struct {
	t    *testing.T
	cfg  server.Config
	addr string
	stop func()
}

func startServer(t *testing.T, cfg server.Config) *liveServer {
	t.Helper()
	h := &liveServer{t: t, cfg: cfg, addr: freeport.Addr(t)}
	h.open()
	t.Cleanup(func() { h.stop() })
	return h
}

func (h *liveServer) open() {
	h.t.Helper()
	s, err := server.New(context.Background(), h.cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	ln, err := net.Listen("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	h.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			h.t.Errorf("shutdown: %v", err)
		}
		<-served
	})
}

// token returns the owner token, from the file that Serve writes.
func (h *liveServer) token() string {
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if token, err := gate.ReadOwnerToken(gate.OwnerTokenPath(h.cfg.DataDir)); err == nil {
			return token
		}
	}
	h.t.Fatal("the owner token was not written")
	return ""
}

// visitor is a link, together with the office that is folded from its messages.
type visitor struct {
	*Link
	t *testing.T

	mu     sync.Mutex
	news   *sync.Cond
	office *model.Office
	heard  []model.Message
	states []State
	resets int
	scene  string // id of the scene

	onlyFirstSnapshot bool // fold only records after the first snapshot
	snapshots         int
}

func visit(t *testing.T, cfg Config, change ...func(*visitor)) *visitor {
	t.Helper()
	v := &visitor{t: t, office: model.New(func() int64 { return time.Now().UnixMilli() })}
	v.news = sync.NewCond(&v.mu)
	for _, c := range change {
		c(v)
	}
	cfg.OnUpdate = v.onUpdate
	v.Link = New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); v.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return v
}

func (v *visitor) onUpdate(u Update) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if u.Reset {
		v.resets++
		v.office.Reset()
	}
	for _, m := range u.Messages {
		v.heard = append(v.heard, m)
		if m.Type == contracts.TypeSnapshot {
			if v.snapshots++; v.onlyFirstSnapshot && v.snapshots > 1 {
				continue
			}
		}
		v.office.Apply(m)
	}
	if u.State != nil {
		v.states = append(v.states, *u.State)
	}
	if u.Scene != nil {
		v.scene = u.Scene.SceneID
	}
	v.news.Broadcast()
}

// until waits for a condition; the timeout only ends a test that hangs.
func (v *visitor) until(what string, holds func() bool) {
	v.t.Helper()
	late := time.AfterFunc(testTimeout, func() { v.mu.Lock(); defer v.mu.Unlock(); v.news.Broadcast() })
	defer late.Stop()
	end := time.Now().Add(testTimeout)
	v.mu.Lock()
	defer v.mu.Unlock()
	for !holds() {
		if time.Now().After(end) {
			v.t.Fatalf("gave up waiting until %s; states %+v", what, v.states)
		}
		v.news.Wait()
	}
}

func (v *visitor) untilIn(p Phase) {
	v.t.Helper()
	v.until("it is "+string(p), func() bool { return len(v.states) > 0 && v.states[len(v.states)-1].Phase == p })
}

func (v *visitor) live() {
	v.t.Helper()
	v.untilIn(Live)
}

// withLock calls fn while the link cannot change the visitor's state.
func (v *visitor) withLock(fn func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fn()
}

func (v *visitor) must(data contracts.CommandData) Reply {
	v.t.Helper()
	reply := v.Do(v.t.Context(), data)
	if !reply.OK {
		v.t.Fatalf("%s was refused: %s %s", data.CommandName(), reply.Code, reply.Message)
	}
	return reply
}

// proxy sits between a visitor and the server and can be told to misbehave.
type proxy struct {
	net.Listener
	target string

	mu    sync.Mutex
	conns []net.Conn
	mute  bool // drops everything from the server
}

// between starts a server behind a proxy. The proxy listens first, because the server must know the
// proxy's address.
func between(t *testing.T, cfg server.Config) (*proxy, *liveServer) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Hosts = []string{ln.Addr().String()}
	h := startServer(t, cfg)
	p := &proxy{Listener: ln, target: h.addr}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var flows sync.WaitGroup
		defer flows.Wait()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			flows.Go(func() { p.carry(c) })
		}
	}()
	t.Cleanup(func() { ln.Close(); p.cut(); <-done })
	return p, h
}

func (p *proxy) carry(c net.Conn) {
	s, err := net.Dial("tcp", p.target)
	if err != nil {
		c.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, c, s)
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(s, c); s.Close(); c.Close() })
	buf := make([]byte, 4096)
	for {
		n, err := s.Read(buf)
		if err != nil {
			break
		}
		p.mu.Lock()
		mute := p.mute
		p.mu.Unlock()
		if !mute {
			if _, err := c.Write(buf[:n]); err != nil {
				break
			}
		}
	}
	s.Close()
	c.Close()
	both.Wait()
}

// silence sets whether the proxy drops everything that the server sends.
func (p *proxy) silence(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = on
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}
