package translate_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
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
	for s := bufio.NewScanner(f); s.Scan(); {
		list = append(list, s.Text())
	}
	return list
}

// rig feeds input to a session and collects the session's reports.
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
		r.updates.Add(r.Row(row))
	}
	return r
}

func (r *rig) hook(at int64, body string) *rig {
	r.t.Helper()
	h, err := translate.ParseHook([]byte(body))
	if err != nil {
		r.t.Fatalf("%v: %s", err, body)
	}
	r.updates.Add(r.Hook(h, at))
	return r
}

// story returns one line per fact.
func (r *rig) story() string {
	var b strings.Builder
	for _, f := range r.updates.Facts {
		h := f.HUD
		fmt.Fprintf(&b, "%s %s", h.Event, h.Tool)
		if h.Event == contracts.HUDToolStart || h.Event == contracts.HUDTurnStart {
			fmt.Fprintf(&b, " %s", h.Label)
		}
		if h.Event == contracts.HUDTurnEnd || h.Event == contracts.HUDToolEnd {
			fmt.Fprintf(&b, " %s%s", h.Result, h.Said)
		}
		b.WriteString("\n")
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

// A rollout file alone shows the session: its turn, its calls with their exit codes, and its usage.
func TestRollout(t *testing.T) {
	r := newRig(t).rows(lines(t, "failed.jsonl")...)
	r.want("turn_start", "received", "tool_start exec", "tool_end exec", `"exitCode":3`, "tool_start exec", "tool_end exec", "approval policy is Never", "tool_start apply_patch", "turn_end", "codex done")
	if profile := r.Profile(); profile.Model != "stub-model" || profile.Place != "~/code/proj" || profile.Name != "proj" {
		t.Errorf("%+v", profile)
	}
	if r.Busy() {
		t.Errorf("open: %s", r.story())
	}
	if len(r.updates.Usage) != 4 || r.updates.Usage[0].Usage.TokensIn != 100 || r.updates.Usage[0].Usage.TokensOut != 20 || r.updates.Usage[0].Key == r.updates.Usage[1].Key {
		t.Errorf("%+v", r.updates.Usage)
	}
	before := len(r.updates.Facts)
	r.Rewind()
	r.rows(lines(t, "failed.jsonl")...)
	r.updates.Add(r.RereadDone())
	if len(r.updates.Facts) != before {
		t.Errorf("read again: %s", r.story())
	}
}

func TestRolloutOfAPatchAndAnInterruption(t *testing.T) {
	newRig(t).rows(lines(t, "patch.jsonl")...).want("tool_start exec", "tool_end exec", `"ok":true`, "turn_end")
	r := newRig(t).rows(lines(t, "interrupted.jsonl")...)
	r.want("tool_start exec", "tool_end exec", "aborted by user", "turn_end", "interrupted by the user")
}

// Hooks alone show the session too. They contain no exit codes, so exit codes stay unknown.
func TestHooks(t *testing.T) {
	r := newRig(t)
	for i, body := range lines(t, "hooks.jsonl") {
		r.hook(int64(1_000+i), body)
	}
	r.updates.Add(r.Settle(60_000))
	r.want("received", "received", "turn_start", "tool_start exec", "tool_start exec", "tool_end exec", `"exitCode":-1`, "tool_end exec", `"exitCode":-1`, "turn_end", "codex done")
	if r.Busy() {
		t.Error("something is still open")
	}
}

const (
	metaRow  = `{"timestamp":"2026-11-16T06:55:10Z","type":"session_meta","payload":{"id":"s","cwd":"/home/dev/x"}}`
	startRow = `{"timestamp":"2026-11-16T06:55:11Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}`
	callRow  = `{"timestamp":"2026-11-16T06:55:12Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make\"}","call_id":"c1"}}`
	doneRow  = `{"timestamp":"2026-11-16T06:55:19Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t1","last_agent_message":"all done"}}`
)

// A rollout file may contain unknown versions and records, contradict itself, or lack end records.
// Every turn and call still ends exactly once.
func TestOddRollouts(t *testing.T) {
	failed := `{"timestamp":"2026-11-16T06:55:13Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"CommandExecution","id":"c1","command":["/bin/bash","-lc","make"],"status":"failed","exit_code":2,"aggregated_output":"no rule\n"}}}`
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"done after a failure":      {[]string{startRow, callRow, failed, doneRow}, []string{"tool_end exec", `"ok":false`, `"exitCode":2`, "turn_end", "all done"}},
		"a call without an end":     {[]string{startRow, callRow, doneRow}, []string{"tool_start exec", "tool_end exec", "its end was not seen", "turn_end"}},
		"a turn without an end":     {[]string{startRow, callRow, strings.ReplaceAll(strings.ReplaceAll(startRow, "t1", "t2"), "55:11", "56:11")}, []string{"turn_start", "tool_end exec", "its end was not seen", "turn_end", "its end was not seen", "turn_start"}},
		"an unknown record":         {[]string{startRow, `{"timestamp":"2026-11-16T06:55:12Z","type":"hologram","payload":{"turn_id":7}}`, doneRow}, []string{"turn_start", "turn_end"}},
		"an unknown item":           {[]string{startRow, `{"timestamp":"2026-11-16T06:55:12Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"Hologram","id":"h1","beam":3}}}`, doneRow}, []string{"tool_start hologram", "tool_end hologram", "beam", "turn_end"}},
		"an unknown call":           {[]string{startRow, `{"timestamp":"2026-11-16T06:55:12Z","type":"response_item","payload":{"type":"beam_call","call_id":"b1"}}`, doneRow}, []string{"tool_start beam_call", "tool_end beam_call", "turn_end"}},
		"members of another type":   {[]string{startRow, `{"timestamp":4,"type":"event_msg","payload":{"type":"item_completed","turn_id":["t1"],"item":{"type":"CommandExecution","id":"c9","command":{"a":1},"exit_code":"many","aggregated_output":5}}}`, doneRow}, []string{"tool_start exec", "tool_end exec", `"exitCode":-1`, "turn_end"}},
		"an end twice":              {[]string{startRow, doneRow, doneRow, strings.Replace(doneRow, "all done", "again", 1)}, []string{"turn_end", "all done"}},
		"an end without a start":    {[]string{metaRow, doneRow}, []string{"turn_end"}},
		"an old version":            {[]string{metaRow, `{"timestamp":"2026-11-16T06:55:12Z","type":"event_msg","payload":{"type":"user_message","message":"hello"}}`, callRow, `{"timestamp":"2026-11-16T06:55:13Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"}}`, `{"timestamp":"2026-11-16T06:55:14Z","type":"event_msg","payload":{"type":"user_message","message":"more"}}`}, []string{"turn_start", "hello", "tool_end exec", `"exitCode":1`, "turn_end", "turn_start", "more"}},
		"hostile text":              {[]string{startRow, `{"timestamp":"2026-11-16T06:55:12Z","type":"response_item","payload":{"type":"custom_tool_call","name":"\u001b[31mx\u202e\n","input":"\u0000","call_id":"h\u0000"}}`, doneRow}, []string{"tool_start", "tool_end", "turn_end"}},
		"a command that still runs": {[]string{startRow, callRow, `{"timestamp":"2026-11-16T06:55:13Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\nbusy"}}`, failed, doneRow}, []string{"tool_end exec", `"exitCode":2`, "turn_end"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t).rows(c.rows...)
			r.updates.Add(r.Settle(1 << 60))
			r.want(c.want...)
			if strings.Count(r.story(), "turn_end") > 2 || strings.ContainsAny(r.story(), "\x00\x1b\u202e") {
				t.Error(r.story())
			}
		})
	}
}

