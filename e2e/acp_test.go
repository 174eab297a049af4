//go:build unix

package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// acpAgent is a real program that implements the Agent Client Protocol.
type acpAgent struct {
	name  string
	args  []string
	find  func() (program []string, err error)
	setUp func(d *desk, model string) // writes its configuration and extends the environment
	tool  string                      // name of its command tool
}

var openCode = acpAgent{
	name: "opencode", args: []string{"acp"}, tool: "bash",
	find: sync.OnceValues(func() ([]string, error) {
		if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
			return nil, fmt.Errorf("no program for %s/%s is pinned", runtime.GOOS, runtime.GOARCH)
		}
		path, err := installed("opencode", "opencode-linux-x64-baseline", "bin", "opencode")
		return []string{path}, err
	}),
	setUp: func(d *desk, model string) {
		d.extra = append(d.extra, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
		d.file("home/.config/opencode/opencode.json", jsonText(message{
			"model": "stub/stub", "small_model": "stub/stub", "autoupdate": false, "share": "disabled", "permission": message{"bash": "ask"},
			"provider": message{"stub": message{"npm": "@ai-sdk/openai-compatible", "name": "Stub", "options": message{"baseURL": model, "apiKey": "x"},
				"models": message{"stub": message{"name": "Stub"}}}},
		}))
	},
}

// acpModel serves the same scripted model as newClawModel, for agents that also request titles. It
// records the last request.
type acpModel struct {
	url  string
	mu   sync.Mutex
	last string
}

func newACPModel(t *testing.T) *acpModel {
	t.Helper()
	m := &acpModel{}
	s := httptest.NewServer(m)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	m.url = s.URL + "/v1"
	return m
}

func (m *acpModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var q struct {
		Tools []any `json:"tools"`
	}
	if json.Unmarshal(body, &q) == nil && len(q.Tools) == 0 && len(body) > 0 {
		body = []byte(`{"messages":[{"role":"user","content":"A title, please."}]}`)
	} else {
		m.mu.Lock()
		m.last = string(body)
		m.mu.Unlock()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	serveClawModel(w, r)
}

// asked reports whether the last request contains text.
func (m *acpModel) asked(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Contains(m.last, text)
}

// acpDesk is a desk with an office whose crew is an acpAgent.
type acpDesk struct {
	*desk
	agent   acpAgent
	model   *acpModel
	program string
}

func newACPDesk(t *testing.T, agent acpAgent) *acpDesk {
	t.Helper()
	program, err := agent.find()
	if err != nil {
		t.Skipf("not checked: real %s cannot be installed here: %v", agent.name, err)
	}
	d := &acpDesk{desk: newBareDesk(t), agent: agent, model: newACPModel(t)}
	agent.setUp(d.desk, d.model.url)
	script := "#!/bin/sh\necho $$ >> '" + d.pids() + "'\nexec env"
	for _, word := range append(d.environment(), program...) {
		script += " '" + word + "'"
	}
	d.program = filepath.Join(d.home, agent.name)
	if err := os.WriteFile(d.program, []byte(script+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.file("home/bullpen.yaml", fmt.Sprintf("crew: %s\nrunners:\n  %[1]s: {kind: acp, command: %s, workspace: %q}\n", agent.name, jsonText(append([]string{d.program}, agent.args...)), d.project))
	d.open("--crew", agent.name, "--config", filepath.Join(d.home, "bullpen.yaml"))
	return d
}

func (d *acpDesk) pids() string { return filepath.Join(d.home, "agent.pids") }

// process returns the process id of the agent program that was started last.
func (d *acpDesk) process() int {
	d.t.Helper()
	text, err := os.ReadFile(d.pids())
	if err != nil {
		d.t.Fatal(err)
	}
	list := strings.Fields(string(text))
	pid, err := strconv.Atoi(list[len(list)-1])
	if err != nil {
		d.t.Fatal(err)
	}
	return pid
}

func (d *acpDesk) prompt(text string) <-chan string { return d.complete("agent_eng_1::desk", text) }

// runs has the agent run a command, and answers the agent's permission request.
func (d *acpDesk) runs(command, choice string) {
	d.t.Helper()
	answer := d.prompt(fmt.Sprintf("CALL %s %s END", d.agent.tool, jsonText(message{"command": command, "description": "t", "is_background": false})))
	q := d.decision()
	if q.str("kind") != "permission" || q.at("permission.tool") != "exec" || !strings.Contains(jsonText(q), command) || q.str("asked_by") != "agent_eng_1" {
		d.t.Errorf("the question does not say what it is about: %v", q)
	}
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": choice}); m.str("type") != "ack" {
		d.t.Fatalf("the operator was refused: %v", m)
	}
	if got := <-answer; choice == contracts.OptionAllow && got != "All done." {
		d.t.Errorf("the caller got %q", got)
	}
}

// slow starts a turn that does not end on its own.
func (d *acpDesk) slow(text string) <-chan string {
	d.t.Helper()
	answer := d.prompt("SLOW " + text)
	until(d.t, "the model is asked", func() bool { return d.model.asked("SLOW " + text) })
	return answer
}

// checkLife checks that a real agent runs only allowed commands, can be stopped, and continues
// after its process is killed.
func (d *acpDesk) checkLife() {
	t := d.t
	d.runs("touch made.txt", contracts.OptionAllow)
	d.runs("touch refused.txt", contracts.OptionDeny)
	if !d.exists("made.txt") || d.exists("refused.txt") {
		t.Error("not exactly the allowed command ran")
	}
	if facts := d.activity(); facts[indexOf(facts, "tool_end", "made.txt")].at("result.ok") != true || facts[indexOf(facts, "tool_end", "refused.txt")].at("result.ok") == true {
		t.Errorf("recorded %v", jsonText(facts))
	}

	stopped := d.slow("first")
	d.run("agent", "stop", "agent_eng_1")
	if got := <-stopped; !strings.Contains(got, "turn_stopped") {
		t.Errorf("the stopped caller got %q", got)
	}
	d.continues("And now?")

	killed := d.slow("second")
	if err := syscall.Kill(d.process(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := <-killed; !strings.HasPrefix(got, "failed: ") {
		t.Errorf("the caller of a killed agent got %q", got)
	}
	d.continues("Are you back?")
}

// continues checks that the agent answers and still remembers the earlier conversation.
func (d *acpDesk) continues(text string) {
	d.t.Helper()
	if got := <-d.prompt(text); got != "All done." || !d.model.asked(text) || !d.model.asked("touch made.txt") {
		d.t.Errorf("%s: %q, with the earlier conversation: %v", text, got, d.model.asked("touch made.txt"))
	}
}

// Real OpenCode works as the crew. OpenCode uses several seconds of CPU time for each start, so
// this test runs only on request.
func TestOpenCodeLife(t *testing.T) {
	if os.Getenv("BULLPEN_TEST_OPENCODE") == "" {
		t.Skip("not checked: set BULLPEN_TEST_OPENCODE=1 to test real OpenCode")
	}
	t.Parallel()
	newACPDesk(t, openCode).checkLife()
}
