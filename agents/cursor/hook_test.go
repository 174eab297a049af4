package cursor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/cursor"
	"github.com/bullpen-office/bullpen/agents/guest/hooked/hookedtest"
)

func hook(event, generation, more string) string {
	return `{"conversation_id":"c","generation_id":"` + generation + `","workspace_roots":["/home/dev/shop"],"cwd":"/elsewhere","model":"m-1","cursor_version":"2.5.0","hook_event_name":"` + event + `"` + more + `}`
}

// Hooks in Cursor's documented format produce the expected facts.
func TestDocumentedHooks(t *testing.T) {
	const run = `,"tool_name":"Shell","tool_input":{"command":"make"},"tool_use_id":`
	s, updates := hookedtest.Play(t, cursor.Vendor, "c",
		`{"session_id":"c","hook_event_name":"sessionStart","workspace_roots":["/home/dev/shop"]}`,
		hook("beforeSubmitPrompt", "g1", `,"prompt":"go","attachments":[]`),
		hook("preToolUse", "g1", run+`"a"`),
		hook("postToolUse", "g1", run+`"a","tool_output":"{\"exitCode\":2,\"stdout\":\"no rule\"}","duration":12`),
		hook("preToolUse", "g1", run+`"b"`),
		hook("postToolUse", "g1", run+`"b","tool_output":"plain"`),
		hook("preToolUse", "g1", `,"tool_name":"Write","tool_input":{"file_path":"/home/dev/shop/x","content":"y"},"tool_use_id":"c"`),
		hook("postToolUseFailure", "g1", `,"tool_name":"Write","tool_input":{"file_path":"/home/dev/shop/x","content":"y"},"tool_use_id":"c","error_message":"","failure_type":"permission_denied"`),
		hook("afterAgentResponse", "g1", `,"text":"All done."`),
		hook("stop", "g1", `,"status":"completed","loop_count":0`),
		hook("beforeSubmitPrompt", "g2", `,"prompt":"more"`),
		hook("preToolUse", "g2", run+`"d"`),
		hook("stop", "g2", `,"status":"aborted"`),
		hook("beforeSubmitPrompt", "g3", `,"prompt":"more"`),
		hook("stop", "g2", `,"status":"completed"`), // arrives late
		hook("stop", "g3", `,"status":"error"`),
		hook("afterTabFileEdit", "g3", ""), // ignored
		hook("sessionEnd", "", `,"reason":"window_close"`),
	)
	if d := cmp.Diff(`received
received
turn_start
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":2,"stdout":"no rule","truncated":false}
tool_start exec ⚡ make
tool_end exec {"ok":true,"exitCode":-1,"stdout":"plain","truncated":false}
tool_start write ✏️ x (overwrite)
tool_end write {"ok":false,"file":{"path":"/home/dev/shop/x","viewerPath":"x"},"bytes":0,"error":"permission_denied"}
turn_end  All done.
received
turn_start
tool_start exec ⚡ make
tool_end exec {"ok":false,"exitCode":-1,"stdout":"","truncated":false,"error":"interrupted by the user"}
turn_end  {"ok":false,"error":"interrupted by the user"}
received
turn_start
turn_end  {"ok":false,"error":"the turn ended with an error"}
`, hookedtest.Story(updates)); d != "" {
		t.Error(d)
	}
	if p := s.Profile(); p.Name != "shop" || p.Model != "m-1" || updates.Ended != "window_close" {
		t.Errorf("%+v, ended %q", p, updates.Ended)
	}
	if _, err := cursor.Vendor.ParseHook([]byte(`{"hook_event_name":"stop"}`), false); err == nil {
		t.Error("accepted a hook without a conversation")
	}
}

// Hooks are added directly to the list of each event in Cursor's file, not in groups. Installing
// hooks and then removing them leaves the file as it was.
func TestHooksAreInstalledAndRemoved(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]string{
		"no file": "",
		"foreign": "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      {\"command\": \"say done\"}\n    ],\n    \"afterFileEdit\": [{\"command\": \"fmt\"}]\n  }\n}\n",
		"empty":   `{"version":1,"hooks":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			path := filepath.Join(home, ".cursor", "hooks.json")
			if before != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			h := agents.HookConfig{Self: self}
			for range 2 {
				if _, err := cursor.Adapter.Hooks.Install(t.Context(), h); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(path)
			if n := strings.Count(string(text), "' hook cursor\""); err != nil || n != len(cursor.HookedProgram.Events) || !strings.Contains(string(text), `"version"`) || strings.Contains(string(text), "type") {
				t.Fatalf("%d hooks, %v:\n%s", n, err, text)
			}
			if status, err := cursor.Adapter.Hooks.Status(t.Context(), h); err != nil || len(status.Problems) > 0 {
				t.Errorf("%+v, %v", status, err)
			}
			if _, err := cursor.Adapter.Hooks.Remove(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			if after, err := os.ReadFile(path); string(after) != before || (err == nil) != (before != "") {
				t.Errorf("after removal: %q, %v", after, err)
			}
		})
	}
	t.Setenv("HOME", t.TempDir())
	dir := filepath.Join(os.Getenv("HOME"), ".cursor")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hooks.json"), []byte(`{"hooks":{"stop":["x"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cursor.Adapter.Hooks.Install(t.Context(), agents.HookConfig{Self: self}); err == nil {
		t.Error("changed a file with an unknown structure")
	}
}
