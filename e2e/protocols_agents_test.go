//go:build unix

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/server"
)

// codexProgram installs Codex once, from its npm package, and returns its path.
var codexProgram = sync.OnceValues(func() (string, error) { return installed("codex", ".bin", "codex") })

// replying connects an agent that gives the same answer to every prompt, and returns the prompts that
// the agent receives.
func replying(t *testing.T, d *openAIServer, answer string) <-chan string {
	t.Helper()
	p := newPeer(t, d.addr, owner(t, d.data), "dev::*", "p0")
	prompts := make(chan string, 64)
	go func() {
		for f := range p.received {
			if f.str("type") == "inbound" {
				prompts <- f.str("content")
				p.reply(f, answer, true)
			}
		}
	}()
	return prompts
}

// B17: real Claude Code uses one of the office's agents as its model. The office shows the person's
// question without the text that Claude Code adds.
func TestClaudeCodeAsksTheOffice(t *testing.T) {
	t.Parallel()
	desk := newDesk(t, nil)
	d := startOpenAI(t, server.Config{})
	prompts := replying(t, d, "Greetings from the office.")
	desk.extra = []string{"ANTHROPIC_BASE_URL=http://" + d.addr, "ANTHROPIC_MODEL=bullpen/dev", "ANTHROPIC_DEFAULT_HAIKU_MODEL=bullpen/dev"}
	if out := desk.ask("Is anybody there?"); !strings.Contains(out, `"result":"Greetings from the office."`) {
		t.Errorf("Claude Code printed %s", out)
	}
	if got := <-prompts; !strings.Contains(got, "Is anybody there?") || !strings.Contains(got, "<system-reminder>") {
		t.Errorf("the agent got %s", got)
	}
	events := fetch(t, d.addr, "/v1/events?kind=hud&limit=1000")
	if !strings.Contains(events, "Is anybody there?") || strings.Contains(events, "system-reminder") {
		t.Errorf("people see %s", events)
	}
}

// B16: real Codex uses one of the office's agents as its model provider, with the settings from the
// guide. This also works when Codex resumes a session and sends its earlier answer back.
func TestCodexAsksTheOffice(t *testing.T) {
	t.Parallel()
	codex, err := codexProgram()
	if err != nil {
		t.Skipf("not checked: real Codex cannot be installed here: %v", err)
	}
	d := startOpenAI(t, server.Config{})
	prompts := replying(t, d, "Greetings from the office.")
	home := t.TempDir()
	settings := fmt.Sprintf("model = \"bullpen/dev\"\nmodel_provider = \"bullpen\"\n\n[model_providers.bullpen]\nname = \"Bullpen\"\nbase_url = %q\nwire_api = \"responses\"\nenv_key = \"BULLPEN_TOKEN\"\n", d.url())
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"exec"}, {"exec", "resume", "--last"}} {
		prompt := "Is anybody there, after " + strings.Join(args, " ") + "?"
		ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
		cmd := exec.CommandContext(ctx, codex, append(args, "--skip-git-repo-check", "--json", prompt)...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "CODEX_HOME=" + home, "PATH=" + os.Getenv("PATH"), "BULLPEN_TOKEN=sk-any"}
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil || !strings.Contains(string(out), `"text":"Greetings from the office."`) {
			t.Fatalf("codex %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if got := <-prompts; !strings.Contains(got, prompt) {
			t.Errorf("the agent got %s", got)
		}
	}
}
