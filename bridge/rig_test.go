package bridge_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/bullpen-office/bullpen/bridge"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/peers"
	"github.com/bullpen-office/bullpen/turn"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// notebook is a fake office that records the facts it receives.
type notebook struct {
	decided chan struct{} // closed when people answer permission requests

	mu     sync.Mutex
	lines  []string
	here   map[string]bool       // connected agents
	orders chan contracts.Record // for peers
}

// Read returns no records: the notebook stores none.
func (n *notebook) Read(context.Context, uint64, int, ...contracts.Kind) ([]contracts.Record, error) {
	return nil, nil
}

func (n *notebook) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.lines...)
}

// Join and AddEvidence record who is connected.
func (n *notebook) Join(_ context.Context, p contracts.AgentProfile, _ intake.Proof) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.here == nil {
		n.here = map[string]bool{}
	}
	n.here[p.AgentID] = true
	return nil
}

func (n *notebook) AddEvidence(_ context.Context, agentID string, e status.Evidence) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.Claim == status.Gone {
		n.here[agentID] = false
	}
}

// profile returns the profile of an agent that has connected.
func (n *notebook) profile(id string) (contracts.AgentProfile, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, known := n.here[id]
	return contracts.AgentProfile{AgentID: id, Source: contracts.SourceBridge}, known
}

// Record records reconnects and answers to people.
func (n *notebook) Record(_ context.Context, f contracts.Fact) error {
	switch f := f.(type) {
	case contracts.HUDSeen:
		n.note("again %s %s", f.HUD.AgentID, strings.TrimPrefix(f.HUD.Session, "bridge:"))
	case contracts.ChatSaid:
		n.note("answer to %d: %s", f.Chat.AnswersSeq, f.Chat.Text)
	}
	return nil
}

// Orders calls fn with the orders that the test sends.
func (n *notebook) Orders(ctx context.Context, _ string, fn func(contracts.Record) error) error {
	for {
		select {
		case rec := <-n.orders:
			if err := fn(rec); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Tell records the facts of a turn.
func (n *notebook) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	for _, f := range facts {
		seen, ok := f.(contracts.HUDSeen)
		switch h := seen.HUD; {
		case !ok:
		case h.Event == contracts.HUDTurnStart:
			n.note("begin %s: %s", h.AgentID, h.Label)
		case h.Event == contracts.HUDToolStart:
			n.note("tool %s", h.Tool)
		case h.Event == contracts.HUDTurnEnd:
			failure := string(h.Result)
			if failure == "" {
				failure = "<nil>"
			}
			n.note("end %q %s", h.Said, failure)
		}
	}
	return []contracts.Reply{{Result: contracts.Result{DecisionID: "dec_1"}}}
}

// Await denies the request once decided is closed.
func (n *notebook) Await(ctx context.Context, _ string) (contracts.Decision, error) {
	select {
	case <-n.decided:
		return contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionDeny}, nil
	case <-ctx.Done():
		return contracts.Decision{}, ctx.Err()
	}
}

func (n *notebook) PublishStream(d contracts.StreamDelta) {
	if !d.Done {
		n.note("%s %q", d.Kind, d.Delta)
	}
}

func (n *notebook) PutBlob(context.Context, []byte) (string, error)     { return "", nil }
func (n *notebook) Admit(context.Context, contracts.AgentProfile) error { return nil }

// config configures the bridge, the peers and the programs behind them.
type config struct {
	Program func(turn.Key) (turn.Route, bool)
	Confine func(workspace string) (root, path string, err error)

	DefaultAgent                        string
	Heartbeat, Ping, Grace, TurnTimeout time.Duration
	Processes                           peers.Processes
	TrustLocal                          bool
}

// directory finds a connected peer or, if there is none, a program.
type directory struct {
	config
	peers *peers.Peers
}

func (d *directory) Find(_ context.Context, k turn.Key) (turn.Route, error) {
	program, ours := turn.Route{}, false
	if d.Program != nil {
		program, ours = d.Program(k)
	}
	route, connected := d.peers.Route(k)
	switch {
	case connected:
	case ours:
		route = program
	case slices.Contains(d.peers.Agents(), k.Agent):
		return route, fmt.Errorf("%w: %w", drive.ErrUnreachable, turn.ErrUnclaimed)
	default:
		return route, drive.ErrUnreachable
	}
	route.Confine = func(workspace string) (string, bool, error) {
		switch {
		case !ours:
			return workspace, false, nil
		case d.Confine == nil:
			return "", false, errors.New("no workspaces are configured (bridge.roots)")
		}
		_, path, err := d.config.Confine(workspace)
		return path, true, err
	}
	return route, nil
}

func (d *directory) agents() []string {
	return append([]string{"agent_bd", "agent_eng_1"}, d.peers.Agents()...)
}

// program returns d as the program of every agent, or of the named agents only.
func program(d drive.Driver, agents ...string) func(turn.Key) (turn.Route, bool) {
	return func(k turn.Key) (turn.Route, bool) {
		return turn.Route{AgentID: k.Agent, Driver: d}, len(agents) == 0 || slices.Contains(agents, k.Agent)
	}
}

// testTimeout is how long a test waits for an expected frame.
const testTimeout = 2 * time.Minute

// rig is a bridge behind a real gate on a real socket.
type rig struct {
	t      *testing.T
	peers  *peers.Peers
	engine *turn.Engine
	notes  *notebook
	url    string
	token  string
	gate   *gate.Gate
	data   string       // the gate's data directory
	doors  http.Handler // behind the gate
	client *http.Client
	socket ws.Dialer
}

func newRig(t *testing.T, cfg config) *rig {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	r := &rig{t: t, client: http.DefaultClient}
	cfg.Ping = time.Hour // a slow machine must not cause disconnects
	r.serve(srv, cfg)
	return r
}

// inTime runs a test in virtual time.
func inTime(t *testing.T, cfg config, story func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		wire := drivetest.NewWire()
		r := &rig{t: t, client: &http.Client{Transport: &http.Transport{DialContext: wire.Dial, DisableKeepAlives: true}}, socket: ws.Dialer{NetDial: wire.Dial}}
		r.serve(&httptest.Server{Listener: wire, Config: &http.Server{}}, cfg)
		story(t, r)
	})
}

