//go:build unix

package openai

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// A model that works in a worktree is told that its changes are delivered as a patch and which
// checks are run. A failed check is sent to the model as such, not as an invalid answer.
func TestModelInAWorktree(t *testing.T) {
	var prompts []string
	b := newBench(t, func(c drivetest.Call) drivetest.Answer {
		prompts = append(prompts, c.Prompt)
		return drivetest.Answer{Text: `{"question":null,"artifacts":[],"follow_ups":[]}`}
	})
	job := taskJob()
	job.Task.Worktree = &contracts.Worktree{Repo: "shop", Branch: "bullpen/p1-t1", Checks: []contracts.Check{{Name: "unit", Command: "go test ./..."}}}
	s, err := b.Open(t.Context(), drive.Spec{AgentID: job.AgentID, Workspace: b.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := drive.Prompt{Form: drive.FormResult, Work: &contracts.Work{AgentID: job.AgentID, Project: job.Project, Task: &job.TaskWork}}
	for _, text := range []string{"", "These checks failed: unit"} {
		p.Text, p.RetryReason, p.Continue = text, text, text != ""
		if _, err := s.Turn(t.Context(), p, b.sink); err != nil {
			t.Fatal(err)
		}
	}
	if len(prompts) != 2 {
		t.Fatalf("prompts: %q", prompts)
	}
	for _, part := range []string{"a git worktree of the repository shop", "bullpen/p1-t1", "delivered as a patch", "- unit: go test ./..."} {
		if !strings.Contains(prompts[0], part) {
			t.Errorf("the prompt lacks %q:\n%s", part, prompts[0])
		}
	}
	if !strings.HasPrefix(prompts[1], "These checks failed: unit") || strings.Contains(prompts[1], "cannot be used") {
		t.Errorf("after a failed check: %q", prompts[1])
	}
}
