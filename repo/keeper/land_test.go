package keeper

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

type facts []contracts.Fact

func (f *facts) Record(_ context.Context, fact contracts.Fact) error {
	*f = append(*f, fact)
	return nil
}

func (*facts) PutBlob(context.Context, []byte) (string, error) { return "hash", nil }

// A landing that was interrupted after it brought new commits from the target branch into the
// worktree is not repeated with the old files, because that would undo those commits.
func TestInterruptedUpdate(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	shop := filepath.Join(home, "shop")
	must(t, os.Mkdir(shop, 0o700))
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", shop, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(file string) string {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(shop, file), []byte(file), 0o600))
		git("add", "--all")
		git("commit", "--quiet", "-m", file)
		return git("rev-parse", "HEAD")
	}
	git("init", "--quiet", "--initial-branch=main")
	commit("first")
	seen := &facts{}
	k := New(Config{Dir: filepath.Join(home, "worktrees"), ID: "office_1", Office: seen, Blobs: seen})
	row := task{contracts.Task{TaskID: "task_t1", ProjectID: "proj_p1"}, contracts.Repo{Name: "shop", Path: shop}, ""}
	w, err := k.open(t.Context(), row.Task, row.Repo)
	must(t, err)
	row.Worktree = &contracts.Worktree{Repo: "shop", Dir: w.Dir, Branch: w.Branch, Base: w.Base, Target: w.Target}
	must(t, os.WriteFile(filepath.Join(w.Dir, "new"), nil, 0o600))
	saved, err := w.Snapshot(t.Context(), "delivered")
	must(t, err)
	row.Landing = &contracts.Landing{Number: 1, How: worktree.Squash, Tree: saved.Tree, Status: contracts.LandRequested}
	moved := commit("second")
	must(t, w.Update(t.Context(), "update", saved.Tree)) // then the office is killed
	outcome, ok := k.land(t.Context(), row).(contracts.LandingFailed)
	if !ok || !strings.Contains(outcome.Reason, "had new commits") || outcome.Patch == nil || git("rev-parse", "main") != moved {
		t.Fatalf("%+v; main has %s", outcome, git("ls-tree", "--name-only", "main"))
	}
	merged := (*seen)[0].(contracts.TreeSeen)
	if merged.Base != moved {
		t.Errorf("the base of the merged files is %q, want %s", merged.Base, moved)
	}
	must(t, os.WriteFile(filepath.Join(w.Dir, "edited"), nil, 0o600)) // by the agent, before the office starts again
	outcome, _ = k.land(t.Context(), row).(contracts.LandingFailed)
	if edited := (*seen)[len(*seen)-1].(contracts.TreeSeen); edited.Base != "" || edited.Tree == merged.Tree || outcome.Patch != nil {
		t.Errorf("edited files count as merged by the office: %+v, %+v", edited, outcome)
	}
	must(t, os.Remove(filepath.Join(w.Dir, "edited")))
	recorded := *row.Worktree
	recorded.Base = moved
	row.Worktree, row.updatedTree = &recorded, merged.Tree // then the office is killed before it records the end
	outcome, _ = k.land(t.Context(), row).(contracts.LandingFailed)
	if git("rev-parse", "main") != moved || outcome.Patch == nil || outcome.Patch.Tree != merged.Tree || outcome.Patch.Base != moved {
		t.Fatalf("%+v; main has %s", outcome, git("ls-tree", "--name-only", "main"))
	}
	row.Landing.Tree = merged.Tree
	if landed, ok := k.land(t.Context(), row).(contracts.Landed); !ok || git("ls-tree", "--name-only", "main") != "first\nnew\nsecond" {
		t.Errorf("%+v; main has %s", landed, git("ls-tree", "--name-only", "main"))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
