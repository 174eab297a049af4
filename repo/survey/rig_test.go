package survey

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// folder creates a folder with files and opens it.
func folder(t *testing.T, files map[string]string) *Folder {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir, files)
	return open(t, dir)
}

func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func list(t *testing.T, f *Folder) Listing {
	t.Helper()
	l, err := f.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func paths(l Listing) (out []string) {
	for _, f := range l.Files {
		out = append(out, f.Path)
	}
	return out
}

// runGit runs git with a fixed author and date.
func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
		"GIT_AUTHOR_DATE=2026-03-01T12:00:00Z", "GIT_COMMITTER_DATE=2026-03-01T12:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
