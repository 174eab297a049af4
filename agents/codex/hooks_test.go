package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/codex"
)

// Installing hooks and then removing them leaves hooks.json as it was.
func TestHooksAreInstalledAndRemoved(t *testing.T) {
	self := filepath.Join(t.TempDir(), "bullpen")
	if err := os.WriteFile(self, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]string{
		"no file":   "",
		"foreign":   "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"matcher\": \"x\", \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n        ]\n    }\n}\n",
		"one line":  `{"description":"mine","hooks":{}}`,
		"odd space": "\n{ }\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("CODEX_HOME", home)
			path := filepath.Join(home, "hooks.json")
			if before != "" {
				if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			h := agents.HookConfig{Self: self, DataDir: "/data", DataDirFlag: "/data"}
			for range 2 {
				if _, err := codex.Adapter.Hooks.Install(t.Context(), h); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(path)
			if n := strings.Count(string(text), " hook codex '--data' '/data'"); err != nil || n != len(codex.HookedProgram.Events) {
				t.Fatalf("%d hooks, %v:\n%s", n, err, text)
			}
			if backup, _ := os.ReadFile(path + ".bullpen-backup"); string(backup) != before {
				t.Errorf("backup %q", backup)
			}
			status, err := codex.Adapter.Hooks.Status(t.Context(), h)
			if err != nil || len(status.Problems) > 0 || !strings.Contains(strings.Join(status.Lines, "\n"), "/hooks") {
				t.Errorf("%+v, %v", status, err)
			}
			if s := codex.Adapter.Hooks.Summary(""); !s.Installed || s.Events != len(codex.HookedProgram.Events) {
				t.Errorf("%+v", s)
			}
			if _, err := codex.Adapter.Hooks.Remove(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			if after, err := os.ReadFile(path); string(after) != before || (err == nil) != (before != "") {
				t.Errorf("after removal: %q, %v", after, err)
			}
		})
	}
}

// An invalid file is refused and left unchanged. Problems with installed hooks are reported.
func TestHooksProblems(t *testing.T) {
	home := t.TempDir()
	t.Setenv("CODEX_HOME", home)
	path := filepath.Join(home, "hooks.json")
	if err := os.WriteFile(path, []byte("{\n  oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := codex.Adapter.Hooks.Install(t.Context(), agents.HookConfig{Self: "/x/bullpen"}); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "{\n  oops" {
		t.Errorf("changed to %q", text)
	}
	if _, err := codex.Adapter.Hooks.Install(t.Context(), agents.HookConfig{Transport: agents.HooksByHTTP}); err == nil {
		t.Error("installed hooks over HTTP")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := codex.Adapter.Hooks.Install(t.Context(), agents.HookConfig{Self: "/gone/bullpen", TypedURL: "http://127.0.0.1:9/"}); err != nil {
		t.Fatal(err)
	}
	status, err := codex.Adapter.Hooks.Status(t.Context(), agents.HookConfig{})
	if err != nil || len(status.Problems) != 1 || !strings.Contains(status.Problems[0], "/gone/bullpen") {
		t.Errorf("%+v, %v", status, err)
	}
	if s := codex.Adapter.Hooks.Summary("http://127.0.0.1:4777"); s.OtherOffice != "http://127.0.0.1:9" {
		t.Errorf("%+v", s)
	}
}
