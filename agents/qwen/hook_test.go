package qwen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/guest/hooked/hookedtest"
	"github.com/bullpen-office/bullpen/agents/qwen"
	"github.com/bullpen-office/bullpen/contracts"
)

// In a recorded turn, the prompts that Qwen Code sends after each tool call do not start new turns.
func TestRecordedTurn(t *testing.T) {
	s, updates := hookedtest.Play(t, qwen.Vendor, "9a678dba-460f-4555-8f4a-78a185977c6c", hookedtest.Lines(t, "testdata/hooks.jsonl")...)
	if d := cmp.Diff(`received
turn_start
tool_start exec ⚡ cat hello.txt
tool_end exec {"ok":true,"exitCode":0,"stdout":"hello","truncated":false,"mentionedPaths":[{"path":"hello.txt","viewerPath":"hello.txt"}]}
tool_start write ✏️ qw.txt (overwrite)
tool_end write {"ok":true,"file":{"path":"/home/dev/code/projF/qw.txt","viewerPath":"qw.txt","area":{"startLine":1,"endLine":1}},"area":{"startLine":1,"endLine":1},"bytes":3,"created":true}
turn_end  qwen done
`, hookedtest.Story(updates)); d != "" {
		t.Error(d)
	}
	if p := s.Profile(); p.Name != "projF" || p.Place != "~/code/projF" || s.Busy() {
		t.Errorf("%+v, busy %v", p, s.Busy())
	}
}

// A recorded permission request becomes one question, which is answered in Qwen Code's format.
func TestRecordedPermission(t *testing.T) {
	const session = "07a9fcaa-5010-4d42-b70c-f5d0b0134752"
	lines := hookedtest.Lines(t, "testdata/hooks.jsonl")
	s, updates := hookedtest.Play(t, qwen.Vendor, session, lines...)
	if d := cmp.Diff(`present
present
turn_started go SCRIPT:[[{"t":"look"},{"tool":"run_shell_command","in":{…
asked ⚡ touch acp-qw.txt
asked Qwen Code needs your permission to use run_shell_command
answered
answered
tool_started ⚡ touch acp-qw.txt
tool_ended
turn_ended
`, hookedtest.Claims(updates)); d != "" {
		t.Error(d)
	}
	for _, line := range lines {
		h := hookedtest.Parse(t, qwen.Vendor, line)
		if h.Head().Asks != strings.Contains(line, `"PermissionRequest"`) || h.Head().Ends != strings.Contains(line, `"SessionEnd"`) {
			t.Errorf("%+v", h.Head())
		}
		if !h.Head().Asks {
			continue
		}
		s.Hook(h, 1)
		asks := s.Asks(h, 99)
		if len(asks) != 1 || asks[0].Prompt != "Qwen Code in ~/code/projF wants to run: touch acp-qw.txt" || asks[0].Permission.CallID == "" {
			t.Errorf("%+v", asks)
		}
		d := contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionAllow}
		if got := string(h.Answer(d)); got != `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}` {
			t.Errorf("allow: %s", got)
		}
		d.Choice, d.Note = contracts.OptionDeny, "no"
		if got := string(h.Answer(d)); got != `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}` {
			t.Errorf("deny: %s", got)
		}
		for _, d := range []contracts.Decision{{Choice: contracts.OptionAllow}, {Status: contracts.DecisionResolved, Choice: "yes"}} {
			if got := h.Answer(d); got != nil {
				t.Errorf("%+v is answered with %s", d, got)
			}
		}
	}
}

func hook(event, more string) string {
	return `{"session_id":"s","cwd":"/home/dev/shop","hook_event_name":"` + event + `"` + more + `}`
}

