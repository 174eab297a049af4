package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// The rehearsal crew reports on the folder where the office was started, shows paths
// relative to it, and leaves the folder unchanged.
func TestRehearsalReportsOnItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	files := map[string]string{"go.mod": "module example.org/shop\n", "main.go": "package main\n\n// FIXME: closes too early\n", ".env": "PASSWORD=hunter2\n"}
	for name, text := range files {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := startRig(t, Config{Folder: dir})
	if reasons := r.dial("").journey(""); len(reasons) > 0 {
		t.Fatalf("blocked: %q", reasons)
	}
	seen := false
	for _, a := range r.view.State().Artifacts {
		_, text, _ := r.get("/v1/artifacts/"+a.ArtifactID+"/content", "")
		if strings.Contains(text, "hunter2") || strings.Contains(text, ".env") {
			t.Errorf("%s reveals a secret:\n%s", a.Title, text)
		}
		if a.Title == "Folder report" {
			seen = true
			for _, want := range []string{"`shop` has 2 files", "| Go | 1 | 3 |", "`go test ./...`, according to [`go.mod:1`](<./go.mod#L1>)", "[`main.go:3`](<./main.go#L3>) FIXME: closes too early"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing from\n%s", want, text)
				}
			}
		}
	}
	if !seen {
		t.Error("there is no folder report")
	}
	var labels []string
	for _, h := range r.facts("agent_research_1") {
		if h.Event == contracts.HUDToolEnd {
			labels = append(labels, h.Label)
		}
		if strings.Contains(string(h.Result), "go.mod\",\"viewerPath") && !strings.Contains(string(h.Result), `"viewerPath":"go.mod"`) {
			t.Errorf("the path is shown as in %s", h.Result)
		}
	}
	if got := strings.Join(labels, "; "); !strings.Contains(got, "👁 go.mod:L1–L1; search TODO|FIXME") {
		t.Errorf("the researcher shows %s", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		t.Errorf("the folder has changed: %v, %v", entries, err)
	}
}

// The default folder is the working directory.
func TestFolderDefault(t *testing.T) {
	dir, err := os.Getwd()
	if got := (Config{}).withDefaults().Folder; err != nil || got != dir {
		t.Errorf("folder %q, want %q, %v", got, dir, err)
	}
}
