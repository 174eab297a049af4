package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bullpen-office/bullpen/atomicfile"
)

// write writes the new content, or removes the file. It returns ErrBusy if the file has changed
// since it was read.
func (f *file) write(p *Program) (Change, error) {
	done := Change{Path: f.path}
	if !f.remove && bytes.Equal(f.before, f.after) {
		return f.describe(done, p), nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return done, fmt.Errorf("create the settings directory: %w", err)
	}
	if f.backup {
		if err := replace(f.path+BackupSuffix, f.before, f.mode, nil); err != nil {
			return done, err
		}
	}
	if f.remove {
		if err := f.unchanged(); err != nil {
			return done, err
		}
		if err := os.Remove(f.path); err != nil {
			return done, fmt.Errorf("remove the settings: %w", err)
		}
		done.Changed, done.Removed = true, true
		return f.describe(done, p), nil
	}
	if err := replace(f.path, f.after, f.mode, f.unchanged); err != nil {
		return done, err
	}
	if f.restored { // the backup and the file are identical
		_ = os.Remove(f.path + BackupSuffix)
	}
	done.Changed, done.Created = true, !f.exists
	return f.describe(done, p), nil
}

// describe adds the file's current entries and the path of the backup to c.
func (f *file) describe(c Change, p *Program) Change {
	if s, err := p.Read(f.after); err == nil {
		c.Entries = s.Entries
	}
	if _, err := os.Stat(f.path + BackupSuffix); err == nil && f.exists {
		c.Backup = f.path + BackupSuffix
	}
	return c
}

// unchanged returns ErrBusy if the file has changed since it was read.
func (f *file) unchanged() error {
	now, err := os.ReadFile(f.path)
	switch {
	case !f.exists && errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && f.exists && bytes.Equal(now, f.before):
		return nil
	}
	return ErrBusy
}

// replace writes a file atomically. check, unless nil, runs just before the write. If check fails,
// replace returns its error and leaves the file unchanged.
func replace(path string, content []byte, mode fs.FileMode, check func() error) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if check != nil {
		if err := check(); err != nil {
			return err
		}
	}
	return f.Commit()
}
