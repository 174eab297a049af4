package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

const approvalJSON = `{"approvalKind":"exec","id":"ap-1","request":{"command":"rm -rf build","cwd":"/w","agentId":"main","sessionKey":"agent:main:main","toolCallId":"call_1","allowedDecisions":["allow-once","deny"]},"expiresAtMs":99999999999999}`

func TestStopAndNew(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		g.push("agent", strings.ReplaceAll(runStart, "agent:main:main", "agent:main:chat"))
		settle()
		appendOrder(t, f, "stop")
		if got := g.requests("chat.abort"); !slices.Equal(got, []string{`{"sessionKey":"agent:main:chat"}`}) {
			t.Errorf("aborted %q", got)
		}
		appendOrder(t, f, "new_session")
		if got := g.requests("sessions.reset"); !slices.Equal(got, []string{`{"key":"agent:main:main"}`}) {
			t.Errorf("reset %q", got)
		}
		if o.has("received  message") {
			t.Errorf("facts %q", o.recorded().facts)
		}
	})
}

// A stop or new_session that an agent or a script reports is not carried out.
func TestReportsAreNotOrders(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, _ *fakeOffice, f *Follower) {
		appendReceived(t, f, "stop", "")
		appendReceived(t, f, "new_session", contracts.HUDKey("u-new_session"))
		if aborted, reset := g.requests("chat.abort"), g.requests("sessions.reset"); len(aborted)+len(reset) != 0 {
			t.Errorf("aborted %q, reset %q", aborted, reset)
		}
	})
}

// An order that is not carried out is recorded with the reason.
func TestRejectedOrdersAreRecorded(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fakeGateway, *Config)
		want   string
	}{
		"scope": {func(g *fakeGateway, _ *Config) {
			g.answers["sessions.reset"] = `!{"code":"FORBIDDEN","message":"missing scope: operator.admin","details":{"code":"MISSING_SCOPE","missingScope":"operator.admin"}}`
		}, "received  message new_session was not carried out: the gateway does not allow this: this device lacks the operator.admin scope"},
		"silence":   {func(g *fakeGateway, _ *Config) { delete(g.answers, "sessions.reset") }, "received  message new_session was not carried out: the gateway does not allow this: the gateway did not respond"},
		"read-only": {func(_ *fakeGateway, c *Config) { c.ReadOnly = true }, "received  message new_session was not carried out: this gateway is read-only"},
		"away":      {func(g *fakeGateway, _ *Config) { g.down = true }, "received  message new_session was not carried out: the gateway 127.0.0.1:18789 is not reachable"},
	} {
		t.Run(name, func(t *testing.T) {
			follow(t, c.change, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
				appendOrder(t, f, "new_session")
				time.Sleep(2 * contracts.GatewayAnswer)
				if !o.has(c.want) {
					t.Errorf("facts %q", o.recorded().facts)
				}
			})
		})
	}
}

// An approval becomes one decision, and its answer is sent to the gateway once.
func TestApprovalAnswered(t *testing.T) {
	for choice, want := range map[string]string{contracts.OptionAllow: "allow-once", contracts.OptionDeny: "deny", "something else": "deny"} {
		follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
			g.push("exec.approval.requested", approvalJSON)
			g.push("exec.approval.requested", approvalJSON)
			settle()
			if want := []string{"ask Allow the agent to run rm -rf build? Allow once|Deny"}; !slices.Equal(o.recorded().facts, want) {
				t.Fatalf("facts %q", o.recorded().facts)
			}
			o.decision("dec_1") <- contracts.Decision{DecisionID: "dec_1", Status: contracts.DecisionResolved, Choice: choice}
			settle()
			g.push("exec.approval.resolved", `{"id":"ap-1","decision":"`+want+`"}`)
			settle()
			if got := g.requests("exec.approval.resolve"); !slices.Equal(got, []string{`{"decision":"` + want + `","id":"ap-1"}`}) {
				t.Errorf("resolved %q", got)
			}
			if len(o.recorded().withdrawn) != 0 {
				t.Errorf("withdrawn %q", o.recorded().withdrawn)
			}
		})
	}
}

