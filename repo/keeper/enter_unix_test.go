//go:build unix

package keeper_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/keeper"
)

// A keeper does nothing in a worktree while a program that an earlier run of the office started there is
// still running.
func TestPrepareWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dir := r.prepare()
	p, err := process.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", "sleep 1; echo late > a.txt"}, Dir: dir, Env: os.Environ()})
	r.must(err)
	defer p.Stop(0)
	r.keeper = keeper.New(r.config())
	r.prepare()
	if content, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(content) != "late\n" {
		t.Errorf("%q, %v", content, err)
	}
	if !r.has("late\n") {
		t.Error("what the program wrote was not saved")
	}
}
