package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// outpostRig is a server with a token for an outpost.
type outpostRig struct {
	*rig
	store         *gate.TokenStore
	token         gate.Token
	secret, owner string
}

func startOutpost(t *testing.T, name string) *outpostRig {
	t.Helper()
	cfg := Config{DataDir: t.TempDir(), RequireToken: true, Crew: CrewNone}
	o := &outpostRig{rig: startRig(t, cfg), owner: cfg.ownerToken(t)}
	var err error
	if o.store, err = gate.OpenTokens(cfg.DataDir); err != nil {
		t.Fatal(err)
	}
	if o.token, o.secret, err = o.store.Create(gate.Token{Role: contracts.AccessOutpost, Name: name, Created: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return o
}

// facts sends facts with a token and returns the replies.
func (o *outpostRig) facts(t *testing.T, secret, life, key string, facts ...contracts.Fact) contracts.FactsReply {
	t.Helper()
	req := contracts.FactsRequest{Protocol: contracts.FactsProtocol, Machine: "m1", Life: life, Key: key, Watches: []string{"claude"}}
	for _, f := range facts {
		b, err := contracts.EncodeFact(f)
		if err != nil {
			t.Fatal(err)
		}
		req.Facts = append(req.Facts, jsontext.Value(b))
	}
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	status, answer := o.send(t, "POST", "/v1/facts", secret, string(body))
	if status != http.StatusOK {
		t.Fatal(status, answer)
	}
	var out contracts.FactsReply
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A permission request from an outpost's agent is answered in the office, and the outpost reads the
// answer; another outpost cannot.
func TestOutpostAsksForPermission(t *testing.T) {
	o := startOutpost(t, "laptop")
	life := o.facts(t, o.secret, "", "").Life
	got := o.facts(t, o.secret, life, "k",
		contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_claude_ada", Name: "shop", Source: "claude", Place: "~/shop"}},
		contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: "agent_claude_ada", Activity: contracts.ActivityWaiting, Why: "Waiting for you: make (hook)"}},
		contracts.AskSeen{AgentID: "agent_claude_ada", Kind: contracts.DecisionPermission, Prompt: "Run make?", Options: []string{"Allow", "Deny"}, Permission: &contracts.Permission{Tool: "Bash", CallID: "toolu_1"}})
	id := got.Replies[2].DecisionID
	if id == "" {
		t.Fatalf("%+v", got)
	}
	_, explained, _ := o.get("/v1/agents/agent_claude_ada/explain", o.owner)
	if !strings.Contains(explained, `"place":"laptop:~/shop"`) || !strings.Contains(explained, "Waiting for you: make") {
		t.Error(explained)
	}
	if _, ready, _ := o.get("/readyz", o.owner); !strings.Contains(ready, `"outposts":[{"name":"laptop","state":"connected"`) {
		t.Error(ready)
	}
	v := o.dial(o.owner)
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: id, Choice: "Allow"})
	if status, answer, _ := o.get("/v1/decisions/"+id+"?wait=30s", o.secret); status != http.StatusOK || !strings.Contains(answer, `"choice":"Allow"`) {
		t.Error(status, answer)
	}
	_, other, err := o.store.Create(gate.Token{Role: contracts.AccessOutpost, Name: "tower", Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if status, answer, _ := o.get("/v1/decisions/"+id, other); status != http.StatusNotFound {
		t.Error(status, answer)
	}
}

// An outpost's token gives access only to endpoints for outposts, and a revoked token is refused
// with an error that explains what to do.
func TestOutpostTokenIsLimited(t *testing.T) {
	o := startOutpost(t, "laptop")
	o.facts(t, o.secret, "", "")
	for _, path := range []string{"/v1/state", "/v1/events", "/v1/export", "/ws/world", "/"} {
		if status, body, _ := o.get(path, o.secret); status != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body, _ := o.get("/v1/facts", o.owner); status != http.StatusForbidden {
		t.Errorf("an operator may read an outpost's facts: %d %s", status, body)
	}
	if err := o.store.Revoke(o.token.ID); err != nil {
		t.Fatal(err)
	}
	if status, body, _ := o.get("/v1/facts", o.secret); status != http.StatusUnauthorized || !strings.Contains(body, "bullpen token create") {
		t.Error(status, body)
	}
	if _, _, err := o.store.Create(gate.Token{Role: contracts.AccessOutpost, Name: "my laptop"}); err == nil {
		t.Error("a token with an invalid outpost name was created")
	}
}

// An outpost reports to any node of an office, and all nodes report that it is connected.
func TestOutpostReportsToAnyNode(t *testing.T) {
	c := natstest.Start(t, 1)
	var nodes []*outpostRig
	for _, name := range []string{"a", "b"} {
		r, _ := startNode(t, c, name)
		nodes = append(nodes, &outpostRig{rig: r})
	}
	_, secret, err := sharedStore(t, nodes[0].rig).Create(gate.Token{Role: contracts.AccessOutpost, Name: "laptop", Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	life := nodes[0].facts(t, secret, "", "").Life
	nodes[0].facts(t, secret, life, "first", contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_claude_bo", Name: "till", Source: "claude"}})
	for _, o := range nodes { // the second node received nothing from the outpost itself
		o.untilTrue("the node knows that the outpost is connected", func() bool {
			nodes[0].facts(t, secret, life, "") // a node that has not recorded the life yet ignores the first report
			_, ready, _ := o.get("/readyz", "")
			return strings.Contains(ready, `"outposts":[{"name":"laptop","state":"connected"`)
		})
	}
	for i, o := range nodes {
		status := contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: "agent_claude_ada", Activity: contracts.ActivityWorking, Why: "Working: make (hook)"}}
		out := o.facts(t, secret, life, "k", contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_claude_ada", Name: "shop", Source: "claude"}}, status)
		if out.Replies[1].Refusal != nil || out.Replies[1].Duplicate != (i > 0) {
			t.Errorf("node %d: %+v", i, out.Replies[1])
		}
	}
	life = nodes[1].facts(t, secret, "", "").Life
	nodes[0].untilTrue("the other node knows the new life", func() bool {
		out := nodes[0].facts(t, secret, life, "again", contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: "agent_claude_ada", Activity: contracts.ActivityIdle, Why: "Idle"}})
		return out.Replies[0].Refusal == nil
	})
}
