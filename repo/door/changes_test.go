package door_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/door"
)

// shop is a repository with the trees of two deliveries, and the office's records about it.
type shop struct {
	*testing.T
	dir       string
	artifacts map[string]contracts.Artifact
	task      contracts.Task
	repo      contracts.Repo
	broken    error // why no deliverable can be read
}

func newShop(t *testing.T) *shop {
	s := &shop{T: t, dir: t.TempDir(), artifacts: map[string]contracts.Artifact{}}
	s.git("init", "--quiet", "--initial-branch=main")
	base := s.save("one\n")
	s.repo = contracts.Repo{Name: "shop", Path: s.dir}
	s.task = contracts.Task{TaskID: "task_t1", Worktree: &contracts.Worktree{Repo: "shop", Base: base}}
	for i, text := range []string{"two\n", "two\nthree\n"} {
		commit := s.save(text)
		id, parent := []string{"art_a1", "art_a2"}[i], []string{"", "art_a1"}[i]
		s.artifacts[id] = contracts.Artifact{ArtifactID: id, TaskID: "task_t1", Version: i + 1, Parent: parent, SHA256: "stored", Tree: s.git("rev-parse", commit+"^{tree}"), Base: base}
	}
	return s
}

func (s *shop) git(args ...string) string {
	s.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// save commits a.txt with the given text and returns the commit.
func (s *shop) save(text string) string {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	s.git("add", "--all")
	s.git("commit", "--quiet", "-m", "save")
	return s.git("rev-parse", "HEAD")
}

func (s *shop) change(id string, edit func(*contracts.Artifact)) {
	a := s.artifacts[id]
	edit(&a)
	s.artifacts[id] = a
}

func (s *shop) get(path string) *httptest.ResponseRecorder {
	d := door.New(door.Config{
		Node: "local", Log: slog.New(slog.DiscardHandler),
		Task: func(id string) (contracts.Task, bool) { return s.task, id == s.task.TaskID },
		Repo: func(name string) (contracts.Repo, bool) { return s.repo, name == s.repo.Name },
		Artifact: func(_ context.Context, id string) (contracts.Artifact, bool, error) {
			a, ok := s.artifacts[id]
			return a, ok, s.broken
		},
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/artifacts/{id}/changes", d.ServeChanges)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(s.Context(), "GET", "/v1/artifacts/"+path, nil))
	return w
}

// Two versions of a patch are compared by their files, not by the text of the patches.
func TestChangesBetweenVersions(t *testing.T) {
	s := newShop(t)
	for _, path := range []string{"art_a2/changes", "art_a2/changes?since=art_a1"} {
		got := s.get(path)
		if body := got.Body.String(); got.Code != http.StatusOK || !strings.Contains(body, "@@ -1 +1,2 @@\n two\n+three\n") || strings.Contains(body, "one") {
			t.Errorf("%s: %d %s", path, got.Code, body)
		}
	}
	if got := s.get("art_a1/changes?since=art_a2"); !strings.Contains(got.Body.String(), "-three\n") {
		t.Errorf("backwards: %d %s", got.Code, got.Body)
	}
	s.change("art_a2", func(a *contracts.Artifact) { a.Tree = s.artifacts["art_a1"].Tree })
	if got := s.get("art_a2/changes"); got.Code != http.StatusOK || got.Body.Len() != 0 {
		t.Errorf("equal versions: %d %q", got.Code, got.Body)
	}
}

// If versions cannot be compared, the response explains why.
func TestChangesThatCannotBeShown(t *testing.T) {
	other := func(id string, edit func(*contracts.Artifact)) func(*shop) {
		return func(s *shop) { s.change(id, edit) }
	}
	for name, c := range map[string]struct {
		edit  func(*shop)
		path  string
		code  int
		words string
	}{
		"unknown version":  {path: "art_a3/changes", code: http.StatusNotFound, words: `no deliverable \"art_a3\"`},
		"broken ledger":    {func(s *shop) { s.broken = errors.New("disk failure") }, "art_a2/changes", http.StatusServiceUnavailable, "cannot be read right now"},
		"first version":    {path: "art_a1/changes", code: http.StatusConflict, words: "first version"},
		"another task":     {other("art_a1", func(a *contracts.Artifact) { a.TaskID = "task_t2" }), "art_a2/changes", http.StatusConflict, "different tasks"},
		"no patch":         {other("art_a1", func(a *contracts.Artifact) { a.Tree = "" }), "art_a2/changes", http.StatusConflict, "not a patch"},
		"redacted":         {other("art_a1", func(a *contracts.Artifact) { a.SHA256 = "" }), "art_a2/changes", http.StatusConflict, "redacted"},
		"tree is gone":     {other("art_a1", func(a *contracts.Artifact) { a.Tree = strings.Repeat("a", 40) }), "art_a2/changes", http.StatusConflict, "no longer in the repository"},
		"archived project": {func(s *shop) { s.task.TaskID = "task_t9" }, "art_a2/changes", http.StatusNotFound, "archived"},
		"removed repo":     {func(s *shop) { s.repo.Name = "other" }, "art_a2/changes", http.StatusNotFound, "was removed"},
		"other node":       {func(s *shop) { s.repo.Node = "far" }, "art_a2/changes", http.StatusConflict, "on the node far"},
		"no directory":     {func(s *shop) { s.repo.Path += "/gone" }, "art_a2/changes", http.StatusConflict, "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			if c.edit != nil {
				c.edit(s)
			}
			if got := s.get(c.path); got.Code != c.code || !strings.Contains(got.Body.String(), c.words) {
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
	}
}
