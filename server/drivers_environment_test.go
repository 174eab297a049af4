package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/staff"
)

// C6: a real program finds its own token in its environment, and no other key.
func TestStartedProgramGetsOnlyItsOwnKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "held-back")
	t.Setenv("HELPER_API_KEY", "given")
	t.Setenv("BULLPEN_PUBLIC_URL", "the office's own")
	seen := filepath.Join(t.TempDir(), "environment")
	r := startRig(t, Config{Staff: staff.Staff{Bridge: staff.Bridge{Spawn: []string{"/bin/sh", "-c", "env > " + seen}, Env: []string{"HELPER_*"}}}})
	if status, body := r.post("/v1/chat/completions", `{"model":"scout","user":"desk","messages":[{"role":"user","content":"Hello"}]}`); !strings.Contains(body, "error") {
		t.Errorf("a program that exits without an answer: %d %s", status, body)
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	env := "\n" + string(text)
	for _, want := range []string{"\nHELPER_API_KEY=given\n", "\nBULLPEN_TOKEN=", "\nSYNTHESIS_OPENCLAW_SESSION=scout::desk\n", "\nPATH="} {
		if !strings.Contains(env, want) {
			t.Errorf("missing in the environment: %q", strings.TrimSpace(want))
		}
	}
	if strings.Contains(env, "held-back") || strings.Contains(env, "the office's own") {
		t.Error("the program's environment has a key that is not the program's own")
	}
}
