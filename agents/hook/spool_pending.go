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

// spoolPending is the directory of hooks that the office answered before it recorded them. Its name on
// disk must not change, because Recover looks there for hooks that an earlier version stored.
const spoolPending = "late"

// Pending is a stored hook that the office has answered but not recorded.
type Pending struct{ path string }

// PutPending stores a hook that the office has answered but not recorded. The agent is waiting, so
// PutPending does not sync the file: the file survives the end of the process, but survives a power
// loss only after Queue.
func (s Spool) PutPending(at time.Time, body []byte) (Pending, error) {
	dir := filepath.Join(s.dir, spoolPending)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Pending{}, fmt.Errorf("create the spool: %w", err)
	}
	f, err := os.CreateTemp(dir, strings.TrimSuffix(spoolName(at), spoolSuffix)+"-*"+spoolSuffix) // with mode 0600
	if err != nil {
		return Pending{}, fmt.Errorf("store a hook: %w", err)
	}
	pending := Pending{f.Name()}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Close()); err != nil {
		pending.Remove()
		return Pending{}, fmt.Errorf("store a hook: %w", err)
	}
	return pending, nil
}

// Remove deletes the hook. Call it once the hook is recorded.
func (p Pending) Remove() { _ = os.Remove(p.path) }

// Queue moves the hook into the queue that Drain reads, and syncs it so that it survives a power
// loss. If the queue is full, the oldest hooks are dropped.
func (p Pending) Queue() error {
	info, err := os.Stat(p.path)
	if err != nil {
		return fmt.Errorf("read a stored hook: %w", err)
	}
	s := Spool{filepath.Dir(filepath.Dir(p.path))}
	if err := s.makeRoom(info.Size()); err != nil {
		return err
	}
	return atomicfile.Rename(p.path, filepath.Join(s.dir, filepath.Base(p.path)))
}

// Recover finds the hooks that an earlier process answered but did not record, and queues them for
// Drain.
func (s Spool) Recover() error {
	dir := filepath.Join(s.dir, spoolPending)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the spool: %w", err)
	}
	for _, e := range entries {
		if err := (Pending{filepath.Join(dir, e.Name())}).Queue(); err != nil {
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
