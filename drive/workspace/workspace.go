// Package workspace gives agents access to the files of one directory, and runs commands in it.
//
// It guarantees that no path or link leads out of the directory; that only regular files are read
// and written, so that a pipe cannot block the office; that everything read, listed, found or
// printed is limited; and that a command ends, together with everything it started, at its timeout,
// when its context is done or when the office exits. It does not confine what a command does:
// callers must check that the command is allowed before they call Run.
package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Workspace is a directory that an agent works in.
type Workspace struct {
	dir string   // absolute, with links resolved
	env []string // environment of commands
}

// Open returns the workspace in dir, which must be a directory; an empty dir means the current
// directory. env is the whole environment of its commands.
func Open(dir string, env []string) (*Workspace, error) {
	path, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return nil, fmt.Errorf("find the workspace: %w", err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("find the workspace: %w", err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("workspace %q is not a directory", dir)
	}
	return &Workspace{path, env}, nil
}

// Dir returns the absolute path of the workspace, with links resolved.
func (w *Workspace) Dir() string { return w.dir }

// PathError is the reason a path cannot be used.
type PathError struct {
	Path   string // as the agent wrote it
	Reason string
	Err    error // the file system's error; nil if the path itself was refused
}

func (e *PathError) Error() string { return fmt.Sprintf("%q %s", e.Path, e.Reason) }

func (e *PathError) Unwrap() error { return e.Err }

// refused returns the error for a path that the workspace rejects.
func refused(path, format string, args ...any) error {
	return &PathError{Path: path, Reason: fmt.Sprintf(format, args...)}
}

// failed returns the error for a path that caused a file system error. It does not reveal any paths
// on this machine.
func failed(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &PathError{path, "does not exist", err}
	}
	reason := err
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		reason = at.Err
	}
	return &PathError{path, "cannot be used: " + reason.Error(), err}
}

// Name returns a slash-separated path relative to the workspace. An absolute path must be inside
// the workspace. Links are not resolved; see Real.
func (w *Workspace) Name(path string) (string, error) {
	name := filepath.Clean(path)
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(w.dir, name)
		if err != nil {
			return "", refused(path, "is outside the workspace")
		}
		name = rel
	}
	if !filepath.IsLocal(name) {
		return "", refused(path, "is outside the workspace")
	}
	return filepath.ToSlash(name), nil
}

// Real returns the name of the file that a path leads to after its links are resolved. For a path
// that does not exist, it resolves the directories that exist.
func (w *Workspace) Real(path string) (string, error) {
	name, err := w.Name(path)
	if err != nil {
		return "", err
	}
	for at, rest := filepath.FromSlash(name), ""; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(filepath.Join(w.dir, at))
		switch {
		case err == nil:
			return w.Name(filepath.Join(real, rest))
		case at == "." || !errors.Is(err, fs.ErrNotExist):
			return "", failed(path, err)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
