package channel_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/bullpen-office/bullpen/agents/claude/channel"
	"github.com/bullpen-office/bullpen/bridge"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/peers"
	"github.com/bullpen-office/bullpen/tools"
	"github.com/bullpen-office/bullpen/turn"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// office is a fake office that allows every permission request.
type office struct {
	mu    sync.Mutex
	asked []contracts.Permission
}

func (o *office) Record(context.Context, contracts.Fact) error { return nil }
func (o *office) Orders(ctx context.Context, _ string, _ func(contracts.Record) error) error {
	<-ctx.Done()
	return ctx.Err()
}
func (o *office) Read(context.Context, uint64, int, ...contracts.Kind) ([]contracts.Record, error) {
	return nil, nil
}
func (o *office) Join(context.Context, contracts.AgentProfile, intake.Proof) error { return nil }
func (o *office) profile(string) (p contracts.AgentProfile, inside bool)           { return p, false }
func (o *office) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	if q, ok := facts[0].(contracts.AskSeen); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked = append(o.asked, *q.Permission)
	}
	return []contracts.Reply{{Result: contracts.Result{DecisionID: "dec_1"}}}
}
func (o *office) Await(context.Context, string) (contracts.Decision, error) {
	return contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionAllow}, nil
}
func (o *office) PutBlob(context.Context, []byte) (string, error)      { return "", nil }
func (o *office) PublishStream(contracts.StreamDelta)                  {}
func (o *office) Admit(context.Context, contracts.AgentProfile) error  { return nil }
func (o *office) AddEvidence(context.Context, string, status.Evidence) {}

// connected is a turn.Directory that contains only peers.
type connected struct{ *peers.Peers }

func (c connected) Find(_ context.Context, k turn.Key) (turn.Route, error) {
	if r, ok := c.Route(k); ok {
		return r, nil
	}
	return turn.Route{}, drive.ErrUnreachable
}

// claude is the transport of the official SDK's client, which plays Claude Code. It also receives
// channel notifications.
type claude struct {
	mcp.Transport
	conn          mcp.Connection
	notifications chan jsonrpc.Request
}

// clientConn is the claude transport's connection. Read passes channel notifications to the transport.
type clientConn struct {
	mcp.Connection
	claude *claude
}

func (c *claude) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := c.Transport.Connect(ctx)
	c.conn = conn
	return &clientConn{conn, c}, err
}

func (c *clientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		if req, ok := m.(*jsonrpc.Request); err == nil && ok && strings.HasPrefix(req.Method, "notifications/claude/") {
			c.claude.notifications <- *req
			continue
		}
		return m, err
	}
}

type rig struct {
	t       *testing.T
	office  *office
	url     string
	claude  *claude
	session *mcp.ClientSession
}

