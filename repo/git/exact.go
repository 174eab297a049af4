package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// ErrInexact means that the tree would not reflect the exact content of the files.
var ErrInexact = errors.New("nothing can be proven about these files")

// ExactTree returns the tree of all files except ignored ones. Proofs rely on this tree: apart from
// line endings, it reflects the exact content of the files. Unlike Tree, ExactTree reads every file
// again. It trusts neither the index, which can be forged, nor the settings, exclude list and
// attributes in the git directory, because they are not part of the tree.
//
// It fails if a file cannot be read or is left out by a sparse checkout, if files change while they
// are being read, or if a path in need is not part of the tree. A submodule is represented by its
// commit: ExactTree fails if the submodule's files differ from that commit, unless its directory is
// empty, which means that it is not checked out. ExactTree also fails if the working tree contains
// other repositories.
func (r *Repo) ExactTree(ctx context.Context, need ...string) (string, error) {
	current, err := r.withCurrentSettings(ctx)
	if err != nil {
		return "", err
	}
	scratch, done, err := current.Scratch(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	x, err := scratch.ownRepository(ctx)
	if err != nil {
		return "", err
	}
	defer x.remove()
	if err := x.list(ctx); err != nil {
		return "", err
	}
	before := ""
	for range contracts.TreeAttempts { // after the first attempt, only files that have changed are read again
		t, err := x.exactTree(ctx, need)
		switch {
		case errors.Is(err, ErrChanging):
			t.Hash = ""
		case err != nil:
			return "", err
		case t.Hash == before:
			return t.Hash, x.checkNested(ctx, t.Nested)
		}
		before = t.Hash
	}
	return "", ErrChanging
}

func (x *index) exactTree(ctx context.Context, need []string) (Tree, error) {
	t, err := x.addAll(ctx)
	switch {
	case err != nil:
		return Tree{}, err
	case len(t.Skipped) > 0:
		return Tree{}, inexact("git cannot read", t.Skipped)
	}
	paths, err := x.bytes(ctx, nil, "ls-files", "-z")
	if err != nil {
		return Tree{}, err
	}
	listed := split(paths)
	for _, path := range need {
		if !slices.Contains(listed, path) {
			return Tree{}, inexact("the file is ignored by git or missing, so it is not part of the tree", []string{path})
		}
	}
	return t, x.checkUnconverted(ctx, paths)
}

func inexact(why string, paths []string) error {
	return fmt.Errorf("%w: %s: %s", ErrInexact, why, hud.Line(strings.Join(paths, ", "), contracts.LimitNote))
}

// scratchSettings are faster settings for writing files that will soon be deleted: git neither
// syncs nor compresses them, and does not hash the index.
var scratchSettings = []string{"-c", "core.fsync=none", "-c", "core.looseCompression=0", "-c", "index.skipHash=true"}

// ownRepository creates an empty repository and returns its empty index. The files of the working
// tree are written to this repository.
func (r *Repo) ownRepository(ctx context.Context) (*index, error) {
	format, err := r.text(ctx, Call{Args: []string{"rev-parse", "--show-object-format"}})
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
	x.env = append(x.env, "GIT_DIR="+dir, "GIT_WORK_TREE="+r.Top)
	// autocrlf=input treats a file with CRLF as unchanged if the index has it with LF. Agents may use
	// git with such a setting.
	x.settings = append([]string{"-c", "core.autocrlf=input"}, scratchSettings...)
	return x, nil
}

// list adds the paths of the working tree to the empty index, with the content that Tree finds. It
// leaves out file times and sizes, so that git reads each file again.
func (x *index) list(ctx context.Context) error {
	found, err := x.repo.copyIndex()
	if err != nil {
		return err
	}
	defer found.remove()
	found.settings = scratchSettings
	t, err := found.addAll(ctx)
	if err != nil {
		return err
	}
	if len(t.Skipped) > 0 {
		return inexact("git cannot read", t.Skipped)
	}
	entries, err := found.entries(ctx)
	if err != nil {
		return err
	}
	var info bytes.Buffer
	var absent []string
	for _, e := range entries {
		if e.skipped() && !x.onDisk(e.path) {
			absent = append(absent, e.path)
		}
		info.WriteString(e.info + "\x00")
	}
	if len(absent) > 0 {
		return inexact("a sparse checkout leaves out files in the tree", absent)
	}
	_, err = x.bytes(ctx, info.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// checkUnconverted returns an error if the content that git stores for a file differs from the file
// on disk, apart from line endings, because two different files could then have the same tree.
func (x *index) checkUnconverted(ctx context.Context, paths []byte) error {
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