// Failures are shown as failures, even if the agent then reports success.
func TestFailures(t *testing.T) {
	const run = `,"tool_name":"run_shell_command","tool_input":{"command":"make"},"tool_use_id":`
	_, updates := hookedtest.Play(t, qwen.Vendor, "s",
		hook("UserPromptSubmit", `,"prompt":"go","timestamp":"1"`),
		hook("PreToolUse", run+`"a"`),
		hook("PostToolUse", run+`"a","tool_response":{"llmContent":"Command: make\nDirectory: (root)\nOutput: one\nError: two\nthree\nError: (none)\nExit Code: 2\nSignal: 0"}`),
		hook("PreToolUse", run+`"b"`),
		hook("PostToolUseFailure", run+`"b","error":"cannot start"`),
		hook("PreToolUse", run+`"f"`),
		hook("PostToolUseFailure", run+`"f","error":"Command: make\nDirectory: (root)\nOutput: tried\nError: (none)\nExit Code: 3\nSignal: (none)"`),
		hook("PreToolUse", run+`"c"`),
		hook("PostToolUse", run+`"c","tool_response":{"llmContent":"a new format"}`),
		hook("Stop", `,"last_assistant_message":"all done"`),
		hook("UserPromptSubmit", `,"prompt":"go on","timestamp":"2"`),
		hook("PreToolUse", run+`"d"`),
		hook("PostToolUseFailure", run+`"d","error":"User cancelled tool execution.","is_interrupt":true`),
		hook("UserPromptSubmit", `,"prompt":"and on","timestamp":"3"`),
		hook("StopFailure", `,"error":"rate_limit","error_details":"429 Too Many Requests"`),
		hook("UserPromptSubmit", `,"prompt":"again","timestamp":"4"`),
		hook("PreToolUse", run+`"e"`),
		hook("SessionEnd", `,"reason":"prompt_input_exit"`),
	)
	if d := cmp.Diff(`received
turn_start
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":2,"stdout":"one\nError: two\nthree","truncated":false}
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":-1,"stdout":"","truncated":false,"error":"cannot start"}
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":3,"stdout":"tried","truncated":false}
tool_start exec ⚡ make
tool_end exec {"ok":true,"exitCode":-1,"stdout":"a new format","truncated":false}
turn_end  all done
received
turn_start
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":-1,"stdout":"","truncated":false,"error":"User cancelled tool execution."}
turn_end  {"ok":false,"error":"interrupted by the user"}
received
turn_start
turn_end  {"ok":false,"error":"the model failed: 429 Too Many Requests"}
received
turn_start
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":-1,"stdout":"","truncated":false,"error":"the session ended"}
turn_end  {"ok":false,"error":"the session ended"}
`, hookedtest.Story(updates)); d != "" {
		t.Error(d)
	}
	if updates.Ended != "prompt_input_exit" {
		t.Errorf("ended %q", updates.Ended)
	}
}

// Unknown tools and results are shown unchanged, malformed hooks are rejected, and a permission
// request with unexpected values cannot be answered.
func TestUnknownHooks(t *testing.T) {
	for _, body := range []string{"", "x", "[]", `"x"`, `{}`, `{"hook_event_name":"Stop"}`, `{"session_id":"s"}`} {
		if _, err := qwen.Vendor.ParseHook([]byte(body), false); err == nil {
			t.Errorf("accepted %q", body)
		}
	}
	_, updates := hookedtest.Play(t, qwen.Vendor, "s",
		hook("NewEvent", `,"tool_name":7`),
		hook("PreToolUse", `,"tool_name":"new_tool","tool_input":[1],"tool_use_id":"a"`),
		hook("PostToolUse", `,"tool_name":"new_tool","tool_input":[1],"tool_use_id":"a","tool_response":"text"`),
	)
	if d := cmp.Diff(`turn_start
tool_start new_tool new_tool
tool_end new_tool {"ok":true,"raw":"text"}
`, hookedtest.Story(updates)); d != "" {
		t.Error(d)
	}
	h := hookedtest.Parse(t, qwen.Vendor, hook("PermissionRequest", `,"tool_name":"new_tool","is_interrupt":7`))
	if h.Head().Asks {
		t.Error("a request that was only partly understood can be answered")
	}
}
