package sqlite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// pathLock keeps other processes from using a path, regardless of which file is there.
type pathLock struct {
	*fileLock
	name string
}

// lockPath locks path with a file in dir. If dir is empty or cannot be used, it returns nil, and
// only the lock next to the ledger protects the path.
func lockPath(dir, path string) (*pathLock, error) {
	full, err := filepath.Abs(path)
	if real, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(real, filepath.Base(full))
	}
	if dir == "" || err != nil || os.MkdirAll(dir, 0o700) != nil {
		return nil, nil
	}
	name := filepath.Join(dir, fmt.Sprintf("%.16x.lock", sha256.Sum256([]byte(full))))
	for {
		lock, err := lockFile(name)
		if err != nil {
			return nil, err
		}
		held, err := lock.file.Stat()
		if err != nil {
			return nil, errors.Join(err, lock.release())
		}
		if now, err := os.Stat(name); err == nil && os.SameFile(held, now) {
			return &pathLock{lock, name}, nil
		}
		if err := lock.release(); err != nil { // the lock's holder has just removed the file
			return nil, err
		}
	}
}

// release removes the lock file before unlocking it; a process that is waiting for the lock then
// retries.
func (l *pathLock) release() error {
	_ = os.Remove(l.name)
	return l.fileLock.release()
}

// errMoved means that the open file is no longer the file at its path.
var errMoved = errors.New("the data directory was removed or replaced while the office was running, so new records would be lost: stop the office, restore the directory or a backup, and start again")

// checkPath returns an error if the open file is no longer the file at its path. In that case,
// acknowledged records exist only in the open file, which is lost when the process exits.
func (l *Ledger) checkPath() error {
	if l.config.Path == "" {
		return nil
	}
	info, err := os.Stat(l.config.Path)
	if err != nil {
		return fmt.Errorf("%w (%w)", errMoved, err)
	}
	if !os.SameFile(info, l.opened) {
		return fmt.Errorf("%w (%s is a different file)", errMoved, l.config.Path)
	}
	return nil
}
