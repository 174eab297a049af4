package gemini_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/gemini"
)

// Installing and removing hooks leaves every other byte of the settings as it was.
func TestHooksAreInstalledAndRemoved(t *testing.T) {
	home := t.TempDir()
	t.Setenv("GEMINI_CLI_HOME", home)
	path := filepath.Join(home, ".gemini", "settings.json")
	const before = "{\n  \"hooks\": {\n    \"AfterTool\": [\n      {\"matcher\": \"write_.*\", \"hooks\": [{\"name\": \"mine\", \"type\": \"command\", \"command\": \"fmt\"}]}\n    ]\n  },\n  \"theme\": \"x\"\n}\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := agents.HookConfig{Self: self}
	for range 2 {
		if _, err := gemini.Adapter.Hooks.Install(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if n := strings.Count(string(text), "' hook gemini\""); err != nil || n != len(gemini.HookedProgram.Events) || !strings.Contains(string(text), `"timeout": 10000`) {
		t.Fatalf("%d hooks, %v:\n%s", n, err, text)
	}
	if status, err := gemini.Adapter.Hooks.Status(t.Context(), h); err != nil || len(status.Problems) > 0 {
		t.Errorf("%+v, %v", status, err)
	}
	if _, err := gemini.Adapter.Hooks.Remove(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); string(after) != before || err != nil {
		t.Errorf("after removal: %q, %v", after, err)
	}
}
