package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/atomicfile"
)

// spoolLate is the directory of hooks that the office answered before it recorded them.
const spoolLate = "late"

// Late is a stored hook that the office has answered but not recorded.
type Late struct{ path string }

// PutLate stores a hook that the office has answered but not recorded. The agent is waiting, so
// PutLate does not sync the file: the file survives the end of the process, but survives a power
// loss only after Queue.
func (s Spool) PutLate(at time.Time, body []byte) (Late, error) {
	dir := filepath.Join(s.dir, spoolLate)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Late{}, fmt.Errorf("create the spool: %w", err)
	}
	f, err := os.CreateTemp(dir, strings.TrimSuffix(spoolName(at), spoolSuffix)+"-*"+spoolSuffix) // with mode 0600
	if err != nil {
		return Late{}, fmt.Errorf("store a hook: %w", err)
	}
	late := Late{f.Name()}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Close()); err != nil {
		late.Remove()
		return Late{}, fmt.Errorf("store a hook: %w", err)
	}
	return late, nil
}

// Remove deletes the hook. Call it once the hook is recorded.
func (l Late) Remove() { _ = os.Remove(l.path) }

// Queue moves the hook into the queue that Drain reads, and syncs it so that it survives a power
// loss. If the queue is full, the oldest hooks are dropped.
func (l Late) Queue() error {
	info, err := os.Stat(l.path)
	if err != nil {
		return fmt.Errorf("read a stored hook: %w", err)
	}
	s := Spool{filepath.Dir(filepath.Dir(l.path))}
	if err := s.makeRoom(info.Size()); err != nil {
		return err
	}
	return atomicfile.Rename(l.path, filepath.Join(s.dir, filepath.Base(l.path)))
}

// Recover finds the hooks that an earlier process answered but did not record, and queues them for
// Drain.
func (s Spool) Recover() error {
	dir := filepath.Join(s.dir, spoolLate)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the spool: %w", err)
	}
	for _, e := range entries {
		if err := (Late{filepath.Join(dir, e.Name())}).Queue(); err != nil {
			return fmt.Errorf("recover a hook: %w", err)
		}
	}
	return nil
}

// Empty reports whether the spool contains no hooks for Drain to process.
func (s Spool) Empty() bool {
	dir, err := os.Open(s.dir)
	if err != nil {
		return true
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(64)
		for _, name := range names {
			if strings.HasSuffix(name, spoolSuffix) && !strings.HasPrefix(name, ".") {
				return false
			}
		}
		if err != nil { // usually io.EOF
			return true
		}
	}
}