func (r *rig) serve(srv *httptest.Server, cfg config) {
	t := r.t
	t.Helper()
	notes := &notebook{decided: make(chan struct{}), orders: make(chan contracts.Record)}
	p := peers.New(peers.Config{
		Office: notes, Roster: notes, Agent: notes.profile, NewUUID: uuid.NewString, Processes: cfg.Processes, TrustLocal: cfg.TrustLocal,
		Ping: cfg.Ping, Grace: cfg.Grace, TurnTimeout: cfg.TurnTimeout,
	})
	d := &directory{cfg, p}
	r.engine = turn.New(turn.Config{Office: notes, Directory: d, NewUUID: uuid.NewString})
	b := bridge.New(bridge.Config{Engine: r.engine, Agents: d.agents, NewUUID: uuid.NewString, DefaultAgent: cfg.DefaultAgent, Heartbeat: cfg.Heartbeat, TurnTimeout: cfg.TurnTimeout})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", b.ServeCompletions)
	mux.HandleFunc("POST /v1/responses", b.ServeResponses)
	mux.HandleFunc("POST /v1/messages", b.ServeMessages)
	mux.HandleFunc("POST /v1/messages/count_tokens", b.ServeCountTokens)
	mux.HandleFunc("POST /v1/agui/{agent}", b.ServeRun)
	mux.HandleFunc("GET /v1/models", b.ServeModels)
	mux.HandleFunc("GET /bridge", p.ServeSocket)
	r.data = t.TempDir()
	g, err := gate.New(gate.Config{Addr: srv.Listener.Addr(), DataDir: r.data, Now: time.Now, OnEnded: p.CloseRevoked})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = g.Handler(mux)
	srv.Start()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = p.Run(ctx, r.engine) })
	t.Cleanup(func() { r.close(); stop(); running.Wait(); srv.Close() })
	r.peers, r.notes, r.url, r.gate, r.doors = p, notes, srv.URL, g, srv.Config.Handler
	r.token, _ = g.Issue("")
}

// close ends every turn and every peer connection.
func (r *rig) close() {
	r.engine.Close()
	r.peers.Close()
}

