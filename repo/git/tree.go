package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Tree is the content of a working tree: all tracked and untracked files, except ignored ones.
type Tree struct {
	Hash    string   // git's hash of the tree
	Skipped []string // paths that git could not read; the tree may lack their current content
	Nested  []string // submodules and other nested repositories; the tree has only their commits
}

// ErrChanging means that files changed while they were being read.
var ErrChanging = errors.New("files keep changing while they are being read: wait until nothing is writing to the directory, and try again")

// Tree returns the content of the working tree as git add would record it: a file whose size and
// timestamps match the index counts as unchanged, whereas ExactTree reads every file. The working
// tree's index is not changed.
func (r *Repo) Tree(ctx context.Context) (Tree, error) {
	t, err := r.treeByStatus(ctx)
	if unusual(err) {
		return r.treeByAdd(ctx)
	}
	return t, err
}

// treeByStatus is like Tree, but fails in the same cases as readByStatus.
func (r *Repo) treeByStatus(ctx context.Context) (Tree, error) {
	found, err := r.readByStatus(ctx)
	if err != nil {
		return Tree{}, err
	}
	var d drafts
	d.working(found)
	made, err := d.write(ctx, r, 2)
	if err != nil {
		return Tree{}, err
	}
	return Tree{Hash: made[0]}, nil
}

// treeByAdd is like Tree, but always uses git add. It takes about twice as long as treeByStatus.
func (r *Repo) treeByAdd(ctx context.Context) (Tree, error) {
	x, err := r.copyIndex()
	if err != nil {
		return Tree{}, err
	}
	defer x.remove()
	return x.addAll(ctx)
}

// index is a copy of a working tree's index, in a directory of its own.
type index struct {
	repo     *Repo
	dir      string
	env      []string
	settings []string // git options
}

// newIndex returns an empty index.
func (r *Repo) newIndex() (*index, error) {
	dir, err := os.MkdirTemp("", "bullpen-index-*")
	if err != nil {
		return nil, err
	}
	return &index{
		repo: r, dir: dir, env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")},
		settings: []string{"-c", "core.fsync=objects,reference", "-c", "index.skipHash=true"}, // does not sync the index, which will soon be removed
	}, nil
}