func newRig(t *testing.T) *rig {
	t.Helper()
	o := &office{}
	p := peers.New(peers.Config{Office: o, Roster: o, Agent: o.profile, NewUUID: uuid.NewString})
	engine := turn.New(turn.Config{Office: o, Directory: connected{p}, NewUUID: uuid.NewString})
	b := bridge.New(bridge.Config{Engine: engine, Agents: p.Agents, NewUUID: uuid.NewString})
	mux := http.NewServeMux()
	mux.HandleFunc("/bridge", p.ServeSocket)
	mux.HandleFunc("/v1/chat/completions", b.ServeCompletions)
	srv := httptest.NewUnstartedServer(nil)
	g, err := gate.New(gate.Config{Addr: srv.Listener.Addr(), DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = g.Handler(mux)
	srv.Start()
	t.Cleanup(func() { engine.Close(); p.Close(); srv.Close() })
	token, _ := g.Issue("dev")

	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- channel.Run(ctx, channel.Config{URL: "ws" + strings.TrimPrefix(srv.URL, "http") + "/bridge", Token: token, Session: "dev::chat", Program: "p1", Office: tools.NewRemote(tools.RemoteConfig{}), Transport: ours})
	}()
	r := &rig{t: t, office: o, url: srv.URL}
	r.claude = &claude{Transport: theirs, notifications: make(chan jsonrpc.Request, 8)}
	r.session, err = mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2"}, nil).Connect(t.Context(), r.claude, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.session.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return r
}

// ask sends a chat completion request, retrying until the channel has connected. The returned
// channel delivers the answer, which is empty if the request failed.
func (r *rig) ask(text string) <-chan string {
	answer := make(chan string, 1)
	go func() {
		for r.t.Context().Err() == nil {
			resp, err := http.Post(r.url+"/v1/chat/completions", "application/json", strings.NewReader(`{"user":"dev::chat","messages":[{"role":"user","content":"`+text+`"}]}`))
			if err != nil {
				break
			}
			var body struct {
				Choices []struct {
					Message struct {
						Content string `json:"content"`
					} `json:"message"`
				} `json:"choices"`
			}
			err = json.UnmarshalRead(resp.Body, &body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK && err == nil {
				answer <- body.Choices[0].Message.Content
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		answer <- ""
	}()
	return answer
}

func (r *rig) reply(args map[string]any) *mcp.CallToolResult {
	r.t.Helper()
	res, err := r.session.CallTool(r.t.Context(), &mcp.CallToolParams{Name: "reply", Arguments: args})
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// The channel declares its capabilities in a protocol revision for which Claude Code registers
// channels, and offers the reply tool next to the office's tools.
func TestHandshakeDeclaresTheChannel(t *testing.T) {
	r := newRig(t)
	init := r.session.InitializeResult()
	if init.ProtocolVersion > "2025-11-25" {
		t.Errorf("revision %s", init.ProtocolVersion)
	}
	for _, want := range []string{"claude/channel", "claude/channel/permission"} {
		if _, ok := init.Capabilities.Experimental[want]; !ok {
			t.Errorf("%s is not declared", want)
		}
	}
	list, err := r.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"reply", "ask_person"} {
		if !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == want }) {
			t.Errorf("the tool %s is missing", want)
		}
	}
}

// A message from the office arrives as a notification, and the reply goes back to the office.
func TestMessageAndReply(t *testing.T) {
	r := newRig(t)
	if res := r.reply(map[string]any{"text": "too early"}); !res.IsError {
		t.Error("a reply without a message was accepted")
	}
	answer := r.ask("Hello")
	got := <-r.claude.notifications
	if got.Method != "notifications/claude/channel" || !strings.Contains(string(got.Params), `"content":"Hello"`) || !strings.Contains(string(got.Params), `"chat_id":"chat"`) {
		t.Fatalf("%s %s", got.Method, got.Params)
	}
	if res := r.reply(map[string]any{"text": "work", "final": false}); res.IsError {
		t.Errorf("%+v", res.Content)
	}
	r.reply(map[string]any{"text": "ing", "chat_id": "chat"})
	if text := <-answer; text != "working" {
		t.Errorf("%q", text)
	}
	if res := r.reply(map[string]any{"text": "again"}); !res.IsError {
		t.Error("a second answer was accepted")
	}
}

// A person in the office answers Claude Code's permission request.
func TestPermissionRelay(t *testing.T) {
	r := newRig(t)
	answer := r.ask("Hello")
	<-r.claude.notifications
	params := []byte(`{"request_id":"abcde","tool_name":"Bash","description":"make","input_preview":"make all"}`)
	if err := r.claude.conn.Write(t.Context(), &jsonrpc.Request{Method: "notifications/claude/channel/permission_request", Params: params}); err != nil {
		t.Fatal(err)
	}
	got := <-r.claude.notifications
	if got.Method != "notifications/claude/channel/permission" || string(got.Params) != `{"request_id":"abcde","behavior":"allow"}` {
		t.Errorf("%s %s", got.Method, got.Params)
	}
	if p := r.office.asked[0]; p.Tool != "Bash" || p.CallID != "abcde" || !strings.Contains(string(p.Args), "make all") {
		t.Errorf("%+v", p)
	}
	r.reply(map[string]any{"text": "done"})
	<-answer
}

func TestConfigIsChecked(t *testing.T) {
	if err := channel.Run(t.Context(), channel.Config{}); err == nil || !strings.Contains(err.Error(), "SYNTHESIS_WS_URL") {
		t.Errorf("%v", err)
	}
}
