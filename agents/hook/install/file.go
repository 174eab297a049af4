package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
)

// BackupSuffix is appended to a settings file's name to form the name of the backup.
const BackupSuffix = ".bullpen-backup"

// attempts is the maximum number of tries while another program is writing the file.
const attempts = 3

// ErrBusy means that another program kept changing the file.
var ErrBusy = errors.New("another program is writing the file, so nothing was changed; try again")

// Change describes what was changed in a settings file.
type Change struct {
	Path    string  `json:"path"`            // with symbolic links resolved
	Backup  string  `json:"backup,omitzero"` // copy of the original, if there is one
	Changed bool    `json:"changed"`
	Created bool    `json:"created,omitzero"`
	Removed bool    `json:"removed,omitzero"` // the file was removed, because it contained only our entries
	Entries []Entry `json:"entries"`          // our entries after the change
}

// RemovedLines describes the result of UninstallFile.
func (c Change) RemovedLines() (lines []string) {
	switch {
	case !c.Changed:
		lines = append(lines, "no Bullpen hooks in "+c.Path)
	case c.Removed:
		lines = append(lines, fmt.Sprintf("removed %s (it contained only Bullpen hooks)", c.Path))
	default:
		lines = append(lines, "removed the Bullpen hooks from "+c.Path)
	}
	if c.Changed && c.Backup != "" {
		lines = append(lines, "the file was edited after the hooks were installed; the original was saved as "+c.Backup)
	}
	return lines
}

// InstallFile installs entries into a settings file, which need not exist.
func (p *Program) InstallFile(path string, entries []Entry) (Change, error) {
	return p.change(path, func(f *file) error {
		after, err := p.Install(f.before, entries)
		if err != nil {
			return err
		}
		s, err := p.Read(f.before)
		if err != nil {
			return err
		}
		f.after = after
		// The backup is the file without our hooks, so an update must not overwrite it.
		f.backup = f.exists && len(s.Entries) == 0
		return nil
	})
}

// UninstallFile removes all our entries from a settings file. If nothing else has changed since the
// installation, it restores the state before the installation: the backup, or no file.
func (p *Program) UninstallFile(path string) (Change, error) {
	return p.change(path, func(f *file) error {
		s, err := p.Read(f.before)
		if err != nil || len(s.Entries) == 0 {
			f.after = f.before
			return err
		}
		original, err := readBounded(f.path + BackupSuffix)
		if err == nil && p.makes(original, s.Entries, f.before) {
			f.after, f.restored = original, true
			return nil
		}
		if p.makes(nil, s.Entries, f.before) {
			f.remove = true
			return nil
		}
		f.after, err = p.Uninstall(f.before)
		return err
	})
}

// makes reports whether installing the entries into original would produce exactly the current
// content.
func (p *Program) makes(original []byte, entries []Entry, now []byte) bool {
	out, err := p.Install(original, entries)
	return err == nil && bytes.Equal(out, now)
}

// file is a settings file with its old and new content.
type file struct {
	path     string
	exists   bool
	mode     fs.FileMode
	before   []byte
	after    []byte
	backup   bool // save the old content next to the file
	restored bool // the new content equals the backup, which is no longer needed
	remove   bool
}

// change reads, edits and writes a file. It retries if another program writes the file in between,
// and returns ErrBusy if all attempts fail.
func (p *Program) change(path string, decide func(*file) error) (Change, error) {
	for range attempts {
		f, err := open(path)
		if err != nil {
			return Change{}, err
		}
		if err := decide(f); err != nil {
			return Change{Path: f.path}, fmt.Errorf("%s: %w", f.path, err)
		}
		done, err := f.write(p)
		if !errors.Is(err, ErrBusy) {
			return done, err
		}
	}
	return Change{Path: path}, fmt.Errorf("%s: %w", path, ErrBusy)
}

func open(path string) (*file, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if link, err := os.Readlink(path); err == nil {
			return nil, fmt.Errorf("%s is a symbolic link to %s, which does not exist: create the target, or remove the link", path, link)
		}
		return &file{path: path, mode: 0o600}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the settings: %w", err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return nil, fmt.Errorf("find the settings: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", target)
	}
	text, err := readBounded(target)
	if err != nil {
		return nil, err
	}
	return &file{path: target, exists: true, mode: info.Mode().Perm(), before: text}, nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, contracts.LimitSettings+1))
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	if len(text) > contracts.LimitSettings {
		return nil, fmt.Errorf("%s is larger than %d bytes, so it cannot be a settings file", path, contracts.LimitSettings)
	}
	return text, nil
}
