// Package survey inspects a project folder: its files, languages, tests, TODO notes and recent
// history.
//
// It only reads. It stays inside the folder: a link that leads out of it is not followed. It never
// opens or names files that may contain secrets, and it rejects a home directory. It runs no
// program except git, with an environment and options that keep a hostile repository from executing
// anything. Every step is bounded by a limit in contracts and stops when its context is done. The
// same folder gives the same result, unless a time limit was reached.
package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrPrivate means that a folder is not a project: it is a system directory, the home directory, a
// folder that contains the home directory, or a hidden folder in the home directory that is not a
// git repository. No files were read.
var ErrPrivate = errors.New("not a project folder")

// Folder is an open folder. Close it after use.
type Folder struct {
	root *os.Root
	git  string // the git executable; empty outside a git repository
	note string // why git is empty
	home string
}

// Open opens a project folder. It returns ErrPrivate if the folder is not a project. home is the
// user's home directory and may be empty.
func Open(ctx context.Context, dir, home string) (*Folder, error) {
	f, err := OpenWorkspace(ctx, dir, home)
	if err != nil {
		return nil, err
	}
	if f.git == "" && hidden(f.Dir(), f.home) {
		_ = f.Close()
		return nil, ErrPrivate
	}
	return f, nil
}

// OpenWorkspace opens an agent's folder, which the office created or the configuration names.
// Unlike Open, it accepts a hidden folder in the home directory.
func OpenWorkspace(ctx context.Context, dir, home string) (*Folder, error) {
	dir, err := resolve(dir)
	if err != nil {
		return nil, err
	}
	if home, err = resolve(home); err != nil {
		home = ""
	}
	if filepath.Dir(dir) == dir || contains(dir, home) || system(dir) {
		return nil, ErrPrivate
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	f := &Folder{root: root, home: home}
	f.findGit(ctx)
	return f, nil
}

// resolve returns the absolute path of a folder, with symbolic links resolved.
func resolve(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("no folder given")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// contains reports whether the home directory is the folder or inside it.
func contains(dir, home string) bool {
	if home == "" {
		return false
	}
	rest, err := filepath.Rel(dir, home)
	return err == nil && filepath.IsLocal(rest)
}

// systemTrees are system directories; nothing in them is a project.
var systemTrees = []string{"/etc", "/proc", "/sys", "/dev", "/boot", "/private/etc"}

// systemRoots are directories that many programs or users share. They are not projects, but may
// contain projects.
var systemRoots = []string{
	"/bin", "/home", "/lib", "/media", "/mnt", "/opt", "/private", "/private/tmp", "/private/var", "/root", "/run", "/run/user", "/sbin", "/srv", "/tmp",
	"/usr", "/usr/bin", "/usr/lib", "/usr/local", "/usr/share", "/var", "/var/lib", "/var/log", "/var/spool", "/var/tmp", "/Library", "/System", "/Users",
}

// system reports whether a folder is one of systemRoots or systemTrees, or is inside one of
// systemTrees.
func system(dir string) bool {
	return slices.Contains(systemRoots, dir) || slices.ContainsFunc(systemTrees, func(tree string) bool { return dir == tree || strings.HasPrefix(dir, tree+"/") })
}

// hidden reports whether a folder is, or is in, a hidden folder of the home directory, where
// programs keep settings and keys.
func hidden(dir, home string) bool {
	if home == "" {
		return false
	}
	rest, err := filepath.Rel(home, dir)
	return err == nil && filepath.IsLocal(rest) && strings.HasPrefix(rest, ".") && rest != "."
}

// Dir returns the folder's absolute path.
func (f *Folder) Dir() string { return f.root.Name() }

// Path returns the absolute path of a file in the folder.
func (f *Folder) Path(file string) string { return filepath.Join(f.Dir(), filepath.FromSlash(file)) }

// Git reports whether the folder is in a git repository. If not, the note explains why.
func (f *Folder) Git() (ok bool, note string) { return f.git != "", f.note }

// open opens a file or folder for reading. It never blocks: if a file was replaced by a named pipe
// after it was listed, open does not wait for a writer, and the caller can detect that the file is
// not regular.
func (f *Folder) open(name string) (*os.File, error) {
	return f.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// Close releases the folder; it must not be used afterwards.
func (f *Folder) Close() error { return f.root.Close() }

// Workspace is an agent's working directory.
type Workspace struct {
	Dir  string
	Ours bool // the office created the directory, or it is set in the configuration
}

// Show returns the text of the file at a path, which is absolute or relative to the workspace. It
// returns fs.ErrNotExist if the file is outside the workspace or must not be shown. home is the
// user's home directory; private files in it are never shown.
func (at Workspace) Show(ctx context.Context, name, home string) (Text, error) {
	open := Open
	if at.Ours {
		open = OpenWorkspace
	}
	folder, err := open(ctx, at.Dir, home)
	if err != nil {
		return Text{}, fs.ErrNotExist // gone, or not a folder that may be shown
	}
	defer func() { _ = folder.Close() }()
	rest := name
	if filepath.IsAbs(name) {
		ok := false
		for _, root := range []string{at.Dir, folder.Dir()} { // the path may contain a link to the root
			if rest, err = filepath.Rel(root, name); err == nil && filepath.IsLocal(rest) {
				ok = true
				break
			}
		}
		if !ok {
			return Text{}, fs.ErrNotExist
		}
	}
	return folder.Show(ctx, filepath.ToSlash(filepath.Clean(rest)))
}
