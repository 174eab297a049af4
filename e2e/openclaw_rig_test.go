//go:build unix

package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/e2e/freeport"
)

const clawToken = "a-token-for-this-test-alone"

// clawProgram installs OpenClaw once, from its npm package, and returns its command: a recent
// enough Node, and the script.
var clawProgram = sync.OnceValues(func() (program []string, err error) {
	modules, err := installed("openclaw")
	if err != nil {
		return nil, err
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	node := filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(node); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			return nil, err
		}
	}
	out, err := exec.Command(node, "--version").Output()
	var major, minor int
	if _, scan := fmt.Sscanf(string(out), "v%d.%d", &major, &minor); err != nil || scan != nil || major < 24 || major == 24 && minor < 16 {
		return nil, fmt.Errorf("OpenClaw needs Node 24.16 or newer, and this is %s", strings.TrimSpace(string(out)))
	}
	return []string{node, filepath.Join(modules, "openclaw", "openclaw.mjs")}, nil
})

// claw is a real gateway with a scripted model.
type claw struct {
	t       *testing.T
	program []string
	dir     string
	port    int
	process *exec.Cmd
	ended   <-chan struct{} // closed when the process has exited
	output  bytes.Buffer
}

// newClaw starts a gateway with two agents. Commands require an approval.
func newClaw(t *testing.T) *claw {
	t.Helper()
	program, err := clawProgram()
	if err != nil {
		t.Skipf("not checked: a real OpenClaw gateway cannot be installed here: %v", err)
	}
	c := &claw{t: t, program: program}
	model := newClawModel(t)
	for end := time.Now().Add(2 * testTimeout); ; c.kill() {
		c.prepare(model)
		if c.start() {
			return c
		}
		if !gaveUpStarting(c.output.String()) || time.Now().After(end) {
			t.Fatal("the gateway exited before it responded")
		}
	}
}

// gaveUpStarting reports whether OpenClaw exited because one of its threads did not start within
// five seconds. That happens on a busy machine, before OpenClaw connects to anything.
func gaveUpStarting(output string) bool {
	return strings.Contains(output, "state lease heartbeat did not become ready")
}

func (c *claw) prepare(model string) {
	c.t.Helper()
	c.dir, c.port = c.t.TempDir(), freeport.Port(c.t)
	c.t.Cleanup(c.kill) // before the directory is removed
	c.output.Reset()
	config := message{
		"gateway": message{"mode": "local", "port": c.port, "bind": "loopback", "auth": message{"mode": "token", "token": clawToken}},
		"logging": message{"file": filepath.Join(c.dir, "gateway.log")},
		"update":  message{"checkOnStart": false},
		"tools":   message{"exec": message{"host": "gateway", "security": "allowlist", "ask": "always"}},
		"models": message{"catalogRefresh": message{"enabled": false}, "providers": message{"stub": message{
			"baseUrl": model, "apiKey": "x", "api": "openai-completions",
			"models": []any{message{"id": "stub", "name": "stub", "reasoning": true, "input": []any{"text"}, "contextWindow": 100000, "maxTokens": 4000,
				"cost": message{"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}}},
		}}},
		"agents": message{
			"defaults": message{"model": message{"primary": "stub/stub"}, "workspace": filepath.Join(c.dir, "workspace"), "skipBootstrap": true},
			"entries":  message{"main": message{"name": "Clawdia"}, "scout": message{"name": "Scout"}},
		},
	}
	text, err := json.Marshal(config)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "openclaw.json"), text, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// start runs the gateway in its own process group, without network access. answers is false if
// the gateway exited before it responded.
func (c *claw) start() (answers bool) {
	c.t.Helper()
	c.process = exec.Command(c.program[0], c.program[1], "gateway", "run", "--port", fmt.Sprint(c.port))
	c.process.Dir = c.dir
	c.process.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "OPENCLAW_STATE_DIR=" + c.dir, "OPENCLAW_CONFIG_PATH=" + filepath.Join(c.dir, "openclaw.json"),
		"OPENCLAW_SKIP_CHANNELS=1", "OPENCLAW_SKIP_CRON=1", "OPENCLAW_NO_AUTO_UPDATE=1", "OPENCLAW_NO_RESPAWN=1", "OPENCLAW_DISABLE_BONJOUR=1", "DO_NOT_TRACK=1", "NO_COLOR=1",
	}
	c.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.process.Stdout, c.process.Stderr = &c.output, &c.output
	if err := c.process.Start(); err != nil {
		c.process = nil
		c.t.Fatal(err)
	}
	// With a higher priority, which only root may set, OpenClaw starts in time on a busy machine too.
	_ = syscall.Setpriority(syscall.PRIO_PGRP, c.process.Process.Pid, -10)
	process, ended := c.process, make(chan struct{})
	c.ended = ended
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	until(c.t, "the gateway answers", func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
		resp, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/healthz", c.port))
		if err != nil {
			return false
		}
		resp.Body.Close()
		answers = resp.StatusCode == http.StatusOK
		return answers
	})
	return answers
}

// kill ends the gateway and its child processes with SIGKILL.
func (c *claw) kill() {
	if c.process == nil {
		return
	}
	_ = syscall.Kill(-c.process.Process.Pid, syscall.SIGKILL)
	<-c.ended
	c.process = nil
	if c.t.Failed() {
		c.t.Logf("output of the gateway:\n%s", c.output.String())
	}
}

func (c *claw) url() string { return fmt.Sprintf("ws://127.0.0.1:%d/", c.port) }
