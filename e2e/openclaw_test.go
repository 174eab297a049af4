//go:build unix

package e2e_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// clawOffice is an office that follows a real gateway.
type clawOffice struct {
	t    *testing.T
	data string
	addr string
	stop func()
}

func openClawOffice(t *testing.T, url, data string) *clawOffice {
	t.Helper()
	s, err := server.New(t.Context(), server.Config{DataDir: data, Crew: server.CrewNone, Options: map[string]agents.Options{"openclaw": openclaw.Options(openclaw.Gateway{URL: url, Token: clawToken})}})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	o := &clawOffice{t: t, data: data, addr: ln.Addr().String()}
	o.stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		o.stop = func() {}
	}
	t.Cleanup(func() { o.stop() })
	return o
}

// agent waits until the agent with the given id has the given activity, and returns its row.
func (o *clawOffice) agent(id, activity string) (row message) {
	o.t.Helper()
	until(o.t, id+" is "+activity, func() bool {
		agents, _ := get(o.t, o.addr, "/v1/agents")["agents"].([]any)
		for _, a := range agents {
			if row = a.(map[string]any); row.str("agent_id") == id && row.str("activity") == activity {
				return true
			}
		}
		return false
	})
	return row
}

// recorded waits until the activity is in the ledger, because commands are checked against the
// ledger. The evidence that o.agent waits for arrives slightly earlier.
func (o *clawOffice) recorded(id, activity string) {
	o.t.Helper()
	until(o.t, id+" is recorded as "+activity, func() bool {
		for _, a := range list(get(o.t, o.addr, "/v1/state")["agents"]) {
			if a.str("agent_id") == id {
				return a.str("activity") == activity
			}
		}
		return false
	})
}

// activity returns every HUD fact in the ledger, in order.
func (o *clawOffice) activity() (all []message) {
	o.t.Helper()
	events, _ := get(o.t, o.addr, "/v1/events?kind=hud&limit=1000")["events"].([]any)
	for _, e := range events {
		all = append(all, message(e.(map[string]any)).payload())
	}
	return all
}

// fact waits for a fact that contains all the given strings, and returns it.
func (o *clawOffice) fact(parts ...string) (found message) {
	o.t.Helper()
	until(o.t, "a fact with "+strings.Join(parts, " and "), func() bool {
	next:
		for _, h := range o.activity() {
			for _, part := range parts {
				if !strings.Contains(jsonOf(h), part) {
					continue next
				}
			}
			found = h
			return true
		}
		return false
	})
	return found
}

// ended waits until this many turns have ended.
func (o *clawOffice) ended(turns int) {
	o.t.Helper()
	until(o.t, fmt.Sprintf("%d turns have ended", turns), func() bool { return tally(o.activity())["turn_end"] == turns })
}

// command sends a command with the owner token.
func (o *clawOffice) command(name string, data message) {
	o.t.Helper()
	token, err := os.ReadFile(filepath.Join(o.data, "token"))
	if err != nil {
		o.t.Fatal(err)
	}
	v, err := dialAs(o.addr, strings.TrimSpace(string(token)))
	if err != nil {
		o.t.Fatal(err)
	}
	defer v.close()
	if err := v.say("hello", "", message{"client": message{"id": "e2e", "name": "e2e"}}); err != nil {
		o.t.Fatal(err)
	}
	id := fmt.Sprintf("cmd_%d", time.Now().UnixNano())
	if err := v.command(id, name, data); err != nil {
		o.t.Fatal(err)
	}
	for {
		m, err := v.next(testTimeout)
		switch {
		case err != nil:
			o.t.Fatal(err)
		case m.str("type") == "error":
			o.t.Fatalf("%s was refused: %v", name, m)
		case m.str("type") == "ack" && m.at("payload.in_reply_to") == id:
			return
		}
	}
}

