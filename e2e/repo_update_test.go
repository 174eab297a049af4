//go:build unix

package e2e_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// playUpdate plays a model that plans one task, writes a file, and finds no problems in the patches
// it reviews.
func playUpdate(c drivetest.Call) drivetest.Answer {
	switch {
	case strings.Contains(c.Prompt, "Review the change."):
		return drivetest.Answer{Text: `{"summary":"Fine.","findings":[]}`}
	case len(c.Tools) == 0:
		return drivetest.Answer{Text: `{"summary":"One task.","tasks":[{"title":"Say two","description":"Do it.","kind":"code","priority":1}]}`}
	case len(c.Results) > 0:
		return drivetest.Answer{Text: `{"question":null,"artifacts":[],"follow_ups":[]}`}
	}
	return drivetest.Answer{Calls: []drivetest.ToolCall{{ID: "write", Name: "write_file", Args: jsonText(message{"path": "a.txt", "content": "two\n"})}}}
}

// version waits until version n of the only patch is the newest and an agent has reviewed it.
func (d *desk) version(n float64) (found message) {
	d.t.Helper()
	until(d.t, fmt.Sprintf("version %v is reviewed", n), func() bool {
		for _, a := range list(d.get("/v1/state")["artifacts"]) {
			found = a
		}
		reviews := list(found["reviews"])
		return found["version"] == n && len(reviews) == 1 && reviews[0].str("status") == "commented"
	})
	return found
}

// A request requires a review and an approval. When the target branch has moved, both are required
// again for a new version of the patch, and exactly that version lands.
func TestAcceptedAgainInARepository(t *testing.T) {
	t.Parallel()
	endpoint := httptest.NewServer(&drivetest.Completions{Script: playUpdate})
	defer endpoint.Close()
	d := newBareDesk(t)
	commit := func(file, text string) string {
		t.Helper()
		d.file("shop/"+file, text)
		d.git(d.project, "add", "--all")
		d.git(d.project, "commit", "--quiet", "-m", file)
		return d.git(d.project, "rev-parse", "HEAD")
	}
	d.git(d.project, "init", "--quiet", "--initial-branch=main")
	d.file("shop/.bullpen.yaml", "checks:\n  - name: unit\n    command: grep two a.txt\n")
	commit("a.txt", "one\n")
	d.file("home/bullpen.yaml", fmt.Sprintf("runners:\n  local: {kind: openai, base_url: %q, model: model-a, mode: edit}\n", endpoint.URL+"/v1"))
	d.open("--crew", "local", "--config", filepath.Join(d.home, "bullpen.yaml"), "--pace", "100")
	d.must("add_repo", message{"path": d.project})
	d.must("submit_request", message{"text": "Let a.txt say two.", "auto_assign": true, "repo": "shop", "accept": []string{"agent", "person"}})
	proven := func(t message) bool { return t.str("status") == "done" && t.str("verdict") == "proven" }

	first := d.version(1)
	d.must("approve_artifact", message{"artifact_id": first.str("artifact_id")})
	task := d.task("the work is proven", proven)
	moved := commit("other.txt", "other\n")
	land := message{"task_id": task.str("task_id"), "how": "squash"}
	d.must("land_task", land)

	second := d.version(2)
	id := second.str("artifact_id")
	if second.str("base") != moved || second.str("parent") != first.str("artifact_id") || second.str("tree") == first.str("tree") {
		t.Errorf("the new version is %v", second)
	}
	if patch := content(t, d.addr, id); !strings.Contains(patch, "-one\n+two\n") || strings.Contains(patch, "other") {
		t.Errorf("the new version has\n%s", patch)
	}
	if changes := fetch(t, d.addr, "/v1/artifacts/"+id+"/changes"); !strings.Contains(changes, "+other\n") || strings.Contains(changes, "two") {
		t.Errorf("between the versions:\n%s", changes)
	}
	if task = d.task("the new version waits", func(t message) bool { return t.str("status") == "review" }); task.str("verdict") != "partly" {
		t.Errorf("before the second approval: %v", task)
	}
	if m := d.give(d.operator(), "land_task", land); m.str("type") == "ack" {
		t.Error("files were landed that nobody approved")
	}
	d.must("approve_artifact", message{"artifact_id": id})
	d.task("the work is proven again", proven)
	d.must("land_task", land)
	d.task("the work is landed", func(t message) bool { return t.at("landing.status") == "landed" })
	if d.git(d.project, "rev-parse", "main^{tree}") != second.str("tree") || d.git(d.project, "rev-parse", "main~1") != moved {
		t.Errorf("main has\n%s", d.git(d.project, "log", "--stat", "main"))
	}
}
