package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/staff"
)

// C6: a program gets the credentials of its own family and those that the
// configuration names; the rest of the environment is as it is.
func TestProgramsGetTheirOwnCredentials(t *testing.T) {
	plain := []string{"HOME=/home/dev", "PATH=/bin", "LC_ALL=C", "SSH_AUTH_SOCK=/s", "JAVA_HOME=/j", "HTTPS_PROXY=http://p:1", "NODE_EXTRA_CA_CERTS=/ca", "KUBECONFIG=/k", "GOFLAGS=-v"}
	anthropic := []string{"ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=b", "CLAUDE_CODE_OAUTH_TOKEN=c", "AWS_SECRET_ACCESS_KEY=d", "GOOGLE_APPLICATION_CREDENTIALS=/g"}
	others := []string{"OPENAI_API_KEY=e", "GITHUB_TOKEN=f", "DB_PASSWORD=g", "MODEL_LICENCE=h"}
	never := []string{"BULLPEN_TOKEN=i", "BULLPEN_CONFIG=j", "SYNTHESIS_WS_URL=old", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=k", "PWD=/office"}
	own := slices.Concat(plain, anthropic, others, never)
	office := staff.Staff{Runners: map[string]staff.Runner{"fast": {Kind: staff.OpenAI, APIKeyEnv: "MODEL_LICENCE"}}}
	for name, c := range map[string]struct {
		runner staff.Runner
		want   []string
	}{
		"claude":       {staff.Runner{Kind: staff.Claude}, slices.Concat(plain, anthropic)},
		"claude named": {staff.Runner{Kind: staff.Claude, Env: []string{"GITHUB_*"}}, slices.Concat(plain, anthropic, others[1:2])},
		"peer":         {staff.Runner{Kind: staff.Peer}, append(slices.Clone(plain), anthropic[1])},
		"peer named":   {staff.Runner{Kind: staff.Peer, Env: []string{"OPENAI_API_KEY", "MODEL_LICENCE"}}, slices.Concat(plain, anthropic[1:2], others[:1], others[3:])},
	} {
		env, held := Inherited(office, c.runner, own)
		if !slices.Equal(env, c.want) {
			t.Errorf("%s gets %q, want %q", name, env, c.want)
		}
		if n := len(env) + len(held) + len(never); n != len(own) {
			t.Errorf("%s: %d of %d variables are accounted for; held back %q", name, n, len(own), held)
		}
	}
}

// The same of a real program: it finds its own token and nobody's key.
func TestStartedProgramFindsNoKeyOfOthers(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "held-back")
	t.Setenv("HELPER_API_KEY", "given")
	t.Setenv("BULLPEN_PUBLIC_URL", "the office's own")
	seen := filepath.Join(t.TempDir(), "environment")
	r := startRig(t, Config{Staff: staff.Staff{Bridge: staff.Bridge{Spawn: []string{"/bin/sh", "-c", "env > " + seen}, Env: []string{"HELPER_*"}}}})
	if status, body := r.post("/v1/chat/completions", `{"model":"scout","user":"desk","messages":[{"role":"user","content":"Hello"}]}`); !strings.Contains(body, "error") {
		t.Errorf("a program that only ends answered: %d %s", status, body)
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	env := "\n" + string(text)
	for _, want := range []string{"\nHELPER_API_KEY=given\n", "\nBULLPEN_TOKEN=", "\nSYNTHESIS_OPENCLAW_SESSION=scout::desk\n", "\nPATH="} {
		if !strings.Contains(env, want) {
			t.Errorf("it does not find %q", strings.TrimSpace(want))
		}
	}
	if strings.Contains(env, "held-back") || strings.Contains(env, "the office's own") {
		t.Error("it finds what is not its own")
	}
}
