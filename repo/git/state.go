package git

import (
	"bytes"
	"cmp"
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

// stateNames are the files and directories in a git directory that describe an unfinished merge,
// rebase, cherry-pick, revert or bisect.
var stateNames = []string{
	"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD",
	"BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_NAMES", "rebase-merge", "rebase-apply", "sequencer",
}

// Names in a snapshot's state that are not names of files in a git directory.
const (
	stateIndex  = "bullpen/index"  // the index file; stored only if a tree cannot represent the index
	stateStages = "bullpen/stages" // the versions of files with conflicts
)

// state is a working tree's state apart from its files, index and commit: an unfinished operation
// and stashes.
type state struct {
	files   map[string][]byte // files of an unfinished operation, by path in the git directory
	parents []string          // commits that the state refers to, so that they are kept
}

func (r *Repo) readState(ctx context.Context) (s state, err error) {
	if s.files, err = r.stateFiles(); err != nil {
		return state{}, err
	}
	s.parents, err = r.stateCommits(ctx, s.files)
	return s, err
}

// readByAdd reads any working tree, using copies of its index.
func (r *Repo) readByAdd(ctx context.Context) (reading, error) {
	adding := async(func() (Tree, error) { return r.treeByAdd(ctx) })
	found, err := r.readStaged(ctx)
	t, failed := adding()
	if err := cmp.Or(failed, err); err != nil {
		return reading{}, err
	}
	found.files = []change{{mode: modeDirectory, hash: t.Hash}}
	found.skipped, found.nested = t.Skipped, t.Nested
	return found, nil
}

// readStaged returns the tree of the index and, separately, the files with conflicts.
func (r *Repo) readStaged(ctx context.Context) (found reading, err error) {
	x, err := r.copyIndex()
	if err != nil {
		return reading{}, err
	}
	defer x.remove()
	if raw, err := os.ReadFile(x.path()); err == nil {
		if file, err := r.parseIndex(raw, func(indexEntry) {}); err != nil || !file.plain {
			found.index = raw
		}
	}
	found.base, err = x.writeTree(ctx)
	var failed *Error
	if errors.As(err, &failed) { // git cannot write a tree of an index with conflicts
		if found.conflicts, err = x.dropConflicts(ctx); err == nil {
			found.base, err = x.writeTree(ctx)
		}
	}
	if err != nil {
		return reading{}, fmt.Errorf("the index of %s cannot be saved: %w", r.Top, err)
	}
	return found, nil
}

// dropConflicts removes files with conflicts from the index, and lists their versions.
func (x *index) dropConflicts(ctx context.Context) (versions []change, err error) {
	out, err := x.bytes(ctx, nil, "ls-files", "-z", "--unmerged")
	if err != nil {
		return nil, err
	}
	drop := &bytes.Buffer{}
	for _, row := range split(out) {
		head, name, _ := strings.Cut(row, "\t")
		field := strings.Fields(head) // mode, hash, stage
		if len(field) != 3 {
			return nil, fmt.Errorf("git ls-files printed an unexpected line: %q", row)
		}
		if field[0] != modeCommit { // the commit of a submodule is not in this repository
			versions = append(versions, change{mode: field[0], hash: field[1], path: path.Join(stateStages, field[2], name)})
		}
		drop.WriteString(name + "\x00")
	}
	if drop.Len() == 0 {
		return nil, nil
	}
	_, err = x.bytes(ctx, drop.Bytes(), "update-index", "-z", "--force-remove", "--stdin")
	return versions, err
}

// stateFiles returns the contents of an unfinished operation's files, by path in the git directory.
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

// hashes returns the lines of a text that are object hashes.
func hashes(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, err := hex.DecodeString(line); err == nil && (len(line) == 40 || len(line) == 64) {
			list = append(list, line)
		}
	}
	return list
}

// stateCommits lists the commits that are named in the files of an unfinished operation, and the
// commits of the stashes.
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
	for _, hash := range named { // the object may be missing, or may not be a commit
		if _, err := r.text(ctx, Call{Args: []string{"cat-file", "-e", hash + "^{commit}"}}); err == nil {
			commits = append(commits, hash)
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return commits, nil
}
