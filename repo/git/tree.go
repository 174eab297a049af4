package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Tree is the content of a working tree: all files except ignored ones, whether git tracks them or
// not.
type Tree struct {
	Hash    string   // git's hash of the tree
	Skipped []string // paths that git could not read; the tree may lack their current content
	Nested  []string // submodules and other nested repositories; the tree has only their commits
}

// ErrChanging means that files changed while they were read.
var ErrChanging = errors.New("files keep changing while they are read: wait until nothing writes to the directory, and try again")

// Tree returns the tree of the working tree. The index of the working tree is not changed.
func (r *Repo) Tree(ctx context.Context) (Tree, error) {
	x, err := r.copyIndex()
	if err != nil {
		return Tree{}, err
	}
	defer x.remove()
	return x.addAll(ctx)
}

// index is a copy of a working tree's index, in a directory of its own.
type index struct {
	repo *Repo
	dir  string
	env  []string
}

// newIndex returns an empty index.
func (r *Repo) newIndex() (*index, error) {
	dir, err := os.MkdirTemp("", "bullpen-index-*")
	if err != nil {
		return nil, err
	}
	return &index{repo: r, dir: dir, env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}}, nil
}

// copyIndex copies the working tree's index. The copy keeps the modification time, because git
// compares it with the times of files to find changes made just before the index was written.
func (r *Repo) copyIndex() (*index, error) {
	x, err := r.newIndex()
	if err != nil {
		return nil, err
	}
	if err := x.copyFrom(filepath.Join(r.GitDir, "index")); err != nil {
		x.remove()
		return nil, fmt.Errorf("copy the index of %s: %w", r.Top, err)
	}
	return x, nil
}

func (x *index) copyFrom(path string) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a new repository has no index
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(x.path(), content, 0o600); err != nil {
		return err
	}
	return os.Chtimes(x.path(), info.ModTime(), info.ModTime())
}

func (x *index) path() string { return filepath.Join(x.dir, "index") }

func (x *index) remove() { _ = os.RemoveAll(x.dir) } // a failure costs only disk space

func (x *index) bytes(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	return x.repo.Output(ctx, Call{Args: args, Env: x.env, In: in})
}

// writeTree writes the index as a tree and returns the tree's hash.
func (x *index) writeTree(ctx context.Context) (string, error) {
	out, err := x.bytes(ctx, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// addAll brings the index up to date with the files of the working tree.
func (x *index) addAll(ctx context.Context) (Tree, error) {
	if err := x.watchAll(ctx); err != nil {
		return Tree{}, err
	}
	var t Tree
	said, err := x.add(ctx)
	t.Skipped = unopened(said)
	if err != nil {
		var failed *Error
		if !errors.As(err, &failed) {
			return Tree{}, err
		}
		// git stops at the first file that it cannot read. Add all others, then list what is missing.
		if _, again := x.add(ctx, "--ignore-errors"); again == nil {
			return Tree{}, ErrChanging // a file could not be read, but now it can
		}
		missing, err := x.unlike(ctx)
		if err != nil {
			return Tree{}, err
		}
		if t.Skipped = append(t.Skipped, missing...); len(t.Skipped) == 0 {
			t.Skipped = []string{failed.Message}
		}
	}
	if t.Hash, err = x.writeTree(ctx); err != nil {
		return Tree{}, err
	}
	t.Nested, err = x.nested(ctx)
	return t, err
}

// add runs git add for all files, and returns its warnings.
func (x *index) add(ctx context.Context, options ...string) (warnings string, err error) {
	c := Call{Args: append([]string{"add", "--all", "--sparse"}, options...), Env: x.env, said: &bounded{room: contracts.LimitGitOutput}}
	_, err = x.repo.Output(ctx, c)
	return c.said.String(), err
}

// unopened lists the directories that git add could not open. git add only warns about them.
func unopened(warnings string) (paths []string) {
	for line := range strings.Lines(warnings) {
		if _, rest, ok := strings.Cut(line, "could not open directory '"); ok {
			path, _, _ := strings.Cut(rest, "': ")
			paths = append(paths, path)
		}
	}
	return paths
}

// watchAll clears the flags that hide changes to files from git: assume-unchanged and
// skip-worktree.
func (x *index) watchAll(ctx context.Context) error {
	out, err := x.bytes(ctx, nil, "ls-files", "-v", "-z")
	if err != nil {
		return err
	}
	var unwatched, absent bytes.Buffer
	for row := range bytes.SplitSeq(out, []byte{0}) {
		if len(row) < 3 {
			continue
		}
		mark, path := row[0], row[2:]
		if mark >= 'a' && mark <= 'z' {
			unwatched.Write(append(path, 0))
		}
		if mark|0x20 == 's' && x.onDisk(string(path)) {
			absent.Write(append(path, 0))
		}
	}
	for _, clear := range []struct {
		option string
		paths  []byte
	}{{"--no-assume-unchanged", unwatched.Bytes()}, {"--no-skip-worktree", absent.Bytes()}} {
		if len(clear.paths) == 0 {
			continue
		}
		if _, err := x.bytes(ctx, clear.paths, "update-index", clear.option, "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// onDisk reports whether a path exists. A file outside a sparse checkout does not, but is unchanged.
func (x *index) onDisk(path string) bool {
	_, err := os.Lstat(filepath.Join(x.repo.Top, filepath.FromSlash(path)))
	return err == nil
}

// unlike lists the paths whose files differ from the index or are not in it.
func (x *index) unlike(ctx context.Context) ([]string, error) {
	out, err := x.bytes(ctx, nil, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	return split(out), nil
}

// nested lists the submodules and other repositories in the index.
func (x *index) nested(ctx context.Context) ([]string, error) {
	out, err := x.bytes(ctx, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	var paths []string
	for row := range bytes.SplitSeq(out, []byte{0}) {
		if !bytes.HasPrefix(row, []byte("160000 ")) {
			continue
		}
		if _, path, ok := bytes.Cut(row, []byte{'\t'}); ok {
			paths = append(paths, string(path))
		}
	}
	return paths, nil
}

// split splits a list whose entries end with a zero byte.
func split(out []byte) []string {
	var list []string
	for row := range bytes.SplitSeq(out, []byte{0}) {
		if len(row) > 0 {
			list = append(list, string(row))
		}
	}
	return list
}
