//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/bullpen-office/bullpen/repo/git"
)

// treeRuns is the number of measurements for one sample of a contestant. The sample is their
// median.
const treeRuns = 5

// runTree measures operations on a working tree after one of its files has been edited: computing
// the tree's hash, taking a snapshot, and computing the hash for a proof. The proof reads all files
// again.
func runTree(ctx context.Context, b *bench) error {
	files := 50_000
	if b.quick {
		files = 5_000
	}
	w := &workTree{dir: filepath.Join(b.dir, "tree"), files: files}
	if err := w.create(ctx); err != nil {
		return err
	}
	repo, err := git.Open(ctx, w.dir)
	if err != nil {
		return err
	}
	contestants := []struct {
		metric string // empty for git status, the baseline for all other measurements
		runs   int
		run    func() error
	}{
		{"", treeRuns, func() error { return w.git(ctx, nil, "status", "--porcelain") }},
		{"hash, ms", treeRuns, func() error { _, err := repo.Tree(ctx); return err }},
		{"snapshot, ms", treeRuns, func() error { _, err := repo.Snapshot(ctx, "bench", "measured"); return err }},
		{"hash for a proof, ms", 1, func() error { _, err := repo.ExactTree(ctx); return err }},
	}
	for range b.reps {
		samples := map[string][]float64{}
		for i := range treeRuns {
			for _, c := range contestants {
				if i >= c.runs {
					continue
				}
				if err := w.edit(); err != nil {
					return err
				}
				began := time.Now()
				if err := c.run(); err != nil {
					return err
				}
				samples[c.metric] = append(samples[c.metric], time.Since(began).Seconds()*1e3)
			}
		}
		for _, c := range contestants[1:] {
			b.sheet.add("tree", c.metric, ours, median(samples[c.metric]))
			b.sheet.add("tree", c.metric, raw, median(samples[""]))
		}
	}
	return nil
}

// workTree is a generated git repository with a hundred files per directory.
type workTree struct {
	dir   string
	files int
	edits int
}

func (w *workTree) name(i int) string {
	return fmt.Sprintf("part%02d/package%03d/file%02d.txt", i/5000, i/100, i%100)
}

// create makes the repository with one commit, packed as in a clone, and checks it out.
func (w *workTree) create(ctx context.Context) error {
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		return err
	}
	var in bytes.Buffer
	fmt.Fprint(&in, "commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 5\nfirst\n")
	for i := range w.files {
		content := bytes.Repeat(fmt.Appendf(nil, "line of file %d\n", i), 40)
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", w.name(i), len(content), content)
	}
	for _, step := range []struct {
		in   []byte
		args []string
	}{
		{nil, []string{"init", "--quiet", "--initial-branch=main"}},
		{in.Bytes(), []string{"fast-import", "--quiet"}},
		{nil, []string{"checkout", "--quiet", "--force", "main"}},
		{nil, []string{"status", "--porcelain"}}, // refreshes the index and fills the page cache
	} {
		if err := w.git(ctx, step.in, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs git without the user's or the system's configuration.
func (w *workTree) git(ctx context.Context, in []byte, args ...string) error {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir, c.Stdin = w.dir, bytes.NewReader(in)
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

// edit changes one file, always the same one.
func (w *workTree) edit() error {
	w.edits++
	return os.WriteFile(filepath.Join(w.dir, w.name(0)), fmt.Appendf(nil, "edit %d\n", w.edits), 0o600)
}
