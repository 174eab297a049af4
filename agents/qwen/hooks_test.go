package qwen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/qwen"
)

// Installing and removing hooks leaves every other byte of the settings as it was. The timeouts of
// hooks are in milliseconds.
func TestHooksAreInstalledAndRemoved(t *testing.T) {
	self := filepath.Join(t.TempDir(), "bullpen")
	if err := os.WriteFile(self, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]string{
		"no file": "",
		"foreign": "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"matcher\": \"x\", \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n        ]\n    }\n}\n",
		"other":   `{"security":{"auth":{"selectedType":"openai"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("QWEN_HOME", t.TempDir())
			path := filepath.Join(os.Getenv("QWEN_HOME"), "settings.json")
			if before != "" {
				if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			h := agents.HookConfig{Self: self, DataDir: "/data", DataDirFlag: "/data"}
			for range 2 {
				if _, err := qwen.Adapter.Hooks.Install(t.Context(), h); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(path)
			if n := strings.Count(string(text), " hook qwen '--data' '/data'"); err != nil || n != len(qwen.HookedProgram.Events) || !strings.Contains(string(text), `"timeout": 60000`) {
				t.Fatalf("%d hooks, %v:\n%s", n, err, text)
			}
			status, err := qwen.Adapter.Hooks.Status(t.Context(), h)
			if err != nil || len(status.Problems) > 0 {
				t.Errorf("%+v, %v", status, err)
			}
			if _, err := qwen.Adapter.Hooks.Remove(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			if after, err := os.ReadFile(path); string(after) != before || (err == nil) != (before != "") {
				t.Errorf("after removal: %q, %v", after, err)
			}
		})
	}
}

// Settings that make Qwen Code ignore hooks are reported as a problem.
func TestDisabledHooks(t *testing.T) {
	t.Setenv("QWEN_HOME", t.TempDir())
	if err := os.WriteFile(filepath.Join(os.Getenv("QWEN_HOME"), "settings.json"), []byte(`{"disableAllHooks":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := agents.HookConfig{Self: self}
	if _, err := qwen.Adapter.Hooks.Install(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	status, err := qwen.Adapter.Hooks.Status(t.Context(), h)
	if err != nil || len(status.Problems) != 1 || !strings.Contains(status.Problems[0], "disableAllHooks") {
		t.Errorf("%+v, %v", status, err)
	}
	if s := qwen.Adapter.Hooks.Summary(""); !strings.Contains(s.Problem, "disableAllHooks") {
		t.Errorf("%+v", s)
	}
}

func TestProcess(t *testing.T) {
	for script, want := range map[string]bool{"/usr/local/bin/qwen": true, "/x/node_modules/@qwen-code/qwen-code/cli.js": true, "/x/server.js": false} {
		if got := qwen.Vendor.IsProgram("/usr/bin/node", []string{"node", "--no-warnings", script}); got != want {
			t.Errorf("%s: %v", script, got)
		}
	}
}
