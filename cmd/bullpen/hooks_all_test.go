package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// `hooks … all` prints one line for each supported agent. If one agent's file is broken, the others
// are still handled.
func TestHooksOfAll(t *testing.T) {
	home, empty := t.TempDir(), t.TempDir()
	for _, variable := range os.Environ() { // any variable could name an agent's directory
		name, _, _ := strings.Cut(variable, "=")
		t.Setenv(name, "")
	}
	for _, name := range []string{"HOME", "BULLPEN_DATA_DIR"} {
		t.Setenv(name, home)
	}
	t.Setenv("PATH", empty)
	for _, dir := range []string{".codex", ".qwen"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	settings, broken := filepath.Join(home, ".qwen", "settings.json"), filepath.Join(home, ".codex", "hooks.json")
	const before = `{"theme":"x"}`
	if err := os.WriteFile(settings, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	bullpen := func(args string) (int, string) {
		var out bytes.Buffer
		code := run(t.Context(), strings.Fields(args), &out, &out)
		return code, out.String()
	}
	expect := func(args string, want int, words ...string) {
		t.Helper()
		code, out := bullpen(args)
		for _, w := range words {
			if code != want || !strings.Contains(out, w) {
				t.Errorf("bullpen %s: exit code %d, no %q in\n%s", args, code, w, out)
			}
		}
	}
	expect("hooks install all", exitOK, "Qwen Code: installed 14 hooks in "+settings, "Codex: installed", "Gemini CLI: not on this machine", "Claude Code: not on this machine")
	expect("hooks install all", exitOK, "Qwen Code: already installed: 14 hooks")
	expect("hooks status all", exitOK, "Qwen Code: hooks installed", "Gemini CLI: hooks not installed")
	expect("hooks status all --json", exitOK, `"hooks": [`, `"agent": "qwen"`, `"found": true`, `"path": "`+settings+`"`)

	if err := os.WriteFile(broken, []byte("{ oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("hooks uninstall all", exitFailed, "Codex: failed: ", "Qwen Code: removed the Bullpen hooks", "hooks uninstall failed for codex: run `bullpen hooks uninstall codex --data "+home+"` for details")
	if text, err := os.ReadFile(settings); err != nil || string(text) != before {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := os.ReadFile(broken); err != nil || string(text) != "{ oops" {
		t.Errorf("%q, %v", text, err)
	}
	expect("hooks status all", exitFailed, "Codex: failed: ", "Qwen Code: hooks not installed")
}