// Hooks and the rollout file, in either order, report one call; the file adds details that hooks
// lack.
func TestHooksAndRolloutReportOneCall(t *testing.T) {
	at := int64(1_794_812_112_500)
	pre := `{"session_id":"s","turn_id":"t1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"c1"}`
	post := strings.Replace(pre, "PreToolUse", "PostToolUse", 1)
	item := `{"timestamp":"2026-11-16T06:55:13Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"CommandExecution","id":"c1","command":["/bin/bash","-lc","make"],"status":"failed","exit_code":2,"aggregated_output":"no rule\n"}}}`
	stop := `{"session_id":"s","turn_id":"t1","hook_event_name":"Stop","last_assistant_message":"all done"}`
	first := newRig(t).hook(at, pre).hook(at+100, post).hook(at+200, stop).rows(startRow, callRow, item, doneRow)
	last := newRig(t).rows(startRow, callRow, item, doneRow).hook(at, pre).hook(at+100, post).hook(at+200, stop)
	for name, r := range map[string]*rig{"hooks first": first, "file first": last} {
		if n := strings.Count(r.story(), "tool_end"); n != 1 || strings.Count(r.story(), "turn_end") != 1 {
			t.Errorf("%s: %d ends\n%s", name, n, r.story())
		}
		r.want("turn_start", "tool_start exec", `"exitCode":2`, "turn_end")
	}
}

