package channel_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/agents/claude/channel"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/peers"
	"github.com/bullpen-office/bullpen/tools"
)

// arrivals reports which agents have joined.
type arrivals struct {
	office
	came chan string
}

func (a *arrivals) Join(_ context.Context, p contracts.AgentProfile, _ intake.Proof) error {
	a.came <- p.AgentID
	return nil
}

// W18: when reconnecting cannot succeed, a channel ends and reports why, even while Claude Code is
// still connected.
func TestEndsWhereReconnectingCannotSucceed(t *testing.T) {
	for name, c := range map[string]struct {
		session string
		lose    func(revoke func(), rival func()) // called once the channel is connected; nil if it never connects
		token   func(issued string) string
		code    contracts.ErrorCode
		says    string
	}{
		"a token that is revoked": {session: "dev::chat", lose: func(revoke, _ func()) { revoke() }, code: contracts.CodeNotAllowed, says: "revoked"},
		"a session that is taken": {session: "dev::chat", lose: func(_, rival func()) { rival() }, code: contracts.CodeConflict, says: "another program has taken over dev::chat"},
		"a wrong token":           {session: "dev::chat", token: func(string) string { return "bullpen_wrong" }, code: contracts.CodeNotAllowed, says: "rejected the token (HTTP 401)"},
		"another agent's token":   {session: "qa::chat", code: contracts.CodeNotAllowed, says: "for another agent"},
		"a session without chat":  {session: "dev", code: contracts.CodeValidationFailed, says: "<agent>::<chat>"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &arrivals{came: make(chan string, 8)}
			p := peers.New(peers.Config{Office: o, Roster: o, Agent: o.profile, NewUUID: uuid.NewString})
			srv := httptest.NewUnstartedServer(nil)
			g, err := gate.New(gate.Config{Addr: srv.Listener.Addr(), DataDir: t.TempDir(), OnEnded: p.CloseRevoked})
			if err != nil {
				t.Fatal(err)
			}
			srv.Config.Handler = g.Handler(http.HandlerFunc(p.ServeSocket))
			srv.Start()
			t.Cleanup(func() { p.Close(); srv.Close() })
			issued, revoke := g.Issue("dev")
			cfg := channel.Config{URL: "ws" + strings.TrimPrefix(srv.URL, "http") + "/bridge", Token: issued, Session: c.session, Program: "p1", Office: tools.NewRemote(tools.RemoteConfig{})}
			if c.token != nil {
				cfg.Token = c.token(issued)
			}
			ended := open(t, cfg)
			if c.lose != nil {
				<-o.came
				c.lose(revoke, func() { cfg.Program = "p2"; open(t, cfg) })
			}
			var refusal *contracts.Refusal
			err = <-ended
			if !errors.As(err, &refusal) || refusal.Code != c.code || !strings.Contains(refusal.Message, c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// open runs a channel with a connected MCP client, and delivers the error that Run returns.
func open(t *testing.T, cfg channel.Config) <-chan error {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	cfg.Transport = ours
	ctx, cancel := context.WithCancel(context.Background())
	ended, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		ended <- channel.Run(ctx, cfg)
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		cancel()
		<-over
	})
	return ended
}
