package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkNested checks that each path is an empty directory, or a submodule that has exactly the
// files of the commit in the index.
func (x *index) checkNested(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	known, err := x.repo.submodules(ctx)
	if err != nil {
		return err
	}
	for _, path := range paths {
		content, err := os.ReadDir(filepath.Join(x.repo.Top, filepath.FromSlash(path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return ErrChanging
		case err != nil:
			return err
		case len(content) == 0: // not checked out
			continue
		case !slices.Contains(known, path):
			return inexact("the working tree contains other repositories, whose files are not part of the tree", []string{path})
		}
		if err := x.checkSubmodule(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// submodules lists the paths that .gitmodules names.
func (r *Repo) submodules(ctx context.Context) (paths []string, err error) {
	rows, err := r.List(ctx, "config", "-z", "--file", ".gitmodules", "--get-regexp", `^submodule\..*\.path$`)
	var failed *Error
	if errors.As(err, &failed) {
		return nil, nil // there is no .gitmodules, or it names no paths
	}
	for _, row := range rows {
		_, path, _ := strings.Cut(row, "\n")
		paths = append(paths, strings.TrimSuffix(path, "/"))
	}
	return paths, err
}

// checkSubmodule checks that a submodule has exactly the files of the commit in the index.
func (x *index) checkSubmodule(ctx context.Context, path string) error {
	dir := filepath.Join(x.repo.Top, filepath.FromSlash(path))
	inside, err := Open(ctx, dir)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || inside.Top != dir {
		return inexact("there are files in the directory of a submodule that is not checked out", []string{path})
	}
	commit, err := x.repo.text(ctx, x.call(nil, "rev-parse", "--verify", ":"+path))
	if err != nil {
		return err
	}
	got, want := "", ""
	if err = inside.rehash(ctx, []string{commit}); err == nil { // agents can forge commits too
		want, err = inside.Run(ctx, "rev-parse", "--verify", commit+"^{tree}")
	}
	if err == nil {
		got, err = inside.ExactTree(ctx)
	}
	switch {
	case err != nil:
		return fmt.Errorf("submodule %s: %w", path, err)
	case got != want:
		return inexact("a submodule has uncommitted changes, which are not part of the tree", []string{path})
	}
	return nil
}
