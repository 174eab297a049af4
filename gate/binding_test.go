package gate

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// S2: the agent that a token acts for is stored with the token, and nothing in a request can
// change it.
func TestAgentTokenSpeaksForItsAgent(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir()})
	made, secret, err := d.tokens.Create(Token{Role: contracts.AccessAgent, AgentID: "agent_writer_1", Created: d.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	d.serve(request("POST", "/v1/ui/status?agent=agent_bd", token(secret), header("X-Bullpen-Agent", "agent_bd")))
	if want := (contracts.Principal{ID: made.ID, Via: "token " + made.ID, Access: contracts.AccessAgent, AgentID: "agent_writer_1"}); d.seen != want {
		t.Errorf("got %+v, want %+v", d.seen, want)
	}
	other, err := OpenTokens(d.cfg.DataDir) // another process reads the same file
	if err != nil {
		t.Fatal(err)
	}
	list, err := other.List()
	if err != nil || len(list) != 1 || list[0].AgentID != "agent_writer_1" {
		t.Errorf("stored as %+v, %v", list, err)
	}
	_, free, err := d.tokens.Create(Token{Role: contracts.AccessAgent, Created: d.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	if d.serve(request("GET", "/", token(free))); d.seen.AgentID != "" || d.seen.Access != contracts.AccessAgent {
		t.Errorf("an unbound token is %+v", d.seen)
	}
}

func TestOnlyAgentTokensAreBound(t *testing.T) {
	store, err := OpenTokens("")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Token{
		{Role: contracts.AccessOperator, AgentID: "agent_writer_1"},
		{Role: contracts.AccessViewer, AgentID: "agent_writer_1"},
		{Role: contracts.AccessAgent, AgentID: "Writer"},
		{Role: contracts.AccessAgent, AgentID: "agent_writer_1\n"},
		{Role: contracts.AccessAgent, AgentID: "task_1"},
	} {
		if _, _, err := store.Create(bad); err == nil {
			t.Errorf("%+v was created", bad)
		}
	}
}