// sendOrder passes an order for an agent to the engine.
func (r *rig) sendOrder(agentID, subtype string) {
	r.t.Helper()
	id := uuid.NewString()
	rec, err := contracts.NewRecord(1, 1, contracts.OrderKey(id), &contracts.HUD{UUID: id, Event: contracts.HUDReceived, AgentID: agentID, Subtype: subtype})
	if err == nil {
		err = r.engine.CarryOut(rec)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// say sends a person's message to an agent.
func (r *rig) say(agentID, text string) {
	r.t.Helper()
	rec, err := contracts.NewRecord(1, 1, "", &contracts.Chat{From: contracts.UserID, To: agentID, Text: text})
	if err != nil {
		r.t.Fatal(err)
	}
	r.notes.orders <- rec
}

// caller is a chat completion request whose events are read one by one.
type caller struct {
	t    *testing.T
	resp *http.Response
	in   *bufio.Scanner
}

func (r *rig) call(body string, header ...string) *caller {
	r.t.Helper()
	return r.post("/v1/chat/completions", body, header...)
}

func (r *rig) post(path, body string, header ...string) *caller {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return r.send(req)
}

func (r *rig) send(req *http.Request) *caller {
	r.t.Helper()
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { resp.Body.Close() })
	return &caller{r.t, resp, bufio.NewScanner(resp.Body)}
}

// next returns the data of the next event; empty at the end of the stream.
func (c *caller) next() string {
	c.t.Helper()
	for c.in.Scan() {
		if data, ok := strings.CutPrefix(c.in.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

// content returns the text of the next chunk that has text.
func (c *caller) content() string {
	c.t.Helper()
	for data := c.next(); data != ""; data = c.next() {
		var k struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if json.Unmarshal([]byte(data), &k) == nil && len(k.Choices) > 0 && k.Choices[0].Delta.Content != "" {
			return k.Choices[0].Delta.Content
		}
	}
	return ""
}

func (c *caller) rest() string {
	b, _ := io.ReadAll(c.resp.Body)
	return string(b)
}

// agent is a connected peer.
type agent struct {
	t    *testing.T
	conn net.Conn
}

func (r *rig) dial(token string) (*agent, error) {
	u, _ := url.Parse(r.url)
	d := r.socket
	if token != "" {
		d.Header = ws.HandshakeHeaderHTTP{"Authorization": {"Bearer " + token}}
	}
	conn, _, _, err := d.Dial(r.t.Context(), "ws://"+u.Host+"/bridge")
	if err != nil {
		return nil, err
	}
	r.t.Cleanup(func() { conn.Close() })
	return &agent{r.t, conn}, nil
}

func (a *agent) say(frame string) {
	a.t.Helper()
	if err := wsutil.WriteClientText(a.conn, []byte(frame)); err != nil {
		a.t.Fatal(err)
	}
}

// receive returns the next frame that is not a ping.
func (a *agent) receive() (frame map[string]any, err error) {
	a.t.Helper()
	_ = a.conn.SetReadDeadline(time.Now().Add(testTimeout))
	for {
		got, err := wsutil.ReadServerMessage(a.conn, nil)
		if err != nil {
			return nil, err
		}
		last := got[len(got)-1]
		if last.OpCode == ws.OpClose { // not answered, because the bridge may have disconnected
			code, reason := ws.ParseCloseFrameData(last.Payload)
			return nil, wsutil.ClosedError{Code: code, Reason: reason}
		}
		if last.OpCode.IsControl() { // a ping or pong
			continue
		}
		frame = nil
		if err := json.Unmarshal(last.Payload, &frame); err != nil {
			return nil, err
		}
		if frame["type"] != "ping" {
			return frame, nil
		}
	}
}

func (a *agent) must(kind string) map[string]any {
	a.t.Helper()
	f, err := a.receive()
	if err != nil || f["type"] != kind {
		a.t.Fatalf("received %v %v, want %s", f, err, kind)
	}
	return f
}

// peer connects and claims a session.
func (r *rig) peer(session string) *agent {
	r.t.Helper()
	return r.peerOf(session, "c1")
}

// peerOf connects and claims a session as the named program.
func (r *rig) peerOf(session, program string) *agent {
	r.t.Helper()
	a, err := r.dial(r.token)
	if err != nil {
		r.t.Fatal(err)
	}
	a.say(fmt.Sprintf(`{"type":"hello","openclaw_session":%q,"claude_session":%q,"pid":1}`, session, program))
	a.must("hello_ack")
	return a
}