// The decision for an approval is withdrawn if the approval is answered at the gateway or no longer
// pending after a reconnect.
func TestApprovalAnsweredAtTheGatewayIsWithdrawn(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		g.push("exec.approval.requested", approvalJSON)
		settle()
		g.push("exec.approval.resolved", `{"id":"ap-1","decision":"deny"}`)
		settle()
		withdrawn := o.recorded().withdrawn
		if !slices.Equal(withdrawn, []string{"dec_1 It was answered at the gateway: deny."}) {
			t.Errorf("withdrawn %q", withdrawn)
		}
		g.push("exec.approval.requested", strings.ReplaceAll(approvalJSON, "ap-1", "ap-2"))
		settle()
		g.hang(false)
		time.Sleep(2 * contracts.GatewayRetryFirst)
		settle()
		withdrawn = o.recorded().withdrawn
		if !slices.Contains(withdrawn, "dec_2 The gateway is no longer waiting for an answer.") {
			t.Errorf("withdrawn %q", withdrawn)
		}
	})
}

// An answer given while the gateway is disconnected is sent after the reconnect.
func TestApprovalAnsweredWhileAway(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		g.push("exec.approval.requested", approvalJSON)
		settle()
		g.set("exec.approval.list", "["+approvalJSON+"]")
		g.hang(true)
		settle()
		o.decision("dec_1") <- contracts.Decision{DecisionID: "dec_1", Status: contracts.DecisionResolved, Choice: contracts.OptionAllow}
		time.Sleep(5 * time.Second)
		g.mu.Lock()
		g.down = false
		g.mu.Unlock()
		time.Sleep(contracts.GatewayRetryMax)
		settle()
		if got := g.requests("exec.approval.resolve"); !slices.Equal(got, []string{`{"decision":"allow-once","id":"ap-1"}`}) {
			t.Errorf("resolved %q", got)
		}
	})
}

// After a restart, a pending approval keeps its decision; a decision whose approval is no longer
// pending is withdrawn.
func TestApprovalsAfterRestart(t *testing.T) {
	open := func(id, call string) contracts.Decision {
		return contracts.Decision{DecisionID: id, Status: contracts.DecisionOpen, Kind: contracts.DecisionPermission, AskedBy: "agent_openclaw_main", Permission: &contracts.Permission{CallID: call}}
	}
	var office *fakeOffice
	change := func(g *fakeGateway, c *Config) {
		g.answers["exec.approval.list"] = "[" + approvalJSON + "]"
		office = c.Office.(*fakeOffice)
		office.decisions["dec_old"], office.decisions["dec_over"] = make(chan contracts.Decision, 1), make(chan contracts.Decision, 1)
		office.open = []contracts.Decision{open("dec_old", "call_1"), open("dec_over", "call_0")}
	}
	follow(t, change, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		if len(o.recorded().facts) != 0 || !slices.Equal(o.recorded().withdrawn, []string{"dec_over The gateway is no longer waiting for an answer."}) {
			t.Errorf("facts %q, withdrawn %q", o.recorded().facts, o.recorded().withdrawn)
		}
		o.decision("dec_old") <- contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionDeny}
		settle()
		if got := g.requests("exec.approval.resolve"); !slices.Equal(got, []string{`{"decision":"deny","id":"ap-1"}`}) {
			t.Errorf("resolved %q", got)
		}
	})
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"ws://127.0.0.1:18789": "ws://127.0.0.1:18789/", "http://localhost:1": "ws://localhost:1/", "wss://gw.example/x": "wss://gw.example/x", "https://gw.example": "wss://gw.example/",
		"ws://[::1]:5": "ws://[::1]:5/", "ws://gw.example": "", "ws://user:pw@127.0.0.1": "", "ftp://x": "", "127.0.0.1:18789": "", "": "", "ws://127.0.0.1/?token=x": "",
	} {
		if got, err := Address(text, false); got != want || (err == nil) != (want != "") {
			t.Errorf("Address(%q) = %q, %v", text, got, err)
		}
	}
	if got, err := Address("ws://gw.example", true); err != nil || got != "ws://gw.example/" {
		t.Errorf("with plaintext: %q, %v", got, err)
	}
	if _, err := Addresses([]string{"ws://127.0.0.1:1", "http://127.0.0.1:1/"}, false); err == nil {
		t.Error("the same gateway was accepted twice")
	}
}
