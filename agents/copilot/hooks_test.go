package copilot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/copilot"
)

// Installing and removing hooks change only Bullpen's file, and keep what people added to it.
func TestHooksAreInstalledAndRemoved(t *testing.T) {
	self := filepath.Join(t.TempDir(), "bullpen")
	if err := os.WriteFile(self, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	t.Setenv("COPILOT_HOME", home)
	other := filepath.Join(home, "hooks", "mine.json")
	path := filepath.Join(home, "hooks", "bullpen.json")
	const foreign = `{"version":1,"hooks":{"Stop":[{"type":"command","bash":"say done"}]}}`
	if err := os.MkdirAll(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte(foreign), 0o600); err != nil {
		t.Fatal(err)
	}
	h := agents.HookConfig{Self: self, DataDir: "/data", DataDirFlag: "/data"}
	for range 2 {
		if _, err := copilot.Adapter.Hooks.Install(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if n := strings.Count(string(text), " hook copilot '--data' '/data'"); err != nil || n != len(copilot.HookedProgram.Events) || !strings.HasPrefix(string(text), "{\n  \"version\": 1,\n") {
		t.Fatalf("%d hooks, %v:\n%s", n, err, text)
	}
	if status, err := copilot.Adapter.Hooks.Status(t.Context(), h); err != nil || len(status.Problems) > 0 {
		t.Errorf("%+v, %v", status, err)
	}
	if s := copilot.Adapter.Hooks.Summary(""); !s.Installed || s.Events != len(copilot.HookedProgram.Events) {
		t.Errorf("%+v", s)
	}
	mine := strings.Replace(string(text), `"Stop": [`, `"Stop": [{"hooks": [{"type": "command", "command": "say done"}]},`, 1)
	for _, c := range []struct{ before, after string }{{string(text), ""}, {mine, "say done"}} {
		if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := copilot.Adapter.Hooks.Remove(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(path); !strings.Contains(string(after), c.after) || strings.Contains(string(after), "bullpen") || (err == nil) != (c.after != "") {
			t.Errorf("after removal: %q, %v", after, err)
		}
	}
	if after, err := os.ReadFile(other); err != nil || string(after) != foreign {
		t.Errorf("another file was changed: %q, %v", after, err)
	}
}

// A file whose hooks have a different format is refused and left unchanged.
func TestHooksInAnotherFormat(t *testing.T) {
	home := t.TempDir()
	t.Setenv("COPILOT_HOME", home)
	path := filepath.Join(home, "hooks", "bullpen.json")
	const flat = `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"x"}]}}`
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(flat), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := copilot.Adapter.Hooks.Install(t.Context(), agents.HookConfig{Self: "/x/bullpen"}); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != flat {
		t.Errorf("changed to %q", text)
	}
	if _, err := copilot.Adapter.Hooks.Install(t.Context(), agents.HookConfig{Project: "."}); err == nil || !strings.Contains(err.Error(), "--project") {
		t.Errorf("%v", err)
	}
}
