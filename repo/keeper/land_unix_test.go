//go:build unix

package keeper_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Delivered work lands exactly once with each landing method.
func TestLand(t *testing.T) {
	t.Parallel()
	for how, commits := range map[contracts.LandHow]string{contracts.LandMerge: "3", contracts.LandSquash: "1", contracts.LandRebase: "2"} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			first := r.git("rev-parse", "main")
			dir := r.prepare()
			r.put(dir, "a.txt", "two\n")
			r.git("-C", dir, "commit", "--quiet", "--all", "-m", "by the agent")
			r.put(dir, "new.txt", "new\n")
			tree := r.deliver()
			r.run(r.config())
			if dry, ok := r.land(contracts.Landing{How: how, DryRun: true}).(contracts.Landed); !ok || dry.Commit != "" || r.git("rev-parse", "main") != first {
				t.Fatalf("a dry run ended with %+v; main is %s", dry, r.git("rev-parse", "main"))
			}
			landed, ok := r.land(contracts.Landing{How: how}).(contracts.Landed)
			if !ok || landed.Commit != r.git("rev-parse", "main") || r.git("rev-parse", "main^{tree}") != tree {
				t.Fatalf("%+v; main is %s", landed, r.git("rev-parse", "main"))
			}
			if got := r.git("rev-list", "--count", first+"..main"); got != commits {
				t.Errorf("%s commits, want %s", got, commits)
			}
			again, ok := r.land(contracts.Landing{How: how}).(contracts.Landed)
			if !ok || again.Commit != landed.Commit || r.git("rev-parse", "main") != landed.Commit {
				t.Errorf("landed again: %+v; main is %s", again, r.git("rev-parse", "main"))
			}
		})
	}
}

// If the target branch has moved, its commits are merged into the task's files and the checks run
// again; the next request lands the result. A dry run only reports that this would happen. The new
// version of the patch contains the task's changes, but not those on the target branch.
func TestLandAfterTheTargetMoved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put(r.prepare(), "a.txt", "two\n")
	delivered := r.deliver()
	r.put(r.shop, "other.txt", "other\n")
	moved := r.commit("second")
	r.run(r.config())
	dry, ok := r.land(contracts.Landing{How: contracts.LandSquash, DryRun: true}).(contracts.LandingFailed)
	if !ok || !strings.Contains(dry.Reason, "main has new commits: landing would merge them") || r.task().Tree != delivered {
		t.Fatalf("a dry run ended with %+v", dry)
	}
	failed, ok := r.land(contracts.Landing{How: contracts.LandSquash}).(contracts.LandingFailed)
	if !ok || !strings.Contains(failed.Reason, "main had new commits") || r.git("rev-parse", "main") != moved {
		t.Fatalf("%+v; main is %s", failed, r.git("rev-parse", "main"))
	}
	task := r.task()
	if task.Tree == delivered || task.Verdict != contracts.VerdictProven || task.Worktree.Base != moved {
		t.Fatalf("after the update: %+v", task)
	}
	patch := failed.Patch
	if patch == nil || patch.Tree != task.Tree || patch.Base != moved || *patch.Stat != (contracts.DiffStat{Files: 1, Added: 1, Deleted: 1}) {
		t.Fatalf("the new version is %+v", patch)
	}
	if content := r.blobs.kept[patch.SHA256]; len(content) != patch.Bytes || !strings.Contains(content, "+two\n") || strings.Contains(content, "other.txt") {
		t.Errorf("the new version has %d bytes:\n%s", patch.Bytes, content)
	}
	if landed, ok := r.land(contracts.Landing{How: contracts.LandSquash}).(contracts.Landed); !ok || r.git("rev-parse", "main^{tree}") != task.Tree {
		t.Errorf("%+v", landed)
	}
	if got := r.git("show", "main:a.txt") + " " + r.git("show", "main:other.txt"); got != "two other" {
		t.Errorf("main says %q", got)
	}
}

// Conflicts are reported with their paths, and change nothing.
func TestLandWithConflicts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dir := r.prepare()
	r.put(dir, "a.txt", "two\n")
	r.deliver()
	r.put(r.shop, "a.txt", "three\n")
	moved := r.commit("second")
	r.run(r.config())
	for _, dry := range []bool{true, false} {
		failed, _ := r.land(contracts.Landing{How: contracts.LandMerge, DryRun: dry}).(contracts.LandingFailed)
		if diff := cmp.Diff([]string{"a.txt"}, failed.Conflicts); diff != "" || r.git("rev-parse", "main") != moved || r.git("-C", dir, "status", "--porcelain") != "M a.txt" {
			t.Errorf("dry run %v: %+v", dry, failed)
		}
	}
}

// A ref that an agent made does not make its work count as landed.
func TestForgedLanding(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dir := r.prepare()
	r.put(dir, "a.txt", "two\n")
	tree := r.deliver()
	for i, forged := range []string{"main", "main^{tree}"} {
		r.git("update-ref", "refs/bullpen/"+filepath.Base(dir)+"/landing-"+tree+"/"+string(rune('1'+i)), r.git("rev-parse", forged))
	}
	r.run(r.config())
	if landed, ok := r.land(contracts.Landing{How: contracts.LandSquash}).(contracts.Landed); !ok || r.git("show", "main:a.txt") != "two" {
		t.Errorf("%+v; main says %s", landed, r.git("show", "main:a.txt"))
	}
}

// Two offices can work on the same repository.
func TestTwoOffices(t *testing.T) {
	t.Parallel()
	first := newRig(t)
	second := &rig{T: t, shop: first.shop}
	second.open("office_2")
	for r, name := range map[*rig]string{first: "b.txt", second: "c.txt"} {
		dir := r.prepare()
		r.put(dir, "a.txt", "two\n")
		r.put(dir, name, name)
		r.deliver()
		r.run(r.config())
	}
	if landed, ok := first.land(contracts.Landing{How: contracts.LandSquash}).(contracts.Landed); !ok {
		t.Fatalf("the first office: %+v", landed)
	}
	if failed, ok := second.land(contracts.Landing{How: contracts.LandSquash}).(contracts.LandingFailed); !ok || !strings.Contains(failed.Reason, "had new commits") {
		t.Fatalf("the second office: %+v", failed)
	}
	if landed, ok := second.land(contracts.Landing{How: contracts.LandSquash}).(contracts.Landed); !ok || first.git("ls-tree", "--name-only", "main") != ".bullpen.yaml\na.txt\nb.txt\nc.txt" {
		t.Errorf("%+v; main has %s", landed, first.git("ls-tree", "--name-only", "main"))
	}
}
