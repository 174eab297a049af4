//go:build unix

package e2e_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
)

// newBareDesk returns a desk with only bullpen installed.
func newBareDesk(t *testing.T) *desk {
	t.Helper()
	bullpen, err := bullpenProgram()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, bullpen: bullpen, model: newModel(t, nil), home: filepath.Join(dir, "home"), project: filepath.Join(dir, "shop"), data: filepath.Join(dir, "home", ".bullpen")}
	d.file("shop/notes.txt", "first line\n")
	d.file("home/.profile", "")
	return d
}

// listener is Claude Code's side of a channel: the official MCP SDK's client connected to a real
// process. It also records notifications that the SDK does not support.
type listener struct {
	mcp.Transport
	conn     mcp.Connection
	received chan *jsonrpc.Request
}

type notificationConn struct {
	mcp.Connection
	received chan *jsonrpc.Request
}

func (l *listener) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := l.Transport.Connect(ctx)
	l.conn = conn
	return &notificationConn{conn, l.received}, err
}

func (e *notificationConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := e.Connection.Read(ctx)
		if req, ok := m.(*jsonrpc.Request); err == nil && ok && strings.HasPrefix(req.Method, "notifications/claude/") {
			e.received <- req
			continue
		}
		return m, err
	}
}

// next waits for a notification and returns its parameters.
func (l *listener) next(t *testing.T, method string) message {
	t.Helper()
	select {
	case req := <-l.received:
		var params message
		if err := json.Unmarshal(req.Params, &params); err != nil || req.Method != method {
			t.Fatalf("received %s %s, want %s", req.Method, req.Params, method)
		}
		return params
	case <-time.After(testTimeout):
		t.Fatalf("%s never arrived", method)
		return nil
	}
}

// openChannel runs `bullpen channel` and connects to it as Claude Code does.
func (d *desk) openChannel(session string) (*listener, *mcp.ClientSession) {
	d.t.Helper()
	cmd := d.command(d.bullpen, "channel", "--session", session)
	cmd.Env = append(cmd.Env, "BULLPEN_TOKEN="+d.agentToken())
	l := &listener{Transport: &mcp.CommandTransport{Command: cmd}, received: make(chan *jsonrpc.Request, 8)}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2"}, nil).Connect(d.t.Context(), l, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = s.Close() })
	return l, s
}

// complete sends a prompt to an agent through the OpenAI API, and retries until the agent is
// connected.
func (d *desk) complete(user, text string) <-chan string {
	answer := make(chan string, 1)
	client := &http.Client{Timeout: testTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	go func() {
		body := jsonOf(message{"user": user, "messages": []any{message{"role": "user", "content": text}}})
		for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			resp, err := client.Post("http://"+d.addr+"/v1/chat/completions", "application/json", strings.NewReader(body))
			if err != nil {
				break
			}
			whole, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusServiceUnavailable {
				continue
			}
			var m message
			if err == nil && json.Unmarshal(whole, &m) == nil {
				if text, ok := m.at("choices.0.message.content").(string); ok {
					answer <- text
					return
				}
			}
			answer <- "failed: " + string(whole)
			return
		}
		answer <- "no answer"
	}()
	return answer
}

// A real `bullpen channel` connects the official MCP SDK's client to a real server. A message
// arrives, a permission request reaches the operator, and the reply is sent. An agent cannot answer
// its own permission request (S4).
func TestChannelWithARealServer(t *testing.T) {
	t.Parallel()
	d := newBareDesk(t)
	d.open()
	l, s := d.openChannel("dev::desk")
	init := s.InitializeResult()
	if _, declared := init.Capabilities.Experimental["claude/channel"]; !declared || init.ProtocolVersion > "2025-11-25" {
		t.Errorf("the channel would not be registered: %+v", init)
	}
	reply := func(args map[string]any) {
		t.Helper()
		if res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "reply", Arguments: args}); err != nil || res.IsError {
			t.Errorf("reply: %+v %v", res, err)
		}
	}
	answer := d.complete("dev::desk", "Build it")
	if in := l.next(t, "notifications/claude/channel"); in.str("content") != "Build it" || in.at("meta.chat_id") != "desk" || in.at("meta.message_id") == "" {
		t.Errorf("inbound %v", in)
	}
	ask := &jsonrpc.Request{Method: "notifications/claude/channel/permission_request", Params: []byte(`{"request_id":"abcde","tool_name":"Bash","description":"build it","input_preview":"make all"}`)}
	if err := l.conn.Write(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	q := d.decision()
	if q.str("kind") != "permission" || !strings.Contains(jsonOf(map[string]any(q)), "make all") {
		t.Errorf("the question does not say what it is about: %v", q)
	}
	allow := message{"decision_id": q.str("decision_id"), "choice": contracts.OptionAllow}
	if m := d.give("", "resolve_decision", allow); m.str("type") != "error" {
		t.Errorf("a permission was answered without the operator's credential: %v", m)
	}
	if m := d.give(d.operator(), "resolve_decision", allow); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	if got := l.next(t, "notifications/claude/channel/permission"); got.str("request_id") != "abcde" || got.str("behavior") != "allow" {
		t.Errorf("the answer is %v", got)
	}
	reply(map[string]any{"text": "Built", "final": false})
	reply(map[string]any{"text": " it."})
	if got := <-answer; got != "Built it." {
		t.Errorf("the caller got %q", got)
	}
	if n := tally(d.activity()); n["turn_start"] != 1 || n["turn_end"] != 1 {
		t.Errorf("recorded %v", n)
	}
}
