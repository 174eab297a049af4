//go:build unix

package e2e_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// golang runs the go command, and returns its output without the last line break.
func golang(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// clone makes a git repository from a module that the product uses, with the checks that the office
// proposes, and returns its directory.
func (d *desk) clone(module string) string {
	d.t.Helper()
	dir := filepath.Join(filepath.Dir(d.home), filepath.Base(module))
	if err := os.CopyFS(dir, os.DirFS(golang(d.t, "list", "-m", "-f", "{{.Dir}}", module))); err != nil {
		d.t.Fatal(err)
	}
	d.git(dir, "init", "--quiet", "--initial-branch=main")
	out, _ := d.command(d.bullpen, "check", dir).CombinedOutput() // fails, because there are no checks
	_, proposal, ok := strings.Cut(string(out), "add them to .bullpen.yaml:\n")
	if !ok || !strings.Contains(proposal, "go test ./...") {
		d.t.Fatalf("proposed %s", out)
	}
	if err := os.WriteFile(filepath.Join(dir, ".bullpen.yaml"), []byte(proposal), 0o600); err != nil {
		d.t.Fatal(err)
	}
	d.git(dir, "add", "--all")
	d.git(dir, "commit", "--quiet", "-m", "first")
	return dir
}

const (
	zeroFile = "package uuid\n\n// IsZero reports whether uuid is Nil.\nfunc (uuid UUID) IsZero() bool { return uuid == Nil }\n"
	goodLine = "dst[8] = '-'"
	badLine  = "dst[8] = '_'"
)

// playModule plays a model that adds a file to github.com/google/uuid and breaks uuid.go. If a check
// fails, the model repairs uuid.go.
func playModule(c drivetest.Call) drivetest.Answer {
	edit := func(from, to string) drivetest.ToolCall {
		return drivetest.ToolCall{ID: "edit", Name: "edit_file", Args: jsonText(message{"path": "uuid.go", "old_string": from, "new_string": to})}
	}
	switch {
	case len(c.Tools) == 0:
		return drivetest.Answer{Text: `{"summary":"One task.","tasks":[{"title":"Add IsZero","description":"Add a method.","kind":"code","priority":1}]}`}
	case len(c.Results) > 0:
		return drivetest.Answer{Text: `{"question":null,"artifacts":[],"follow_ups":[]}`}
	case strings.Contains(c.Prompt, "These failed"):
		return drivetest.Answer{Calls: []drivetest.ToolCall{edit(badLine, goodLine)}}
	}
	return drivetest.Answer{Calls: []drivetest.ToolCall{edit(goodLine, badLine), {ID: "write", Name: "write_file", Args: jsonText(message{"path": "zero.go", "content": zeroFile})}}}
}

// A model changes a public Go module that has its own test suite. The first version breaks a test, and
// the model receives the output of that test. The second version passes all tests and lands.
func TestRealModule(t *testing.T) {
	t.Parallel()
	model := &drivetest.Completions{Script: playModule}
	endpoint := httptest.NewServer(model)
	defer endpoint.Close()
	d := newBareDesk(t)
	d.extra = []string{"GOCACHE=" + golang(t, "env", "GOCACHE"), "GOMODCACHE=" + golang(t, "env", "GOMODCACHE"), "GOPROXY=off", "GOFLAGS=", "GOTOOLCHAIN=local"}
	dir := d.clone("github.com/google/uuid")
	d.file("home/bullpen.yaml", fmt.Sprintf("runners:\n  local: {kind: openai, base_url: %q, model: model-a, mode: edit}\n", endpoint.URL+"/v1"))
	d.open("--crew", "local", "--config", filepath.Join(d.home, "bullpen.yaml"), "--pace", "100")
	d.must("add_repo", message{"path": dir})
	d.must("submit_request", message{"text": "Add a method IsZero.", "auto_assign": true, "repo": "uuid"})

	task := d.task("the task is delivered", func(t message) bool { return t.str("status") == "review" })
	if task.str("verdict") != "proven" {
		t.Errorf("the verdict is %v", task)
	}
	sentBack := slices.ContainsFunc(model.Calls(), func(c drivetest.Call) bool {
		return strings.Contains(c.Prompt, "These failed") && strings.Contains(c.Prompt, "go test ./...") && strings.Contains(c.Prompt, "--- FAIL: Test")
	})
	if !sentBack {
		t.Error("the model did not get the output of the failed tests")
	}
	made := list(d.get("/v1/state")["artifacts"])
	if len(made) != 1 {
		t.Fatalf("delivered %v", made)
	}
	d.must("approve_artifact", message{"artifact_id": made[0].str("artifact_id")})
	d.must("land_task", message{"task_id": task.str("task_id"), "how": "squash"})
	d.task("the work is landed", func(t message) bool { return t.at("landing.status") == "landed" })
	if got := d.git(dir, "diff", "--name-status", "HEAD~1", "HEAD"); got != "A\tzero.go" {
		t.Errorf("landed %s", got)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "zero.go")); err != nil || string(got) != zeroFile {
		t.Errorf("zero.go is %q, %v", got, err)
	}
}
