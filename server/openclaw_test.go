package server

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw"
)

// /readyz reports a gateway that is unreachable, and the office is still ready.
func TestUnreachableGatewayIsReported(t *testing.T) {
	r := startRig(t, Config{Options: map[string]agents.Options{"openclaw": openclaw.Options(openclaw.Gateway{URL: "ws://127.0.0.1:2/", Token: "a-secret"}, openclaw.Gateway{URL: "ws://127.0.0.1:1/"})}}) // nothing listens there
	r.untilTrue("the unreachable gateway is reported", func() bool {
		_, body, _ := r.get("/readyz", "")
		var ready Readiness
		if err := json.Unmarshal([]byte(body), &ready); err != nil {
			t.Fatal(err)
		}
		if !ready.Ready || len(ready.Gateways) != 2 || strings.Contains(body, "a-secret") {
			t.Fatal(body)
		}
		g := ready.Gateways[0]
		return strings.Contains(g.Problem, "is not reachable") && g.Do != "" && !g.Connected
	})
}
