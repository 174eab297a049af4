package translate_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents/copilot/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

func lines(t *testing.T, file string) (list []string) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Buffer(nil, 1<<20); s.Scan(); {
		list = append(list, s.Text())
	}
	return list
}

// rig feeds a session and collects what it reports.
type rig struct {
	t *testing.T
	guest.Session
	updates guest.Updates
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return &rig{t: t, Session: translate.NewSession("s", "", guest.Config{Home: "/home/dev"})}
}

func (r *rig) rows(lines ...string) *rig {
	r.t.Helper()
	for _, line := range lines {
		row, err := translate.ParseRow([]byte(line))
		if err != nil {
			r.t.Fatalf("%v: %s", err, line)
		}
		if row != nil {
			r.updates.Add(r.Row(row))
		}
	}
	return r
}

func (r *rig) hooks(hasFile bool, bodies ...string) *rig {
	r.t.Helper()
	for i, body := range bodies {
		h, err := translate.ParseHook([]byte(body))
		if err != nil {
			r.t.Fatalf("%v: %s", err, body)
		}
		h.HasFile = hasFile
		r.updates.Add(r.Hook(h, int64(1_000+i)))
	}
	return r
}

// story returns one line per fact.
func (r *rig) story() string {
	var b strings.Builder
	for _, f := range r.updates.Facts {
		fmt.Fprintf(&b, "%s %s %s %s%s\n", f.HUD.Event, f.HUD.Tool, f.HUD.Label, f.HUD.Result, f.HUD.Said)
	}
	return b.String()
}

// want fails unless each text occurs in the story, in this order.
func (r *rig) want(texts ...string) {
	r.t.Helper()
	rest := r.story()
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			r.t.Fatalf("%q is missing after the earlier ones in\n%s", text, r.story())
		}
		rest = after
	}
}

func (r *rig) claims() (list []status.Claim) {
	for _, e := range r.updates.Evidence {
		list = append(list, e.Claim)
	}
	return list
}

// The file alone shows the session: its turn, its calls with their results, its answer and its
// usage.
func TestSessionFile(t *testing.T) {
	r := newRig(t).rows(lines(t, "session.jsonl")...)
	r.want("received", "turn_start", "tool_start exec", "tool_end exec", `"exitCode":0`, "tool_start", "tool_end", "cop2.txt", "turn_end", "copilot done")
	if profile := r.Profile(); profile.Model != "stub-model" || profile.Place != "~/code/projF" || profile.Name != "projF" {
		t.Errorf("%+v", profile)
	}
	if r.Busy() || strings.Contains(r.story(), "shellId") {
		t.Error(r.story())
	}
	if u := r.updates.Usage; len(u) != 3 || u[0].Usage.TokensIn != 100 || u[0].Usage.TokensOut != 20 || u[0].Key == u[1].Key || u[0].Usage.CostUSD != nil {
		t.Errorf("%+v", r.updates.Usage)
	}
	if c := r.claims(); c[len(c)-1] != status.Ended {
		t.Errorf("%v", c)
	}
	before := len(r.updates.Facts)
	r.Rewind()
	r.rows(lines(t, "session.jsonl")...)
	r.updates.Add(r.RereadDone())
	if len(r.updates.Facts) != before {
		t.Errorf("read again: %s", r.story())
	}
}

func TestInterruptedSession(t *testing.T) {
	r := newRig(t).rows(lines(t, "interrupted.jsonl")...)
	r.want("tool_start exec", "tool_end exec", "interrupted by the user", "turn_end", "interrupted by the user")
	c := r.claims()
	if r.Busy() || c[len(c)-1] != status.Interrupted || !slices.Contains(c, status.Asked) || !slices.Contains(c, status.Answered) {
		t.Errorf("%v\n%s", c, r.story())
	}
}

// Without a file, hooks are recorded, with the exit code from the output.
func TestHooksWithoutAFile(t *testing.T) {
	r := newRig(t).hooks(false, lines(t, "hooks.jsonl")...)
	r.want("session started", "turn_start", "tool_start exec", "tool_end exec", `"exitCode":3`, "tool_end edit", "does not exist", "turn_end")
	if r.Busy() || r.updates.Ended != "complete" {
		t.Errorf("ended %q:\n%s", r.updates.Ended, r.story())
	}
}

