package root_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/repo/root"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := filepath.Join(names...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A directory belongs to the repository around it, a linked worktree to the repository that it was
// made from, and a submodule to itself.
func TestRepositoryOfADirectory(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shop := folder(t, home, "src", "shop")
	git(t, home, "init", "-q")
	git(t, shop, "init", "-q")
	git(t, shop, "commit", "-q", "--allow-empty", "-m", "first")
	git(t, shop, "worktree", "add", "-q", filepath.Join(home, "tree"))
	git(t, shop, "clone", "-q", "--bare", ".", filepath.Join(home, "bare.git"))
	git(t, filepath.Join(home, "bare.git"), "worktree", "add", "-q", filepath.Join(home, "of-bare"))
	git(t, shop, "submodule", "--quiet", "add", filepath.Join(home, "bare.git"), "part")
	broken := folder(t, home, "broken")
	if err := os.WriteFile(filepath.Join(broken, ".git"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, want string }{
		{shop, shop},
		{folder(t, shop, "web", "src"), shop},
		{filepath.Join(shop, "deleted", "since"), shop},
		{folder(t, home, "tree", "web"), shop},
		{filepath.Join(home, "of-bare"), filepath.Join(home, "bare.git")},
		{filepath.Join(shop, "part"), filepath.Join(shop, "part")},
		{broken, broken},
		{folder(t, home, "notes"), ""},
		{home, ""},
		{"src/shop", ""},
		{"", ""},
	} {
		if got, ok := root.Of(c.dir, home); got != c.want || ok != (c.want != "") {
			t.Errorf("repository of %q is %q, want %q", c.dir, got, c.want)
		}
	}
}