// copyIndex copies the working tree's index. The copy keeps the modification time, because git
// compares it with the times of files to find changes made just before the index was written.
func (r *Repo) copyIndex() (*index, error) {
	x, err := r.newIndex()
	if err != nil {
		return nil, err
	}
	if err := x.copyFrom(r.indexPath()); err != nil {
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

func (x *index) call(in []byte, args ...string) Call {
	return Call{Args: slices.Concat(x.settings, args), Env: x.env, In: in}
}

func (x *index) bytes(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	return x.repo.Output(ctx, x.call(in, args...))
}

// writeTree writes the index as a tree and returns the tree's hash.
func (x *index) writeTree(ctx context.Context) (string, error) {
	out, err := x.bytes(ctx, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// addAll brings the index up to date with the files of the working tree, and writes its tree.
func (x *index) addAll(ctx context.Context) (Tree, error) {
	for range contracts.TreeAttempts {
		t, entries, err := x.addVisible(ctx)
		if err != nil {
			return Tree{}, err
		}
		if cleared, err := x.clearFlags(ctx, entries); err != nil {
			return Tree{}, err
		} else if !cleared {
			t.Nested = nested(entries)
			return t, nil
		}
	}
	return Tree{}, ErrChanging
}

// addVisible is like addAll, but misses changes that flags in the index hide. It also returns the
// entries of the index.
func (x *index) addVisible(ctx context.Context) (Tree, []entry, error) {
	skipped, err := x.addFiles(ctx)
	if err != nil {
		return Tree{}, nil, err
	}
	entries := async(func() ([]entry, error) { return x.entries(ctx) })
	hash, err := x.writeTree(ctx)
	listed, failed := entries()
	return Tree{Hash: hash, Skipped: skipped}, listed, cmp.Or(err, failed)
}

// addFiles adds all files to the index, and lists the paths that git could not read.
func (x *index) addFiles(ctx context.Context) (skipped []string, err error) {
	warnings, err := x.add(ctx)
	skipped = unopened(warnings)
	var failed *Error
	if err == nil || !errors.As(err, &failed) {
		return skipped, err
	}
	// git stops at the first file that it cannot read. Add all others, then list what is missing.
	if _, again := x.add(ctx, "--ignore-errors"); again == nil {
		return nil, ErrChanging // a file could not be read, but now it can
	}
	missing, err := x.listChanged(ctx)
	if err != nil {
		return nil, err
	}
	if skipped = append(skipped, missing...); len(skipped) == 0 {
		skipped = []string{failed.Message}
	}
	return skipped, nil
}

// async calls f in a goroutine. The returned function waits for its result.
func async[T any](f func() (T, error)) (wait func() (T, error)) {
	var result T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = f()
	}()
	return func() (T, error) {
		<-done
		return result, err
	}
}

// add runs git add for all files, and returns its warnings.
func (x *index) add(ctx context.Context, options ...string) (warnings string, err error) {
	c := x.call(nil, append([]string{"add", "--all", "--sparse"}, options...)...)
	c.stderr = &Buffer{Room: contracts.LimitGitOutput}
	_, err = x.repo.Output(ctx, c)
	return c.stderr.String(), err
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

// entry is a path in an index.
type entry struct {
	flag byte // lower case if assume-unchanged is set; S or s if skip-worktree is set
	mode string
	path string
	info string // the entry as input for git update-index --index-info
}

// skipped reports whether skip-worktree is set.
func (e entry) skipped() bool { return e.flag|0x20 == 's' }

func (x *index) entries(ctx context.Context) ([]entry, error) {
	out, err := x.bytes(ctx, nil, "ls-files", "-v", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	var list []entry
	for row := range strings.SplitSeq(string(out), "\x00") { // flag, mode, hash and stage, then the path
		head, path, ok := strings.Cut(row, "\t")
		if !ok || len(head) < len("H 100644") {
			continue
		}
		list = append(list, entry{flag: head[0], mode: head[2:8], path: path, info: row[2:]})
	}
	return list, nil
}

// clearFlags clears assume-unchanged and skip-worktree, the flags that make git ignore changes to
// files. It reports whether any of them was set.
func (x *index) clearFlags(ctx context.Context, entries []entry) (cleared bool, err error) {
	var unwatched, absent bytes.Buffer
	for _, e := range entries {
		if e.flag >= 'a' && e.flag <= 'z' {
			unwatched.WriteString(e.path + "\x00")
		}
		if e.skipped() && x.onDisk(e.path) {
			absent.WriteString(e.path + "\x00")
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
			return false, err
		}
		cleared = true
	}
	return cleared, nil
}

// onDisk reports whether path exists on disk. A file that a sparse checkout leaves out does not,
// but that does not mean that it was changed.
func (x *index) onDisk(path string) bool {
	_, err := os.Lstat(filepath.Join(x.repo.Top, filepath.FromSlash(path)))
	return err == nil
}

// listChanged lists the paths of files that differ from the index or are not in it.
func (x *index) listChanged(ctx context.Context) ([]string, error) {
	out, err := x.bytes(ctx, nil, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	return split(out), nil
}

// nested lists the submodules and other repositories among the entries of an index.
func nested(entries []entry) (paths []string) {
	for _, e := range entries {
		if e.mode == modeCommit {
			paths = append(paths, e.path)
		}
	}
	return paths
}

// split splits a list of entries that end with a zero byte.
func split(out []byte) []string {
	var list []string
	for row := range bytes.SplitSeq(out, []byte{0}) {
		if len(row) > 0 {
			list = append(list, string(row))
		}
	}
	return list
}
