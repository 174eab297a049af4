package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Files and directories of a git directory that describe an unfinished merge, rebase, cherry-pick,
// revert or bisect.
var stateNames = []string{
	"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD",
	"BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_NAMES", "rebase-merge", "rebase-apply", "sequencer",
}

// Names in a snapshot's state that are not names of files in a git directory.
const (
	stateIndex  = "bullpen/index"  // the index, as a file
	stateStages = "bullpen/stages" // the versions of files with conflicts
)

// state is what a working tree has besides its files and its commit.
type state struct {
	tree    string   // a tree with everything that follows
	parents []string // commits that the state refers to, so that they are kept
	index   string   // a tree with the staged files, without those that have conflicts
}

// readState stores the state of the working tree in the repository.
func (r *Repo) readState(ctx context.Context) (state, error) {
	staged, err := r.copyIndex()
	if err != nil {
		return state{}, err
	}
	defer staged.remove()
	kept, err := r.newIndex()
	if err != nil {
		return state{}, err
	}
	defer kept.remove()
	var s state
	entries := &bytes.Buffer{}
	files, err := r.stateFiles()
	if err != nil {
		return state{}, err
	}
	if raw, err := os.ReadFile(staged.path()); err == nil {
		files[stateIndex] = raw
	}
	for name, content := range files {
		blob, err := r.text(ctx, Call{Args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, In: content})
		if err != nil {
			return state{}, err
		}
		fmt.Fprintf(entries, "100644 blob %s\t%s\x00", blob, name)
	}
	if s.index, err = staged.writeMerged(ctx, entries); err != nil {
		return state{}, fmt.Errorf("the index of %s cannot be saved: %w", r.Top, err)
	}
	if _, err := kept.bytes(ctx, entries.Bytes(), "update-index", "-z", "--index-info"); err != nil {
		return state{}, err
	}
	if s.tree, err = kept.writeTree(ctx); err != nil {
		return state{}, err
	}
	s.parents, err = r.stateCommits(ctx, files)
	return s, err
}

// writeMerged writes the index as a tree, without files that have conflicts, and appends the
// versions of those files to entries.
func (x *index) writeMerged(ctx context.Context, entries *bytes.Buffer) (tree string, err error) {
	tree, err = x.writeTree(ctx)
	var failed *Error
	if !errors.As(err, &failed) {
		return tree, err
	}
	// git cannot write a tree of an index with conflicts.
	if err := x.dropUnmerged(ctx, entries); err != nil {
		return "", err
	}
	return x.writeTree(ctx)
}

// dropUnmerged removes files with conflicts from the index, and appends their versions to entries.
func (x *index) dropUnmerged(ctx context.Context, entries *bytes.Buffer) error {
	out, err := x.bytes(ctx, nil, "ls-files", "-z", "--unmerged")
	if err != nil {
		return err
	}
	drop := &bytes.Buffer{}
	for _, row := range split(out) {
		head, name, _ := strings.Cut(row, "\t")
		field := strings.Fields(head) // mode, hash, stage
		if len(field) != 3 {
			return fmt.Errorf("git ls-files printed an unexpected line: %q", row)
		}
		if field[0] != modeCommit { // a commit of a submodule is not in this repository
			fmt.Fprintf(entries, "%s blob %s\t%s\x00", field[0], field[1], path.Join(stateStages, field[2], name))
		}
		drop.WriteString(name + "\x00")
	}
	if drop.Len() == 0 {
		return nil
	}
	_, err = x.bytes(ctx, drop.Bytes(), "update-index", "-z", "--force-remove", "--stdin")
	return err
}

// stateFiles reads the files of an unfinished operation, by their path in the git directory.
func (r *Repo) stateFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	size := 0
	for _, name := range stateNames {
		err := filepath.WalkDir(filepath.Join(r.GitDir, name), func(p string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !entry.Type().IsRegular() {
				return nil
			}
			content, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(r.GitDir, p)
			if err != nil {
				return err
			}
			if size += len(content); size > contracts.LimitGitState || len(files) >= contracts.LimitGitStateFiles {
				return fmt.Errorf("the unfinished merge or rebase in %s is too large to save: finish it first", r.Top)
			}
			files[filepath.ToSlash(rel)] = content
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return files, nil
}

// hashes returns the lines of a text that are hashes of objects.
func hashes(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, err := hex.DecodeString(line); err == nil && (len(line) == 40 || len(line) == 64) {
			list = append(list, line)
		}
	}
	return list
}

// stateCommits lists the commits that the files of an unfinished operation name, and the stashes.
func (r *Repo) stateCommits(ctx context.Context, files map[string][]byte) ([]string, error) {
	seen := map[string]bool{}
	var named []string
	add := func(hash string) {
		if !seen[hash] {
			seen[hash] = true
			named = append(named, hash)
		}
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD", "rebase-merge/orig-head", "rebase-merge/onto", "rebase-apply/orig-head", "rebase-apply/onto", "sequencer/head", "sequencer/abort-safety"} {
		for _, hash := range hashes(string(files[name])) {
			add(hash)
		}
	}
	if out, err := r.text(ctx, Call{Args: []string{"rev-list", "--walk-reflogs", "refs/stash", "--"}}); err == nil { // fails without a stash
		for _, hash := range hashes(out) {
			add(hash)
		}
	}
	var commits []string
	for _, hash := range named { // a hash in a file need not exist or be a commit
		if _, err := r.text(ctx, Call{Args: []string{"cat-file", "-e", hash + "^{commit}"}}); err == nil {
			commits = append(commits, hash)
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return commits, nil
}
