//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in a directory as a person would.
func (d *desk) git(dir string, args ...string) string {
	d.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(d.environment(), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// task waits until the only task of the office satisfies cond, and returns it.
func (d *desk) task(what string, cond func(message) bool) (found message) {
	d.t.Helper()
	until(d.t, what, func() bool {
		for _, t := range list(d.get("/v1/state")["tasks"]) {
			found = t
		}
		return found != nil && cond(found)
	})
	return found
}

// must sends a command as the operator, and fails the test if it is refused.
func (d *desk) must(name string, data message) {
	d.t.Helper()
	if m := d.give(d.operator(), name, data); m.str("type") != "ack" {
		d.t.Fatalf("%s was refused: %v", name, m)
	}
}

// Real Claude Code works on a task in a git worktree. A failed check is sent back to it. When the
// check passes, the delivery is proven, a person approves it, and it lands in the branch that the
// person has checked out. Another edit makes the verdict stale.
func TestClaudeInARepository(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	const done = "```json\n{\"summary\": \"Done.\"}\n```"
	d.model.other = func(prompt string, step int) reply {
		switch {
		case strings.Contains(prompt, `"tasks"`):
			return says("```json\n" + `{"summary":"One task.","tasks":[{"title":"Say two","kind":"code"}]}` + "\n```")
		case strings.Contains(prompt, "These failed"):
			if strings.Count(prompt, "Done.") > 1 || step > 2 {
				return says(done)
			}
			return reply{calls("Bash", message{"command": "cp two.txt a.txt", "description": "correct the file"})}
		case step == 0:
			return reply{calls("Bash", message{"command": "cp three.txt a.txt", "description": "change the file"})}
		}
		return says(done)
	}
	for _, word := range []string{"two", "three"} {
		d.file("shop/"+word+".txt", word+"\n")
	}
	d.file("shop/a.txt", "one\n")
	d.file("shop/.bullpen.yaml", "checks:\n  - name: unit\n    command: grep two a.txt || { echo a.txt must say two; exit 3; }\n")
	d.git(d.project, "init", "--quiet", "--initial-branch=main")
	d.git(d.project, "add", "--all")
	d.git(d.project, "commit", "--quiet", "-m", "first")
	d.file("shop/notes.txt", "a change that the person has not committed\n")
	d.file("home/bullpen.yaml", fmt.Sprintf("runners:\n  claude:\n    kind: claude\n    command: %q\npolicy:\n  - {id: edit, effect: allow, tool: exec, command: cp three.txt a.txt}\n  - {id: correct, effect: allow, tool: exec, command: cp two.txt a.txt}\n", d.claude))
	d.open("--crew", "claude", "--config", filepath.Join(d.home, "bullpen.yaml"), "--pace", "100")
	d.must("add_repo", message{"path": d.project})
	d.must("submit_request", message{"text": "Let a.txt say two.", "auto_assign": true, "repo": "shop"})

	task := d.task("the task is delivered", func(t message) bool { return t.str("status") == "review" })
	if task.str("verdict") != "proven" {
		t.Errorf("the verdict is %v", task)
	}
	made := list(d.get("/v1/state")["artifacts"])
	if len(made) != 1 || made[0].str("type") != "patch" || !strings.Contains(content(t, d.addr, made[0].str("artifact_id")), "-one\n+two\n") {
		t.Fatalf("delivered %v", made)
	}
	if d.git(d.project, "rev-parse", "main^{tree}") == task.str("tree") || d.git(d.project, "show", "main:a.txt") != "one" {
		t.Error("the person's branch changed before the approval")
	}
	d.must("approve_artifact", message{"artifact_id": made[0].str("artifact_id")})
	d.must("land_task", message{"task_id": task.str("task_id"), "how": "squash"})
	task = d.task("the work is landed", func(t message) bool { return t.at("landing.status") == "landed" })
	if got := d.git(d.project, "show", "main:a.txt"); got != "two" || d.git(d.project, "rev-parse", "main") != task.at("landing.commit") {
		t.Errorf("main says %q: %v", got, task["landing"])
	}
	if got := d.git(d.project, "status", "--porcelain"); got != "M notes.txt" {
		t.Errorf("the person's working tree: %q", got)
	}
	dir, _ := task.at("worktree.dir").(string)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("two and more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.task("the verdict is stale", func(t message) bool { return t.str("verdict") == "only_said" })
}
