//go:build unix

package keeper_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/keeper"
)

// A keeper does nothing in a worktree while a program started there by an earlier run of the
// office is still running.
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

// A program that does not end delays only the task in whose worktree it runs.
func TestPrepareWaitsForOneWorktree(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p, err := process.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", "sleep 600"}, Dir: r.prepare(), Env: os.Environ()})
	r.must(err)
	defer p.Stop(0)
	r.keeper = keeper.New(r.config())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, second := r.work(), r.work()
	second.Task.Task.TaskID, second.Task.Task.Worktree = "task_t2", nil
	ended := make(chan error, 1)
	go func() {
		_, err := r.keeper.Prepare(ctx, first)
		ended <- err
	}()
	time.Sleep(50 * time.Millisecond) // so that the first task is already waiting
	_, err = r.keeper.Prepare(ctx, second)
	r.must(err)
	select {
	case err := <-ended:
		t.Errorf("the first task did not wait: %v", err)
	default:
		cancel()
		<-ended
	}
}
