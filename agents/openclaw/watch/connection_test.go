package watch

import (
	"slices"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// If a gateway is too busy to list its agents, the follower retries the request on the same
// connection, a limited number of times.
func TestBusyGatewayIsAskedAgain(t *testing.T) {
	busy := func(g *fakeGateway, _ *Config) { delete(g.answers, "agents.list") }
	follow(t, busy, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		time.Sleep(contracts.GatewayAnswer + 2*time.Second)
		g.set("agents.list", `{"mainKey":"main","agents":[{"id":"main","name":"Clawdia"}]}`)
		time.Sleep(contracts.GatewayAnswer + 2*time.Second)
		settle()
		if asked := g.requests("agents.list"); len(asked) != 3 || f.State().People != 1 || o.countEvidence("present") != 1 || len(g.requests("sessions.subscribe")) != 1 || g.dialed() != 1 {
			t.Errorf("asked %d times: %+v, evidence %q", len(asked), f.State(), o.recorded().evidence)
		}
	})
	follow(t, busy, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		for range 2 * limitTries {
			time.Sleep(contracts.GatewayAnswer + time.Second)
			g.push("tick", `{"ts":1}`)
		}
		settle()
		if asked := g.requests("agents.list"); len(asked) != limitTries || !slices.Equal(g.requests("sessions.subscribe"), []string{`{"limit":64}`}) {
			t.Errorf("asked %d times, then for the sessions: %q", len(asked), g.requests("sessions.subscribe"))
		}
	})
}