// A permission request that names no call is about the open call with the same command. The answer
// has the format that Codex expects from hooks.
func TestPermission(t *testing.T) {
	r := newRig(t)
	for _, c := range []string{"one", "two"} {
		r.hook(1000, fmt.Sprintf(`{"session_id":"s","turn_id":"t1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make %s"},"tool_use_id":"%[1]s"}`, c))
	}
	body := `{"session_id":"s","turn_id":"t1","cwd":"/home/dev/x","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make one","description":"need it"}}`
	h, err := translate.ParseHook([]byte(body))
	if err != nil || !h.Head().Asks {
		t.Fatalf("%+v, %v", h, err)
	}
	r.updates.Add(r.Hook(h, 1001))
	asks := r.Asks(h, 5000)
	if len(asks) != 1 || asks[0].Permission.CallID != "one" || asks[0].Prompt != "Codex in ~/x wants to run: make one" || cmp.Diff(asks[0].Options, []string{contracts.OptionAllow, contracts.OptionDeny}) != "" {
		t.Errorf("%+v", asks)
	}
	decided := func(status contracts.DecisionStatus, choice string) string {
		return string(h.Answer(contracts.Decision{Status: status, Choice: choice}))
	}
	const allow = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`
	if got := decided(contracts.DecisionResolved, contracts.OptionAllow); got != allow {
		t.Error(got)
	}
	if got := decided(contracts.DecisionResolved, contracts.OptionDeny); !strings.Contains(got, `"behavior":"deny"`) {
		t.Error(got)
	}
	for _, got := range []string{decided(contracts.DecisionResolved, contracts.OptionAlways), decided(contracts.DecisionCancelled, contracts.OptionAllow)} {
		if got != "" {
			t.Errorf("allowed by mistake: %s", got)
		}
	}
}

func TestCommand(t *testing.T) {
	for value, want := range map[string]string{
		`["/bin/bash","-lc","make a"]`:          "make a",
		`["git","status"]`:                      "git status",
		`"/bin/bash -lc 'touch a && echo yes'"`: "touch a && echo yes",
		`"/bin/zsh -lc \"echo \\\"a\\\"\""`:     `echo "a"`,
		`"bash -lc 'unclosed"`:                  "bash -lc 'unclosed",
		`"/bin/bash -lc make install"`:          "/bin/bash -lc make install",
		`"./bash -lc 'git status'"`:             "./bash -lc 'git status'",
		`["/tmp/bash","-c","git status"]`:       "/tmp/bash -c git status",
		`{"a":1}`:                               `{"a":1}`,
		`null`:                                  "",
	} {
		if got := translate.Command([]byte(value)); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

// Malformed lines and hooks cause errors, never a panic.
func FuzzRows(f *testing.F) {
	f.Add([]byte(startRow), []byte(callRow))
	f.Add([]byte(callRow), []byte(doneRow))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		s := translate.NewSession("s", "", guest.Config{})
		for _, line := range [][]byte{first, second, first} {
			if row, err := translate.ParseRow(line); err == nil {
				s.Row(row)
			}
			if h, err := translate.ParseHook(line); err == nil {
				s.Hook(h, 1)
				s.Asks(h, 2)
			}
		}
		s.GiveUp(3, "gone")
		if s.Busy() {
			t.Error("something is open after GiveUp")
		}
	})
}

// A sub-agent is a separate agent whose parent is its session. Its hooks name it, and it leaves
// once its turn has ended.
func TestSubagent(t *testing.T) {
	h, err := translate.ParseHook([]byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","agent_id":"a","turn_id":"t1","cwd":"/home/dev/x","prompt":"look around"}`))
	if err != nil || h.Head().Session != "s" || h.Head().Agent != "a" {
		t.Fatalf("%+v, %v", h, err)
	}
	r := &rig{t: t, Session: translate.NewSession("s", "a", guest.Config{Home: "/home/dev", Repo: func(string) (string, bool) { return "/home/dev", true }})}
	r.updates.Add(r.Hook(h, 1))
	if got := r.Profile(); got.Name != "Sub-agent" || got.ParentID != translate.NewSession("s", "", guest.Config{}).Profile().AgentID || got.Repo != "" {
		t.Errorf("%+v", got)
	}
	r.rows(`{"type":"session_meta","payload":{"session_id":"s","id":"a","parent_thread_id":"s","cwd":"/home/dev/x","agent_nickname":"Avicenna","agent_role":"explorer"}}`, startRow, callRow, doneRow)
	if got := r.Profile(); got.Name != "Avicenna" || got.Place != "~/x" || !r.updates.Changed {
		t.Errorf("%+v", got)
	}
	r.updates.Add(r.Settle(1 << 50))
	r.want("turn_start", "tool_start exec", "tool_end exec", "turn_end", "all done")
	if last := r.updates.Evidence[len(r.updates.Evidence)-1]; last.Claim != status.Ended {
		t.Errorf("the last evidence is %+v", last)
	}
}
