package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bullpen-office/bullpen/atomicfile"
)

// ErrInUse means that another process has the ledger open.
var ErrInUse = errors.New("stop that process first, or use another data directory")

// prepareFile creates the file and its directory if they are missing.
func prepareFile(path string) error {
	if err := createFile(path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// createFile creates the file, and its directory if that is missing. It returns fs.ErrExist if the
// file exists. Only the owner can read the file, because it contains agents' prompts and answers.
// SQLite gives the write-ahead log the same mode.
func createFile(path string) error {
	dir := filepath.Dir(path)
	if err := prepareDir(dir); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist} // "already exists" on every system
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return atomicfile.SyncDir(dir)
}

// prepareDir creates dir if it is missing and syncs the parent of every directory that it creates:
// otherwise a power loss could remove a directory with synced files in it.
func prepareDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := prepareDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return atomicfile.SyncDir(parent)
}
