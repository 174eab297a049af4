package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world/scene"
)

// post sends JSON to the child and returns the answer; a child that dies answers nothing.
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

// calls are the ids of the calls in progress.
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

// permissions are the ids of the permissions that the child has asked people for.
func (c *child) permissions() (ids []string) {
	for _, d := range c.state().Decisions {
		if d.Permission != nil {
			ids = append(ids, d.DecisionID)
		}
	}
	return ids
}

// The server is killed while a watched session waits for a permission, a script waits
// for an answer and for a result, a framework has a turn open, and a caller of the bridge
// waits for an answer. After the restart one rule has withdrawn the permission, whose hook
// died with the server, and ended the caller's turn; everything else goes on, and its ends
// find their starts.
func TestKilledInTheMiddleOfTurns(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, dir)
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
	peer := (&door{t: t, addr: c.addr, data: dir}).fakepeer("scout::default", "silent")
	calling := make(chan struct{})
	go func() {
		defer close(calling)
		c.post("/v1/chat/completions", `{"model":"bullpen/scout","user":"scout::default","messages":[{"role":"user","content":"Look around"}]}`)
	}()
	peer.says("inbound")
	var waits []string
	for end := time.Now().Add(patience); len(waits) == 0; time.Sleep(5 * time.Millisecond) {
		if waits = c.permissions(); time.Now().After(end) {
			t.Fatal("the permission was not asked")
		}
	}
	c.kill()
	<-asking
	<-calling
	peer.kill()

	c = startChild(t, dir)
	if d := c.decision(t, waits[0]); d.Status != contracts.DecisionCancelled || d.Reason == "" {
		t.Errorf("the permission is %s: %q", d.Status, d.Reason)
	}
	if d := c.decision(t, asked.ID); d.Status != contracts.DecisionOpen {
		t.Errorf("the question of the script is %s: %q", d.Status, d.Reason)
	}
	c.post("/v1/ui/tool_result?agent=bee", `{"name":"read_file","output":"text"}`)
	c.post("/v1/events?agent=ann", `{"type":"hud","event":"turn_end","correlationId":"t1"}`)
	c.post("/hooks/claude", `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"ok","tool_use_id":"toolu_1"}`)
	for end := time.Now().Add(patience); slices.Contains(c.calls(), "toolu_1"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the end of the call was not recorded")
		}
	}
	c.kill()
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(dir, "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if diff := cmp.Diff([]string{"turn_start p"}, unended(t, l)); diff != "" {
		t.Errorf("open: %s", diff)
	}
}

// unended lists the starts in a ledger that have no end, which are those that the
// world has open, and reports starts with several ends.
func unended(t *testing.T, l ledger.Ledger) (open []string) {
	t.Helper()
	recs, err := l.Read(t.Context(), 0, 1<<20, contracts.KindHUD)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	var starts []contracts.HUDHead
	name := func(h contracts.HUDHead) string {
		return h.AgentID + " " + h.Session + " " + strings.TrimSuffix(strings.TrimSuffix(string(h.Event), "_start"), "_end") + " " + h.CorrelationID
	}
	for _, r := range recs {
		switch h, ok := r.Head(); {
		case ok && h.Event.Starts():
			starts = append(starts, h)
		case ok:
			ends[name(h)]++
		}
	}
	for _, h := range starts {
		switch n := ends[name(h)]; {
		case n == 0:
			open = append(open, fmt.Sprintf("%s %s", h.Event, h.CorrelationID))
		case n > 1:
			t.Errorf("%s has %d ends", name(h), n)
		}
	}
	w, err := office.Load(t.Context(), l, scene.Default())
	if err != nil {
		t.Fatal(err)
	}
	var held []string
	for _, turn := range w.Turns() {
		held = append(held, "turn_start "+turn.ID)
		for _, call := range turn.Calls {
			held = append(held, string(call.Event)+" "+call.ID)
		}
	}
	slices.Sort(held)
	if diff := cmp.Diff(held, slices.Sorted(slices.Values(open))); diff != "" {
		t.Errorf("the world has something else open than the records: %s", diff)
	}
	return open
}
