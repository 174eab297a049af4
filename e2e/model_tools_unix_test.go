//go:build unix

package e2e_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// A model changes files in its workspace and runs a command that a rule allows. After a kill -9 of the
// office, the command's process is gone, the change is kept, and the restarted office finishes the
// task.
func TestModelWithToolsAndAKilledOffice(t *testing.T) {
	dir, workspace := t.TempDir(), t.TempDir()
	pid := filepath.Join(workspace, "pid")
	model := httptest.NewServer(&drivetest.Completions{Script: func(c drivetest.Call) drivetest.Answer {
		_, err := os.Stat(pid)
		switch {
		case len(c.Tools) == 0:
			return drivetest.Answer{Text: `{"summary":"One task.","tasks":[{"title":"Start it","description":"Run it.","kind":"code","priority":1}]}`}
		case err == nil: // after the restart
			return drivetest.Answer{Text: `{"question":null,"artifacts":[{"type":"code","title":"The script","mime":"text/plain","content":"","path":"run.sh"}],"follow_ups":[]}`}
		case len(c.Results) == 0:
			return drivetest.Answer{Calls: []drivetest.ToolCall{{ID: "c1", Name: "write_file", Args: `{"path":"run.sh","content":"echo $$ > pid.new\nmv pid.new pid\nexec sleep 600\n"}`}}}
		}
		return drivetest.Answer{Calls: []drivetest.ToolCall{{ID: "c2", Name: "run_command", Args: `{"command":"sh run.sh"}`}}}
	}})
	defer model.Close()
	config := filepath.Join(dir, "office.yaml")
	settings := fmt.Sprintf("crew: local\nrunners:\n  local: {kind: openai, base_url: %q, model: model-a, workspace: %q, mode: edit}\npolicy:\n  - {id: run, effect: allow, tool: exec, command: sh run.sh}\n", model.URL+"/v1", workspace)
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--config", config, "--pace", "60"}
	c := startBullpen(t, dir, nil, args...)
	p := newPerson("toolmaker")
	if _, err := p.arrive(c.addr); err != nil {
		t.Fatal(err)
	}
	if err := p.give("submit_request", message{"text": "Start it"}); err != nil {
		t.Fatal(err)
	}
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(pid); err == nil {
				break
			}
		}
		_ = c.cmd.Process.Kill()
	}()
	err := p.watch()
	<-killed
	p.v.close()
	c.kill()
	if err == nil || !errors.Is(err, errCut) {
		t.Fatalf("before the kill: %v", err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatalf("the command did not run: %v", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the command has ended", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
		return errors.Is(syscall.Kill(n, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ")
	})
	c = startBullpen(t, dir, nil, args...)
	defer c.kill()
	if _, err := p.arrive(c.addr); err != nil {
		t.Fatal(err)
	}
	defer p.v.close()
	if err := p.watch(); err != nil {
		t.Fatal(err)
	}
	artifacts, _ := get(t, c.addr, "/v1/state")["artifacts"].([]any)
	if len(artifacts) == 0 {
		t.Fatal("nothing was delivered")
	}
	for _, a := range artifacts {
		if text := content(t, c.addr, message(a.(map[string]any)).str("artifact_id")); !strings.Contains(text, "exec sleep 600") {
			t.Errorf("delivered %q", text)
		}
	}
}
