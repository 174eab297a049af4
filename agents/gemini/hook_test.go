package gemini_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/gemini"
	"github.com/bullpen-office/bullpen/agents/guest/hooked/hookedtest"
)

func TestRecordedTurns(t *testing.T) {
	lines := hookedtest.Lines(t, "testdata/hooks.jsonl")
	s, updates := hookedtest.Play(t, gemini.Vendor, "963f09d8-2cc0-40f8-995c-a298865d0d3f", lines...)
	if d := cmp.Diff(`received
received
turn_start
tool_start exec ⚡ cat hello.txt
tool_end exec {"ok":true,"exitCode":0,"stdout":"hello","truncated":false,"mentionedPaths":[{"path":"hello.txt","viewerPath":"hello.txt"}]}
tool_start write ✏️ gem.txt (overwrite)
tool_end write {"ok":true,"file":{"path":"/home/dev/code/projF/gem.txt","viewerPath":"gem.txt","area":{"startLine":1,"endLine":1}},"area":{"startLine":1,"endLine":1},"bytes":3,"created":true}
turn_end  I look.
gemini done
`, hookedtest.Story(updates)); d != "" {
		t.Error(d)
	}
	if p := s.Profile(); p.Name != "projF" || p.Model != "" || s.Busy() || updates.Ended != "exit" {
		t.Errorf("%+v, busy %v, ended %q", p, s.Busy(), updates.Ended)
	}
	s, updates = hookedtest.Play(t, gemini.Vendor, "ae6a5d58-fe11-4d72-9f8c-97c22721af3b", lines...)
	if d := cmp.Diff(`received
turn_start
turn_end  look
acp done
`, hookedtest.Story(updates)); d != "" || s.Busy() {
		t.Error(d)
	}
}

func hook(event, more string) string {
	return `{"session_id":"s","cwd":"/home/dev/shop","hook_event_name":"` + event + `"` + more + `}`
}

// Calls have no ids. An end event ends the oldest open call with the same tool and input. If there is
// no such call, it ends the tool's only open call; if the tool has several open calls, it
// ends none of them.
func TestCallsWithoutIDs(t *testing.T) {
	run := func(event, command, sent, more string) string {
		return hook(event, `,"tool_name":"run_shell_command","tool_input":{"command":"`+command+`"},"timestamp":"`+sent+`"`+more)
	}
	out := func(text string) string { return `,"tool_response":{"llmContent":"` + text + `"}` }
	_, updates := hookedtest.Play(t, gemini.Vendor, "s",
		hook("BeforeAgent", `,"prompt":"go","timestamp":"0"`),
		run("BeforeTool", "a", "1", ""), run("BeforeTool", "a", "2", ""), run("BeforeTool", "b", "3", ""),
		run("AfterTool", "b", "4", out(`Output: of b\nExit Code: 4\nProcess Group PGID: 7`)),
		run("AfterTool", "c", "5", out(`Output: of c\nSignal: 9`)),
		run("AfterTool", "a", "6", out(`Output: first\nlast: line`)),
		run("AfterTool", "changed", "7", out(`Output: (empty)`)),
		hook("BeforeTool", `,"tool_name":"read_file","tool_input":{"file_path":"x"},"timestamp":"8"`),
		hook("AfterAgent", `,"prompt_response":"all done"`),
	)
	if d := cmp.Diff(`received
turn_start
tool_start exec ⚡ a
tool_start exec ⚡ a
tool_start exec ⚡ b
tool_end exec {"ok":false,"exitCode":4,"stdout":"of b","truncated":false}
tool_start exec ⚡ c
tool_end exec {"ok":false,"exitCode":-1,"stdout":"of c","truncated":false,"error":"ended by signal 9"}
tool_end exec {"ok":true,"exitCode":0,"stdout":"first\nlast: line","truncated":false}
tool_end exec {"ok":true,"exitCode":0,"stdout":"","truncated":false}
tool_start read 👁 x
tool_end read {"ok":false,"file":{"path":"x","viewerPath":"x"},"text":"","bytes":0,"truncated":false,"error":"its end was not seen"}
turn_end  all done
`, hookedtest.Story(updates)); d != "" {
		t.Error(d)
	}
}

// If a person stops a turn while a command is running, the end of the command ends the turn,
// because no other hook reports that the turn has ended.
func TestStoppedCommandEndsTheTurn(t *testing.T) {
	const call = `,"tool_name":"run_shell_command","tool_input":{"command":"make"}`
	s, updates := hookedtest.Play(t, gemini.Vendor, "s",
		hook("BeforeAgent", `,"prompt":"go"`), hook("BeforeTool", call),
		hook("AfterTool", call+`,"tool_response":{"llmContent":"<untrusted_context>\nCommand was cancelled by user before it could complete. There was no output.\n</untrusted_context>"}`))
	if d := cmp.Diff(`received
turn_start
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":-1,"stdout":"","truncated":false,"error":"Command was cancelled by user before it could complete. There was no output."}
turn_end  {"ok":false,"error":"interrupted by the user"}
`, hookedtest.Story(updates)); d != "" || s.Busy() {
		t.Error(d)
	}
}

// A permission request is shown, but cannot be answered in the office.
func TestPermissionIsShown(t *testing.T) {
	ask := hook("Notification", `,"notification_type":"ToolPermission","message":"Tool Shell requires execution"`)
	_, updates := hookedtest.Play(t, gemini.Vendor, "s", hook("BeforeAgent", `,"prompt":"go"`), ask,
		hook("BeforeTool", `,"tool_name":"write_file","tool_input":{"file_path":"/home/dev/shop/x"}`),
		hook("AfterTool", `,"tool_name":"write_file","tool_input":{"file_path":"/home/dev/shop/x"},"tool_response":{"llmContent":"no","error":{"message":"disk full"}}`),
		hook("SessionEnd", ""))
	if d := cmp.Diff(`turn_started go
asked Tool Shell requires execution
answered
tool_started ✏️ x (overwrite)
tool_ended
ended
`, hookedtest.Claims(updates)); d != "" {
		t.Error(d)
	}
	if h := hookedtest.Parse(t, gemini.Vendor, ask); h.Head().Asks {
		t.Error("the notice is waiting for an answer")
	}
}
