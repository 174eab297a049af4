// Package atomicfile replaces files. Readers see either the complete old content or the complete new
// content, even after a power failure: content is synced before the file is renamed to its path, and
// the directory is synced afterwards. Files are created with mode 0600, regardless of the mode of the
// file that they replace.
//
// The package never follows a symbolic link at the path: it replaces the link itself. A process
// that is killed can leave a hidden temporary file next to the path.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write replaces the file at path with content.
func Write(path string, content []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(content); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Commit()
}

// File is a new version of a file. Commit moves it to its path, and Abort discards it.
type File struct {
	*os.File
	path string
}

// Create starts a new version of the file at path. Readers do not see it before Commit.
func Create(path string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &File{f, path}, nil
}

// Commit syncs and closes the file and renames it to its path.
func (f *File) Commit() error {
	err := errors.Join(f.Sync(), f.Close())
	if err == nil {
		err = rename(f.Name(), f.path)
	}
	if err != nil {
		f.Abort()
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

// Abort discards the new version. After a successful Commit it does nothing.
func (f *File) Abort() {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// Rename is like Commit, but for a file that another program wrote on the same file system.
func Rename(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = rename(from, to)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	return nil
}

func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}

// SyncDir makes the entries of a directory durable. It does nothing where that is impossible: on
// Windows, on some network file systems, and in directories that cannot be read.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