// If there is a session file, hooks only show what is happening now: the recorded activity comes
// from the file alone.
func TestHooksWithAFile(t *testing.T) {
	r := newRig(t).hooks(true, lines(t, "hooks.jsonl")...)
	c := r.claims()
	if r.story() != "" || r.Profile().Name != "proj" || !slices.Contains(c, status.TurnStarted) || !slices.Contains(c, status.Asked) || !slices.Contains(c, status.TurnEnded) || slices.Contains(c, status.ToolStarted) {
		t.Errorf("%v, %+v\n%s", c, r.Profile(), r.story())
	}
	r.rows(lines(t, "interrupted.jsonl")[:5]...).want("turn_start", "tool_start exec")
	r.hooks(true, lines(t, "hooks.jsonl")[9])
	if r.updates.Add(r.Settle(2_000)); !r.Closing() || !r.Busy() {
		t.Error("the end of the session did not wait for the rest of the file")
	}
	if r.updates.Add(r.Settle(60_000)); r.Closing() || r.Busy() {
		t.Error("something is still open")
	}
	r.want("tool_end exec", "the session ended", "turn_end", "the session ended")
}

const (
	promptRow = `{"type":"user.message","id":"u1","timestamp":"2026-11-18T05:27:24Z","data":{"content":"hello","interactionId":"t1"}}`
	callRow   = `{"type":"tool.execution_start","id":"c1","timestamp":"2026-11-18T05:27:25Z","data":{"toolCallId":"c1","toolName":"bash","arguments":{"command":"make"}}}`
	answerRow = `{"type":"assistant.message","id":"a1","timestamp":"2026-11-18T05:27:29Z","data":{"content":"all done","toolRequests":[],"interactionId":"t1"}}`
	endRow    = `{"type":"assistant.turn_end","id":"e1","timestamp":"2026-11-18T05:27:30Z","data":{"turnId":"0"}}`
)

// A session file may contain unknown versions and records, make false claims, or lack end records.
// The turn still ends exactly once.
func TestOddSessionFiles(t *testing.T) {
	done := func(data string) string {
		return `{"type":"tool.execution_complete","id":"d1","timestamp":"2026-11-18T05:27:26Z","data":{"toolCallId":"c1",` + data + `}}`
	}
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"done after a failure":    {[]string{promptRow, callRow, done(`"success":true,"shellExecution":{"exitCode":2},"result":{"content":"no rule"}`), answerRow, endRow}, []string{"tool_end exec", `"exitCode":2`, "turn_end", "all done"}},
		"a denied call":           {[]string{promptRow, callRow, done(`"success":false,"error":{"message":"Permission denied","code":"denied"}`), answerRow, endRow}, []string{"tool_end exec", "Permission denied", "turn_end", "all done"}},
		"a failure without words": {[]string{promptRow, callRow, done(`"success":false`), answerRow, endRow}, []string{"tool_end exec", "the tool failed", "turn_end"}},
		"an unknown exit code":    {[]string{promptRow, callRow, done(`"success":true,"result":{"content":"x"}`), answerRow, endRow}, []string{"tool_end exec", `"exitCode":-1`, "turn_end"}},
		"a call without an end":   {[]string{promptRow, callRow, answerRow, endRow}, []string{"tool_end exec", "its end was not seen", "turn_end"}},
		"a turn without an end":   {[]string{promptRow, callRow, strings.ReplaceAll(promptRow, "1\"", "2\"")}, []string{"tool_end exec", "its end was not seen", "turn_end", "its end was not seen", "turn_start"}},
		"an end without a start":  {[]string{promptRow, done(`"success":true`), answerRow, endRow}, []string{"turn_start", "turn_end", "all done"}},
		"a model that failed":     {[]string{promptRow, endRow, `{"type":"session.error","id":"x","data":{"message":"400 model broke"}}`}, []string{"turn_start", "turn_end", "400 model broke"}},
		"a shutdown in a turn":    {[]string{promptRow, callRow, `{"type":"session.shutdown","id":"x","data":{}}`}, []string{"tool_end exec", "the session ended", "turn_end", "the session ended"}},
		"unknown records":         {[]string{promptRow, `{"type":"hologram","data":{"interactionId":7,"toolRequests":"many","usage":[]}}`, `{"type":"session.usage_record","data":{"usage":{"inputTokens":-4}}}`, answerRow, endRow}, []string{"turn_start", "turn_end"}},
		"members of another type": {[]string{promptRow, callRow, done(`"success":"perhaps","shellExecution":{"exitCode":[1]},"result":"x","error":5`), answerRow, endRow}, []string{"tool_end exec", "turn_end"}},
		"a sub-agent's answer":    {[]string{promptRow, callRow, strings.Replace(answerRow, `"id"`, `"agentId":"sub","id"`, 1), strings.Replace(endRow, `"id"`, `"agentId":"sub","id"`, 1), done(`"success":true,"shellExecution":{"exitCode":0}`), answerRow, endRow}, []string{"tool_end exec", `"exitCode":0`, "turn_end", "all done"}},
		"hostile text":            {[]string{promptRow, strings.NewReplacer("make", `\u001b[31m\u202e\u0000`, `"bash"`, `"ba\u0000sh\n"`).Replace(callRow), strings.Replace(answerRow, "all done", `\u001b]0;x\u0007`, 1), endRow}, []string{"tool_start", "tool_end", "turn_end"}},
		"everything twice":        {[]string{promptRow, promptRow, callRow, callRow, answerRow, endRow, answerRow, endRow}, []string{"turn_end", "all done"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t).rows(c.rows...)
			r.want(c.want...)
			if n := strings.Count(r.story(), "turn_end"); n != 1 || strings.ContainsAny(r.story(), "\x00\x1b\u202e\x07") {
				t.Error(r.story())
			}
		})
	}
}

