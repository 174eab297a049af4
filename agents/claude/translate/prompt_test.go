package translate

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

const taskNotice = "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<output-file>/tmp/b1.output</output-file>\n<status>completed</status>\n<summary>Background command \"wait a bit\" completed (exit code 0)</summary>\n</task-notification>"

// Markup that the program adds is never shown as a person's text.
func TestPromptMarkup(t *testing.T) {
	for _, c := range []struct {
		text, want string
		person     bool
	}{
		{"fix it", "fix it", true},
		{taskNotice, `Background command "wait a bit" completed (exit code 0)`, false},
		{"<task-notification><status>killed</status></task-notification>", "a background task killed", false},
		{"<system-reminder>be brief</system-reminder>\nfix it", "fix it", true},
		{"fix <system-reminder>a</system-reminder>it<system-reminder>b</system-reminder>", "fix it", true},
		{"<local-command-stdout>done</local-command-stdout>", "", false},
		{"<command-message>review is running</command-message>\n<command-name>/review</command-name>\n<command-args>main.go</command-args>", "/review main.go", true},
		{"<bash-input>ls</bash-input>", "! ls", true},
		{"why is <system-reminder> in my log?", "why is <system-reminder> in my log?", true},
	} {
		if p := promptOf(c.text); p.text != c.want || p.person != c.person {
			t.Errorf("%q is shown as %+v, want %q", c.text, p, c.want)
		}
	}
}

// A background task's notice starts a turn with the notice as its label, whether a hook or the
// transcript reports it, and does not count as a person's message.
func TestTaskNoticeIsNotAMessage(t *testing.T) {
	hooked := NewSession("s", "", Config{})
	body := `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":` + string(hud.Value(taskNotice)) + `}`
	updates := hooked.Hook(hook(t, body), 1000)
	row, err := ParseRow([]byte(`{"type":"user","uuid":"u1","promptId":"p1","timestamp":"2026-11-16T10:00:00Z","message":{"role":"user","content":` + string(hud.Value(taskNotice)) + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	read := NewSession("s", "", Config{})
	for name, updates := range map[string]Updates{"hook": updates, "transcript": read.Row(row)} {
		if len(updates.Facts) != 1 || updates.Facts[0].HUD.Event != contracts.HUDTurnStart || !strings.HasPrefix(updates.Facts[0].HUD.Label, "Background command") {
			t.Errorf("%s: %+v", name, updates.Facts)
		}
	}
}

// A turn's answer is kept, whether a hook or the transcript reports it. The kept text is limited in
// length and contains no credentials.
func TestAnswerOfATurnIsKept(t *testing.T) {
	said := func(updates Updates) (text, line string) {
		for _, f := range updates.Facts {
			if f.HUD.Event == contracts.HUDTurnEnd {
				text = f.HUD.Said
			}
		}
		for _, e := range updates.Evidence {
			if e.Said != "" {
				line = e.Said
			}
		}
		return text, line
	}
	answer := "All tests pass.\n\nThe token is sk-ant-api03-" + strings.Repeat("a", 40) + "."
	stop := hook(t, `{"session_id":"s","hook_event_name":"Stop","prompt_id":"p1","last_assistant_message":`+string(hud.Value(answer))+`}`)
	s := NewSession("s", "", Config{})
	s.Hook(hook(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":"go"}`), 1000)
	text, line := said(s.Hook(stop, 2000))
	if !strings.HasPrefix(text, "All tests pass.\n\nThe token is ") || strings.Contains(text, "aaaa") || !strings.HasPrefix(line, "All tests pass. The token") {
		t.Errorf("by hook: %q, %q", text, line)
	}
	rows := []string{
		`{"type":"user","uuid":"u1","promptId":"p1","timestamp":"2026-11-16T10:00:00Z","message":{"role":"user","content":"go"}}`,
		`{"type":"assistant","uuid":"a1","timestamp":"2026-11-16T10:00:01Z","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Let me look."}]}}`,
		`{"type":"assistant","uuid":"a2","timestamp":"2026-11-16T10:00:01Z","message":{"id":"m1","role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}]}}`,
		`{"type":"user","uuid":"u2","promptId":"p1","timestamp":"2026-11-16T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}}`,
		`{"type":"assistant","uuid":"a3","timestamp":"2026-11-16T10:00:03Z","message":{"id":"m2","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":` + string(hud.Value(answer)) + `}]}}`,
		`{"type":"system","subtype":"turn_duration","uuid":"s1","timestamp":"2026-11-16T10:00:03Z"}`,
	}
	read, updates := NewSession("s", "", Config{}), Updates{}
	for _, line := range rows {
		row, err := ParseRow([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		updates.Add(read.Row(row))
	}
	if byRows, lineRows := said(updates); byRows != text || lineRows != line {
		t.Errorf("by transcript: %q, %q", byRows, lineRows)
	}
	if again, _ := said(read.Hook(stop, 3000)); again != "" {
		t.Errorf("the turn ended twice: %q", again)
	}
	if long := hud.Said(strings.Repeat("é", contracts.LimitFinalAnswer)); len(long) > contracts.LimitFinalAnswer || !strings.HasSuffix(long, "é…") {
		t.Errorf("%d bytes are kept", len(long))
	}
}
