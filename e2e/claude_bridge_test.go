//go:build unix

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// calls asks somebody of the crew through the OpenAI door.
func (d *desk) calls(text string) string {
	d.t.Helper()
	body := jsonText(message{"model": "bullpen/agent_eng_1", "messages": []any{message{"role": "user", "content": text}}})
	resp, err := quickClient.Post("http://"+d.addr+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	var got struct {
		Choices []struct {
			Message struct{ Content string } `json:"message"`
		} `json:"choices"`
	}
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(answer, &got, json.MatchCaseInsensitiveNames(true)) != nil || len(got.Choices) != 1 {
		d.t.Fatalf("%d %s %v", resp.StatusCode, answer, err)
	}
	return got.Choices[0].Message.Content
}

// transcripts are the files of the conversations in the project.
func (d *desk) transcripts() []string {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(d.home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

// B14: a conversation of the bridge with real Claude Code goes on after the office was
// closed and after it was killed; one that Claude Code has lost begins anew, and the
// caller is told once.
func TestClaudeGoesOnThroughTheBridge(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string][]reply{"one": {says("One.")}, "two": {says("Two.")}, "three": {says("Three.")}})
	config := filepath.Join(d.home, "bullpen.yaml")
	d.file("home/bullpen.yaml", fmt.Sprintf("crew: claude\nrunners:\n  claude:\n    kind: claude\n    command: %q\n    workspace: %q\n", d.wrapped(), d.project))
	for i, part := range []struct {
		prompt, answer string
		end            func()
	}{
		{"[one] Begin.", "One.", d.close},
		{"[two] Go on.", "Two.", func() {
			_ = d.office.Process.Kill()
			_ = d.office.Wait()
		}},
		{"[three] And on.", "Three.", d.close},
	} {
		d.open("--crew", "claude", "--config", config)
		if got := d.calls(part.prompt); got != part.answer {
			t.Errorf("answer %d is %q", i, got)
		}
		part.end()
	}
	if got, want := d.prompts(), []string{"[one] Begin.", "[two] Go on.", "[three] And on."}; !slices.Equal(got, want) || len(d.transcripts()) != 1 {
		t.Errorf("%q in %q", got, d.transcripts())
	}
	for _, path := range d.transcripts() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	d.open("--crew", "claude", "--config", config)
	if got := d.calls("[one] Begin again."); !strings.HasPrefix(got, "(The earlier conversation could not be taken up") || !strings.HasSuffix(got, "One.") {
		t.Errorf("%q", got)
	}
	if got := d.calls("[two] Go on."); got != "Two." {
		t.Errorf("%q", got)
	}
}
