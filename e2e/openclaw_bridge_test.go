//go:build unix

package e2e_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/staff"
)

// newClawCaller returns OpenClaw without a gateway, with one of the office's agents as its model.
func newClawCaller(t *testing.T, baseURL, model string) *claw {
	t.Helper()
	program, err := clawProgram()
	if err != nil {
		t.Skipf("not checked: real OpenClaw cannot be installed here: %v", err)
	}
	c := &claw{t: t, program: program, dir: t.TempDir()}
	config := message{
		"gateway": message{"mode": "local", "bind": "loopback", "auth": message{"mode": "token", "token": clawToken}},
		"logging": message{"file": filepath.Join(c.dir, "openclaw.log")},
		"update":  message{"checkOnStart": false},
		"models": message{"catalogRefresh": message{"enabled": false}, "providers": message{"office": message{
			"baseUrl": baseURL, "apiKey": "x", "api": "openai-completions", "timeoutSeconds": int(testTimeout.Seconds()),
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

// say sends one message; the channel receives OpenClaw's output.
func (c *claw) say(text string) <-chan string {
	printed := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		printed <- c.run(text)
	}()
	c.t.Cleanup(func() { <-ended })
	return printed
}

// run runs OpenClaw and returns its output. It retries if OpenClaw gave up while starting.
func (c *claw) run(text string) string {
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*testTimeout) // OpenClaw is slow even on an idle machine
	defer cancel()
	for {
		cmd := exec.CommandContext(ctx, c.program[0], c.program[1], "agent", "--local", "--agent", "main", "--message", text)
		cmd.Dir = c.dir
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "OPENCLAW_STATE_DIR=" + c.dir, "OPENCLAW_CONFIG_PATH=" + filepath.Join(c.dir, "openclaw.json"),
			"OPENCLAW_NO_AUTO_UPDATE=1", "OPENCLAW_NO_RESPAWN=1", "OPENCLAW_DISABLE_BONJOUR=1", "DO_NOT_TRACK=1", "NO_COLOR=1",
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // kill its process group: child processes may keep the output open
		out, err := cmd.CombinedOutput()
		switch {
		case err == nil:
			return string(out)
		case !gaveUpStarting(string(out)):
			return fmt.Sprintf("%v: %s", err, out)
		}
	}
}

// asked returns the next message for the agent. If OpenClaw exits first, the test fails with its
// output.
func (p *peer) asked(printed <-chan string) message {
	p.t.Helper()
	select {
	case f, open := <-p.received:
		if !open || f.str("type") != "inbound" {
			p.t.Fatalf("the peer got %v (%v), want inbound", f, p.err)
		}
		return f
	case out := <-printed:
		p.t.Fatalf("OpenClaw exited without a message to the agent: %s", out)
		return nil
	}
}

// B4: a person's text reaches the agent unchanged, and the agent's answer comes back. Every message
// is one turn.
func TestOpenClawTalksToAPeer(t *testing.T) {
	t.Parallel()
	d := startOpenAI(t, server.Config{Crew: server.CrewNone})
	p := newPeer(t, d.addr, owner(t, d.data), "dev::*", "p1")
	c := newClawCaller(t, d.url(), "bullpen/dev")
	for _, words := range []string{"Count to three.", "[1] And now to four?"} {
		printed := c.say(words)
		in := p.asked(printed)
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

// activityOf returns every HUD fact in the ledger, in order.
func activityOf(t *testing.T, addr string) (all []message) {
	t.Helper()
	for _, e := range list(get(t, addr, "/v1/events?kind=hud&limit=1000")["events"]) {
		all = append(all, e.payload())
	}
	return all
}

// tornWire returns a proxy to the office that cuts off the first response after a few bytes.
// The office does not notice: otherwise the turn would wait only a limited time for the retry, and
// the test would depend on the machine's speed.
func tornWire(t *testing.T, addr string) (baseURL string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, Transport: &http.Transport{DisableKeepAlives: true}, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addr})
			r.Out = r.Out.WithContext(context.WithoutCancel(r.Out.Context()))
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPost && asked.Add(1) == 1 {
				office := r.Body
				t.Cleanup(func() { office.Close() })
				r.Body = torn{office}
			}
			return nil
		},
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

// torn is a response body that fails after its first piece. Only the reading side sees the failure.
type torn struct{ io.Reader }

func (torn) Close() error { return nil }

func (b torn) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// B4, B5: with real OpenClaw, the office and real Claude Code, a person's text reaches Claude Code
// unchanged, the answer comes back, and OpenClaw's retry after a broken response joins the same
// turn.
func TestOpenClawTalksToClaude(t *testing.T) {
	t.Parallel()
	if _, err := clawProgram(); err != nil {
		t.Skipf("not checked: real OpenClaw cannot be installed here: %v", err)
	}
	d := newDesk(t, map[string][]reply{"three": {says("One, two, three.")}})
	d.addr = startServer(t, server.Config{DataDir: d.data, Staff: staff.Staff{Default: "claude", Runners: map[string]staff.Runner{
		"claude": {Kind: "claude", Command: d.wrapped(), Workspace: d.project},
	}}})
	baseURL, asked := tornWire(t, d.addr)
	c := newClawCaller(t, baseURL, "bullpen/agent_eng_1")
	if got := <-c.say("[three] Count to three."); !strings.Contains(got, "One, two, three.") {
		t.Errorf("OpenClaw printed %s", got)
	}
	if asked.Load() < 2 {
		t.Errorf("OpenClaw asked %d times: nothing was retried", asked.Load())
	}
	if n := tally(d.activity()); n["turn_start"] != 1 || n["turn_end"] != 1 || d.model.log() != "three/0" {
		t.Errorf("recorded %v; the model was asked for %s", n, d.model.log())
	}
	if prompts := d.prompts(); !slices.Equal(prompts, []string{"[three] Count to three."}) {
		t.Errorf("Claude Code was asked %q", prompts)
	}
	if u := d.get("/v1/agents/agent_eng_1/explain"); u.at("usage.tokens_out") != float64(stubTokensOut) {
		t.Errorf("the cost is not recorded: %v", u["usage"])
	}
}

// wrapped returns a script that runs Claude Code with the home directory and the model of this
// desk.
func (d *desk) wrapped() string {
	d.t.Helper()
	script := "#!/bin/sh\necho $$ >> '" + filepath.Join(d.home, "claude.pids") + "'\nexec env"
	for _, pair := range d.environment() {
		script += " '" + pair + "'"
	}
	path := filepath.Join(d.home, "claude-here")
	if err := os.WriteFile(path, []byte(script+" '"+d.claude+"' \"$@\"\n"), 0o700); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// prompts returns people's messages in Claude Code's own transcripts.
func (d *desk) prompts() (all []string) {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(d.home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			d.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var row message
			if json.Unmarshal([]byte(line), &row) == nil && row.str("type") == "user" {
				all = append(all, promptText(row.at("message.content")))
			}
		}
	}
	return all
}
