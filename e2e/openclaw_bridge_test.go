//go:build unix

package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/server"
)

// newCaller is OpenClaw without a gateway, whose model is an agent of ours.
func newClawCaller(t *testing.T, door, model string) *claw {
	t.Helper()
	program, err := clawProgram()
	if err != nil {
		t.Skipf("real OpenClaw cannot be installed here, so nothing is proved: %v", err)
	}
	c := &claw{t: t, program: program, dir: t.TempDir()}
	config := message{
		"gateway": message{"mode": "local", "bind": "loopback", "auth": message{"mode": "token", "token": clawToken}},
		"logging": message{"file": filepath.Join(c.dir, "openclaw.log")},
		"update":  message{"checkOnStart": false},
		"models": message{"catalogRefresh": message{"enabled": false}, "providers": message{"office": message{
			"baseUrl": door, "apiKey": "x", "api": "openai-completions", "timeoutSeconds": 60,
			"models": []any{message{"id": model, "name": model, "input": []any{"text"}, "contextWindow": 100000, "maxTokens": 4000,
				"cost": message{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}},
		}}},
		"agents": message{
			"defaults": message{"model": message{"primary": "office/" + model}, "workspace": filepath.Join(c.dir, "workspace"), "skipBootstrap": true},
			"entries":  message{"main": message{"name": "Clawdia"}},
		},
	}
	if err := os.WriteFile(filepath.Join(c.dir, "openclaw.json"), []byte(jsonOf(config)), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// say runs one message to its end and returns what OpenClaw printed.
func (c *claw) say(text string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program[0], c.program[1], "agent", "--local", "--agent", "main", "--message", text)
	cmd.Dir = c.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "OPENCLAW_STATE_DIR=" + c.dir, "OPENCLAW_CONFIG_PATH=" + filepath.Join(c.dir, "openclaw.json"),
		"OPENCLAW_NO_AUTO_UPDATE=1", "OPENCLAW_NO_RESPAWN=1", "OPENCLAW_DISABLE_BONJOUR=1", "DO_NOT_TRACK=1", "NO_COLOR=1",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("openclaw agent: %v\n%s", err, out)
	}
	return string(out)
}

// B4: a person's words reach the agent as they were typed, and its answer comes
// back to them; every message is one turn.
func TestOpenClawTalksToAPeer(t *testing.T) {
	t.Parallel()
	d := openDoor(t, server.Config{Crew: server.CrewNone})
	p := newPeer(t, d.addr, owner(t, d.data), "dev::default", "p1")
	c := newClawCaller(t, d.url(), "bullpen/dev")
	for _, words := range []string{"Count to three.", "[1] And now to four?"} {
		printed := make(chan string, 1)
		go func() { printed <- c.say(words) }()
		in := p.next("inbound")
		if got := in.str("content"); got != words {
			t.Errorf("the agent was asked %q, want %q", got, words)
		}
		p.reply(in, "One, two", false)
		p.reply(in, ", three.", true)
		if got := <-printed; !strings.Contains(got, "One, two, three.") {
			t.Errorf("OpenClaw printed %s", got)
		}
	}
	if n := tally(activityOf(t, d.addr)); n["turn_start"] != 2 || n["turn_end"] != 2 {
		t.Errorf("recorded %v", n)
	}
}

// activityOf is every HUD fact in the ledger, in order.
func activityOf(t *testing.T, addr string) (all []message) {
	t.Helper()
	for _, e := range list(get(t, addr, "/v1/events?kind=hud&limit=1000")["events"]) {
		all = append(all, e.payload())
	}
	return all
}
