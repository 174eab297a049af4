package server

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// A viewer whose connection breaks after another node has taken over receives the records that it
// missed, and keeps those that it has, on the socket and on the event stream.
func TestViewersResumeAfterAnotherNodeWrites(t *testing.T) {
	c := natstest.Start(t, 1)
	line := listenCut(t)
	var nodes []*rig
	var tokens []string
	for _, name := range []string{"a", "b"} {
		cfg := Config{DataDir: t.TempDir(), Crew: CrewNone, Hosts: []string{line.addr()}, Cluster: &ClusterConfig{Ledger: jetstream.Config{URL: c.URL(), Replicas: 1}, Node: name}}
		nodes = append(nodes, startRig(t, cfg))
		tokens = append(tokens, cfg.ownerToken(t))
	}
	if !nodes[0].node.Status().Writes {
		slices.Reverse(nodes)
		slices.Reverse(tokens)
	}
	writer, other := nodes[0], nodes[1]
	line.forward(other.addr)
	config := client.Config{URL: "http://" + line.addr(), Token: tokens[1]}
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	viewer := &resumingViewer{}
	following.Go(func() { viewer.follow(ctx, config) })
	reader := &resumingViewer{}
	following.Go(func() { reader.read(ctx, config) })
	direct := client.New(client.Config{URL: "http://" + other.addr})
	defer direct.Close()
	submit := func(text string) string {
		ack, err := direct.Do(ctx, contracts.SubmitRequest{Text: text})
		if err != nil {
			t.Fatalf("submit %q: %v", text, err)
		}
		return ack.Result.ProjectID
	}
	seen := func(project string) {
		other.untilTrue("the viewers have seen "+project, func() bool { return viewer.saw(project) && reader.saw(project) })
	}
	other.untilTrue("the viewers are connected", func() bool { return viewer.connected() && reader.connected() })
	seen(submit("Write a page about owls"))
	writer.stop()
	seen(submit("Write a page about herons"))
	line.cut()
	missed := submit("Write a page about cranes")
	line.forward(other.addr)
	seen(missed)
	for name, v := range map[string]*resumingViewer{"socket": viewer, "event stream": reader} {
		v.check(t, name, other)
	}
}

// resumingViewer records the updates that a client received.
type resumingViewer struct {
	mu       sync.Mutex
	starts   int
	lost     []string // why the client had to start over
	seqs     []uint64
	projects []string // projects whose requests it received
}

func (v *resumingViewer) follow(ctx context.Context, config client.Config) {
	c := client.New(config)
	defer c.Close()
	_ = c.Follow(ctx, client.Subscription{Events: true}, func(u client.Update) error {
		v.mu.Lock()
		defer v.mu.Unlock()
		if u.Reset {
			v.lost = append(v.lost, "reset")
		}
		if u.State != nil && u.State.Fresh {
			v.starts++
		}
		for _, m := range u.Messages {
			if m.Type == contracts.TypeEvent {
				v.takeLocked(m)
			}
		}
		return nil
	})
}

func (v *resumingViewer) read(ctx context.Context, config client.Config) {
	c := client.New(config)
	defer c.Close()
	line := client.Timeline{
		Find:  func() (*client.Client, error) { return c, nil },
		Kinds: []string{string(contracts.KindEvent)},
		OnGap: func(e contracts.Event) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.lost = append(v.lost, e.Reason)
		},
	}
	_ = line.Follow(ctx, func(m client.Message) error {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.starts = 1
		v.takeLocked(m)
		return nil
	})
}

func (v *resumingViewer) takeLocked(m client.Message) {
	var e contracts.Event
	if m.Decode(&e) == nil && e.Name == contracts.EventRequestSubmitted {
		v.projects = append(v.projects, e.ProjectID)
	}
	if m.Seq != 0 {
		v.seqs = append(v.seqs, m.Seq)
	}
}

func (v *resumingViewer) connected() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.starts > 0
}

func (v *resumingViewer) saw(project string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Contains(v.projects, project)
}

// check verifies that the client started once and then received every event once and in order.
func (v *resumingViewer) check(t *testing.T, name string, r *rig) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.starts != 1 || len(v.lost) > 0 {
		t.Errorf("%s: %d starts, lost %v", name, v.starts, v.lost)
	}
	recs, err := r.ledger.Read(t.Context(), v.seqs[0]-1, len(v.seqs), contracts.KindEvent)
	if err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for i := range recs {
		want = append(want, recs[i].Seq)
	}
	if !slices.Equal(v.seqs, want) {
		t.Errorf("%s saw records %v, want %v", name, v.seqs, want)
	}
}

// cutLine forwards connections to a node until it is cut.
type cutLine struct {
	ln net.Listener

	mu     sync.Mutex
	target string // empty while the line is cut
	open   []net.Conn
}

func listenCut(t *testing.T) *cutLine {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &cutLine{ln: ln}
	var flows sync.WaitGroup
	flows.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			flows.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() { ln.Close(); l.cut(); flows.Wait() })
	return l
}

func (l *cutLine) addr() string { return l.ln.Addr().String() }

// forward sends later connections to an address.
func (l *cutLine) forward(target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = target
}

// cut breaks all connections, and refuses new ones until forward is called.
func (l *cutLine) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = ""
	for _, conn := range l.open {
		conn.Close()
	}
	l.open = nil
}

func (l *cutLine) carry(ours net.Conn) {
	defer ours.Close()
	theirs, err := l.connect(ours)
	if err != nil {
		return
	}
	defer theirs.Close()
	var up sync.WaitGroup
	up.Go(func() { _, _ = io.Copy(theirs, ours); theirs.Close() })
	_, _ = io.Copy(ours, theirs)
	ours.Close()
	up.Wait()
}

func (l *cutLine) connect(ours net.Conn) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.target == "" {
		return nil, errors.New("the line is cut")
	}
	theirs, err := net.Dial("tcp", l.target)
	if err == nil {
		l.open = append(l.open, ours, theirs)
	}
	return theirs, err
}