// A permission request is answered in Copilot CLI's own format.
func TestPermission(t *testing.T) {
	for _, hasFile := range []bool{true, false} {
		bodies := lines(t, "hooks.jsonl")
		r := newRig(t).hooks(hasFile, bodies[:3]...)
		h, err := translate.ParseHook([]byte(bodies[3]))
		if err != nil || !h.Head().Asks {
			t.Fatalf("%+v, %v", h, err)
		}
		h.HasFile = hasFile
		r.updates.Add(r.Hook(h, 2_000))
		asks := r.Asks(h, 5_000)
		if len(asks) != 1 || asks[0].Permission.CallID == "" || asks[0].Prompt != "Copilot CLI in ~/code/proj wants to run: exit 3" {
			t.Errorf("%+v", asks)
		}
		decided := func(status contracts.DecisionStatus, choice string) string {
			return string(h.Answer(contracts.Decision{Status: status, Choice: choice, Note: "no"}))
		}
		for got, want := range map[string]string{
			decided(contracts.DecisionResolved, contracts.OptionAllow):  `{"behavior":"allow"}`,
			decided(contracts.DecisionResolved, contracts.OptionDeny):   `{"behavior":"deny","message":"no"}`,
			decided(contracts.DecisionCancelled, contracts.OptionAllow): "",
		} {
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}

// A call that ends while another call is waiting for permission does not close the other call's
// request.
func TestParallelCalls(t *testing.T) {
	hook := func(event, file string) string {
		return `{"hook_event_name":"` + event + `","session_id":"s","tool_name":"Read","tool_input":{"path":"` + file + `"},"tool_result":{"result_type":"success","text_result_for_llm":"x"}}`
	}
	r := newRig(t).hooks(true, hook("PreToolUse", "a"), hook("PreToolUse", "b"), `{"hookName":"permissionRequest","sessionId":"s","toolName":"read","toolInput":{"path":"a"}}`, hook("PostToolUse", "b"))
	if slices.Contains(r.claims(), status.Answered) {
		t.Errorf("%v", r.claims())
	}
	if r.hooks(true, hook("PostToolUse", "a")); !slices.Contains(r.claims(), status.Answered) {
		t.Errorf("%v", r.claims())
	}
}

// Malformed lines and hooks cause errors, never a panic.
func FuzzRows(f *testing.F) {
	f.Add([]byte(promptRow), []byte(callRow))
	f.Add([]byte(answerRow), []byte(endRow))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		s := translate.NewSession("s", "", guest.Config{})
		for _, line := range [][]byte{first, second, first} {
			if h, err := translate.ParseHook(line); err == nil {
				s.Hook(h, 1)
				s.Asks(h, 2)
			}
			if row, err := translate.ParseRow(line); err == nil && row != nil {
				s.Row(row)
			}
		}
		s.GiveUp(3, "gone")
		if s.Busy() {
			t.Error("something is open after GiveUp")
		}
	})
}
