package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// ErrInexact means that the tree would not reflect the exact content of the files.
var ErrInexact = errors.New("nothing can be proven about these files")

// ExactTree returns the tree of all files except ignored ones, for proofs. It reads every file again
// and uses nothing from the repository except its objects: neither the index, which can be forged,
// nor settings and lists in the git directory, which are not part of the tree. It fails if a file
// cannot be read, if the working tree contains other repositories, if files change while they are
// read, or if a path in need is not part of the tree.
func (r *Repo) ExactTree(ctx context.Context, need ...string) (string, error) {
	x, err := r.ownRepository(ctx)
	if err != nil {
		return "", err
	}
	defer x.remove()
	before := ""
	for range contracts.TreeAttempts { // after the first, only files that changed since are read again
		now, err := x.exactTree(ctx, need)
		switch {
		case errors.Is(err, ErrChanging):
			now = ""
		case err != nil:
			return "", err
		case now == before:
			return now, nil
		}
		before = now
	}
	return "", ErrChanging
}

func (x *index) exactTree(ctx context.Context, need []string) (string, error) {
	t, err := x.addAll(ctx)
	if err == nil && len(t.Skipped) == 0 {
		err = x.addTracked(ctx, &t)
	}
	switch {
	case err != nil:
		return "", err
	case len(t.Skipped) > 0:
		return "", inexact("git cannot read", t.Skipped)
	case len(t.Nested) > 0:
		return "", inexact("the working tree contains other repositories, whose files are not part of the tree", t.Nested)
	}
	paths, err := x.bytes(ctx, nil, "ls-files", "-z")
	if err != nil {
		return "", err
	}
	listed := split(paths)
	for _, path := range need {
		if !slices.Contains(listed, path) {
			return "", inexact("the file is ignored by git or missing, so it is not part of the tree", []string{path})
		}
	}
	return t.Hash, x.unconverted(ctx, paths)
}

func inexact(why string, paths []string) error {
	return fmt.Errorf("%w: %s: %s", ErrInexact, why, hud.Line(strings.Join(paths, ", "), contracts.LimitNote))
}

// ownRepository returns an empty index in an empty repository for the files of the working tree. It
// shares the objects of the working tree's repository: once git has computed the hash of a file, it
// does not write an object that already exists there. Objects that git does write are deleted soon,
// so git does not sync them to disk.
func (r *Repo) ownRepository(ctx context.Context) (*index, error) {
	format, err := r.text(ctx, Call{Args: []string{"rev-parse", "--show-object-format"}})
	if err != nil {
		return nil, err
	}
	alternates, err := r.alternates(ctx)
	if err != nil {
		return nil, err
	}
	x, err := r.newIndex()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(x.dir, "repository")
	if _, err := r.text(ctx, Call{Args: []string{"init", "--quiet", "--bare", "--template=", "--object-format=" + format, dir}}); err != nil {
		x.remove()
		return nil, err
	}
	x.env = append(x.env, "GIT_DIR="+dir, "GIT_WORK_TREE="+r.Top, alternates)
	x.settings = []string{"-c", "core.fsync=none", "-c", "core.looseCompression=0", "-c", "index.skipHash=true"}
	return x, nil
}

// addTracked adds the files that are in the working tree's index, even if git would ignore them.
func (x *index) addTracked(ctx context.Context, t *Tree) error {
	own, err := x.repo.copyIndex()
	if err != nil {
		return err
	}
	defer own.remove()
	out, err := own.bytes(ctx, nil, "ls-files", "-z")
	if err != nil {
		return err
	}
	present := &bytes.Buffer{}
	for _, path := range split(out) {
		info, err := os.Lstat(filepath.Join(x.repo.Top, filepath.FromSlash(path)))
		switch {
		case err != nil || info.IsDir(): // deleted, or a directory now
		case info.Mode().IsRegular() || info.Mode().Type() == fs.ModeSymlink:
			present.WriteString(path + "\x00")
		default:
			t.Skipped = append(t.Skipped, path)
		}
	}
	if present.Len() == 0 || len(t.Skipped) > 0 {
		return nil
	}
	if _, err := x.bytes(ctx, present.Bytes(), "update-index", "--add", "-z", "--stdin"); err != nil {
		return err
	}
	t.Hash, err = x.writeTree(ctx)
	return err
}

// unconverted returns an error if the content that git stores for a file differs from the file on
// disk, apart from line endings: two different files could then have the same tree.
func (x *index) unconverted(ctx context.Context, paths []byte) error {
	if len(paths) == 0 {
		return nil
	}
	out, err := x.bytes(ctx, paths, "check-attr", "-z", "--stdin", "ident", "working-tree-encoding")
	if err != nil {
		return err
	}
	row := strings.Split(string(out), "\x00")
	for ; len(row) >= 3; row = row[3:] { // path, attribute, value
		if row[2] != "unspecified" && row[2] != "unset" {
			return inexact("the attribute "+row[1]+" makes git store the file with different content", []string{row[0]})
		}
	}
	return nil
}

// Ignores reports whether git ignores an untracked file at a path relative to the top directory.
func (r *Repo) Ignores(ctx context.Context, path string) bool {
	_, err := r.text(ctx, Call{Args: []string{"check-ignore", "--quiet", "--", filepath.ToSlash(path)}})
	return err == nil
}
