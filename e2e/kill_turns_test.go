//go:build unix

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// post sends JSON to the child and returns the response, or "" if the child dies.
func (c *child) post(path, body string) string {
	r, err := http.Post("http://"+c.addr+path, "application/json", strings.NewReader(body))
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

func (c *child) decision(t *testing.T, id string) (d contracts.Decision) {
	t.Helper()
	r, err := http.Get("http://" + c.addr + "/v1/decisions/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.UnmarshalRead(r.Body, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (c *child) state() (state contracts.Snapshot) {
	r, err := http.Get("http://" + c.addr + "/v1/state")
	if err != nil {
		return state
	}
	defer r.Body.Close()
	_ = json.UnmarshalRead(r.Body, &state)
	return state
}

// calls returns the ids of the tool calls in progress.
func (c *child) calls() (ids []string) {
	for _, a := range c.state().Agents {
		for _, t := range a.Turns {
			for _, call := range t.Calls {
				ids = append(ids, call.CallID)
			}
		}
	}
	return ids
}

// permissions returns the ids of the child's open permission requests.
func (c *child) permissions() (ids []string) {
	for _, d := range c.state().Decisions {
		if d.Permission != nil {
			ids = append(ids, d.DecisionID)
		}
	}
	return ids
}

// task returns the crew's only task, or nil before the task is planned.
func (c *child) task() *contracts.Task {
	if list := c.state().Tasks; len(list) > 0 {
		return &list[0]
	}
	return nil
}

// The server is killed while Claude Code waits for permission in the crew's task, a watched session
// also waits for permission, a script waits for an answer and for a result, a framework has an open
// turn, and a caller of the bridge waits for an answer. After the restart, both permission requests
// are withdrawn, because their programs died with the server, and the turns of the crew and of the
// caller have ended. The crew repeats its task in a new turn. Everything else continues and
// ends normally: at the end of the test, only the watched session's turn is still open.
func TestKilledDuringTurns(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	killed := false
	d.model.other = func(prompt string, step int) reply {
		switch {
		case strings.Contains(prompt, `"tasks"`):
			return says("```json\n" + `{"summary":"One task.","tasks":[{"title":"Write it","kind":"copy"}]}` + "\n```")
		case !killed:
			return reply{calls("Bash", message{"command": "echo made > made.txt", "description": "work"})}
		}
		return says("```json\n" + `{"artifacts":[{"title":"Page","type":"copy","mime":"text/markdown","content":"# Done"}]}` + "\n```")
	}
	d.file("home/bullpen.yaml", fmt.Sprintf("runners:\n  claude:\n    kind: claude\n    command: %q\n", d.claude))
	open := func() *child {
		d.open("--crew", "claude", "--config", filepath.Join(d.home, "bullpen.yaml"))
		return &child{cmd: d.office, addr: d.addr}
	}
	kill := func(c *child) {
		c.kill()
		d.office = nil
	}

	c := open()
	d.give(d.operator(), "submit_request", message{"text": "Write it."})
	until(t, "the crew has planned", func() bool { return c.task() != nil })
	d.give(d.operator(), "auto_assign", message{"project_id": c.task().ProjectID})
	c.post("/hooks/claude", `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"UserPromptSubmit","prompt":"go"}`)
	c.post("/hooks/claude", `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"toolu_1"}`)
	asking := make(chan struct{})
	go func() {
		defer close(asking)
		c.post("/hooks/claude", `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"toolu_1"}`)
	}()
	var asked struct {
		ID string `json:"decision_id"`
	}
	if err := json.Unmarshal([]byte(c.post("/v1/ui/ask?agent=bee", `{"prompt":"Which?","choices":["Red","Green"]}`)), &asked); err != nil {
		t.Fatal(err)
	}
	c.post("/v1/ui/tool_execution?agent=bee", `{"name":"read_file","arguments":{"path":"a.go"}}`)
	c.post("/v1/events?agent=ann", `{"type":"hud","event":"turn_start","correlationId":"t1"}`)
	peer := (&openAIServer{t: t, addr: c.addr, data: d.data}).fakepeer("scout::default", "silent")
	calling := make(chan struct{})
	go func() {
		defer close(calling)
		c.post("/v1/chat/completions", `{"model":"bullpen/scout","user":"scout::default","messages":[{"role":"user","content":"Look around"}]}`)
	}()
	peer.says("inbound")
	until(t, "the watched session and the crew ask for permission", func() bool { return len(c.permissions()) == 2 })
	waits := c.permissions()
	if first := c.task(); first.Status != contracts.TaskInProgress {
		t.Errorf("the task is %s before the kill", first.Status)
	}
	kill(c)
	<-asking
	<-calling
	peer.kill()

	d.model.mu.Lock()
	killed = true
	d.model.mu.Unlock()
	c = open()
	for _, id := range waits {
		if d := c.decision(t, id); d.Status != contracts.DecisionCancelled || d.Reason == "" {
			t.Errorf("the permission %s is %s: %q", id, d.Status, d.Reason)
		}
	}
	if d := c.decision(t, asked.ID); d.Status != contracts.DecisionOpen {
		t.Errorf("the script's question is %s: %q", d.Status, d.Reason)
	}
	c.post("/v1/ui/tool_result?agent=bee", `{"name":"read_file","output":"text"}`)
	c.post("/v1/events?agent=ann", `{"type":"hud","event":"turn_end","correlationId":"t1"}`)
	c.post("/hooks/claude", `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"ok","tool_use_id":"toolu_1"}`)
	until(t, "the call of the watched session has ended", func() bool { return !slices.Contains(c.calls(), "toolu_1") })
	until(t, "the crew has done its task", func() bool { return c.task().Status == contracts.TaskReview })
	kill(c)
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(d.data, "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if diff := cmp.Diff([]string{"turn_start p"}, unended(t, l)); diff != "" {
		t.Errorf("open: %s", diff)
	}
}
