package e2e_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

var copilotProgram = sync.OnceValues(func() (string, error) { return installed("copilot", ".bin", "copilot") })

// newCommandModel returns the URL of a model that runs the command that commands has for a person's
// prompt, with the named tool.
func newCommandModel(t *testing.T, tool string, commands map[string]string) string {
	t.Helper()
	var calls []string
	for prompt, command := range commands {
		script := jsonText("CALL " + tool + " " + jsonText(message{"command": command, "description": "t"}) + " END")
		calls = append(calls, prompt, strings.Trim(script, `"`))
	}
	scripted := strings.NewReplacer(calls...)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader([]byte(scripted.Replace(string(body)))))
		serveClawModel(w, r)
	}))
	t.Cleanup(func() {
		model.CloseClientConnections()
		model.Close()
	})
	return model.URL + "/v1"
}

// newCopilotDesk returns a machine where a person works with real Copilot CLI.
func newCopilotDesk(t *testing.T, commands map[string]string) (d *desk, copilot string) {
	t.Helper()
	copilot, err := copilotProgram()
	if err != nil {
		t.Skipf("not checked: real Copilot CLI cannot be installed here: %v", err)
	}
	d = newBareDesk(t)
	d.source = "copilot"
	d.extra = []string{
		"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + newCommandModel(t, "bash", commands), "COPILOT_MODEL=stub-model",
		"COPILOT_PROVIDER_API_KEY=" + stubKey, // Copilot CLI masks the key everywhere, so it must be long
	}
	return d, copilot
}

// startCopilot starts Copilot CLI in a terminal, trusts the folder, and waits until it takes a prompt.
func (d *desk) startCopilot(copilot string, args ...string) *terminal {
	d.t.Helper()
	term := d.launchProgram(copilot, args...)
	d.t.Cleanup(func() { _ = syscall.Kill(-term.cmd.Process.Pid, syscall.SIGKILL) }) // the program and its launcher
	until(d.t, "Copilot CLI asks whether it can trust the folder", func() bool { return strings.Contains(term.shown(), "to select") })
	term.press(d.t, "\r")
	until(d.t, "Copilot CLI waits for a prompt", func() bool { return strings.Contains(term.shown(), "servers connected") })
	return term
}

// Real Copilot CLI appears, works, asks, is answered, is stopped, is killed and returns. Each start
// takes seconds of CPU, so this runs only on request.
func TestCopilotAtWork(t *testing.T) {
	if os.Getenv("BULLPEN_TEST_COPILOT") == "" {
		t.Skip("not checked: set BULLPEN_TEST_COPILOT=1 to test real Copilot CLI")
	}
	t.Parallel()
	d, copilot := newCopilotDesk(t, map[string]string{"fail please": "echo tried; exit 3", "refuse please": "touch refused.txt", "sleep please": "sleep 600"})
	d.open()
	d.run("hooks", "install", "copilot")
	term := d.startCopilot(copilot)

	var id string
	answer := func(command, choice string) {
		t.Helper()
		q := d.decision()
		id = q.str("asked_by")
		if q.at("permission.tool") != "exec" || !strings.Contains(q.str("prompt"), command) {
			t.Errorf("the question is %v", q)
		}
		d.doing(id, "waiting")
		if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": choice}); m.str("type") != "ack" {
			t.Fatalf("the operator was refused: %v", m)
		}
	}
	term.types(t, "fail please")
	answer("echo tried; exit 3", contracts.OptionAllow)
	until(t, "the failure is shown", func() bool {
		return shows(d.activity(), "tool_end", `"exitCode":3`) && shows(d.activity(), "turn_end", "All done.")
	})
	d.doing(id, "idle")
	until(t, "its usage is counted", func() bool { return strings.Contains(jsonText(d.get("/v1/usage")), id) })
	if row := d.guest(); row.str("agent_id") != id || row.str("name") != "shop" || row.str("model") != "stub-model" {
		t.Errorf("the guest is shown as %v", row)
	}

	term.types(t, "refuse please")
	answer("touch refused.txt", contracts.OptionDeny)
	until(t, "the refusal is shown", func() bool {
		return shows(d.activity(), "tool_end", "denied by a PermissionRequest hook") && tally(d.activity())["turn_end"] == 2
	})
	if d.exists("refused.txt") {
		t.Error("a refused command ran")
	}

	term.types(t, "sleep please")
	answer("sleep 600", contracts.OptionAllow)
	until(t, "the command runs", func() bool { return shows(d.activity(), "tool_start", "sleep 600") })
	d.doing(id, "working")
	term.press(t, "\x03")
	until(t, "the interruption is shown", func() bool { return shows(d.activity(), "turn_end", "interrupted") })
	d.doing(id, "idle")

	term.types(t, "SLOW please")
	until(t, "the turn is recorded", func() bool { return tally(d.activity())["turn_start"] == 4 })
	d.doing(id, "working")
	_ = syscall.Kill(-term.cmd.Process.Pid, syscall.SIGKILL)
	d.doing(id, "offline")
	until(t, "everything has ended", func() bool {
		n := tally(d.activity())
		return n["turn_end"] == 4 && n["tool_start"] == n["tool_end"]
	})

	back := d.startCopilot(copilot, "--continue")
	back.types(t, "hello again")
	until(t, "it has answered", func() bool { return tally(d.activity())["turn_end"] == 5 })
	d.doing(id, "idle")
	if n := len(d.guests()); n != 1 {
		t.Errorf("%d guests, want the one that returned", n)
	}

	d.run("hooks", "uninstall", "copilot")
	if _, err := os.Stat(filepath.Join(d.home, ".copilot", "hooks", "bullpen.json")); err == nil {
		t.Error("the hooks are still there")
	}
}