// approve waits for the permission request for a command and answers it with choice.
func (o *clawOffice) approve(command, choice string) {
	o.t.Helper()
	var id string
	until(o.t, "a permission for "+command, func() bool {
		decisions, _ := get(o.t, o.addr, "/v1/state")["decisions"].([]any)
		for _, d := range decisions {
			q := message(d.(map[string]any))
			if q.str("status") == "open" && q.str("kind") == "permission" && strings.Contains(jsonOf(q["permission"]), command) {
				id = q.str("decision_id")
			}
		}
		return id != ""
	})
	o.command("resolve_decision", message{"decision_id": id, "choice": choice})
}

// The agents of a real OpenClaw gateway are listed, their activity is recorded, an approval is
// given from the office, and the commands to stop an agent and to start a new session reach the
// gateway. Nothing is recorded twice after the office restarts, and an unreachable gateway is
// reported.
func TestOpenClawGateway(t *testing.T) {
	t.Parallel() // starting the gateway takes most of the time
	gateway := newClaw(t)
	chat := gateway.chat()
	office := openClawOffice(t, gateway.url(), filepath.Join(t.TempDir(), "data"))
	const main, session = "agent_openclaw_main", "agent:main:main"
	if row := office.agent(main, "idle"); row.str("name") != "Clawdia" || row.str("source") != "openclaw" {
		t.Errorf("the agent is %v", row)
	}
	office.agent("agent_openclaw_scout", "idle")

	chat.say(session, `CALL write {"path":"a.md","content":"one\ntwo\n"} END`)
	office.fact(`"tool_end"`, `"write"`, `"ok":true`)
	office.ended(1)
	office.fact(`"think_end"`)
	office.fact(`"received"`, "CALL write")
	office.agent(main, "idle")

	chat.say(session, `CALL exec {"command":"echo hello from exec"} END`)
	office.agent(main, "waiting")
	office.approve("hello from exec", contracts.OptionAllow)
	office.fact(`"tool_end"`, `"exitCode":0`, "hello from exec")
	office.ended(2)
	office.agent(main, "idle")
	chat.say(session, `CALL exec {"command":"echo never"} END`)
	office.approve("echo never", contracts.OptionDeny)
	office.fact(`"tool_end"`, `"ok":false`, "denied")
	office.ended(3)
	office.agent(main, "idle")
	office.recorded(main, "idle")

	chat.say(session, "SLOW please")
	office.recorded(main, "working")
	office.command("stop_agent", message{"agent_id": main})
	office.fact(`"turn_end"`, "stopped by a client of the gateway")
	office.agent(main, "idle")

	before := fmt.Sprint(tallyOf(office.activity()))
	office.stop()
	office = openClawOffice(t, gateway.url(), office.data) // reads the history again
	office.agent(main, "idle")
	chat.say("agent:scout:main", "a sign that the history was read")
	office.agent("agent_openclaw_scout", "idle")
	office.fact(`"turn_end"`, `agent:scout:main`)
	if after := fmt.Sprint(tallyOf(office.activity())); after != before {
		t.Errorf("a restart recorded something again:\n%s\n%s", before, after)
	}

	office.command("new_session", message{"agent_id": main})
	office.fact(`"new_session"`, "the session was reset", `"replay":true`)
	if usage := get(t, office.addr, "/v1/state").at("usage.lifetime.tokens_in"); usage == nil || usage.(float64) < 100 {
		t.Errorf("tokens: %v", usage)
	}

	gateway.kill()
	if row := office.agent(main, "offline"); !strings.Contains(row.str("why"), "not reachable") {
		t.Errorf("why: %q", row.str("why"))
	}
}

// tallyOf counts the facts of the main session that do not come from the office.
func tallyOf(facts []message) map[string]int {
	count := map[string]int{}
	for _, f := range facts {
		if f.str("session") == "openclaw:agent:main:main" && f.str("subtype") != "stop" {
			count[f.str("event")+" "+f.str("correlationId")]++
		}
	}
	return count
}
