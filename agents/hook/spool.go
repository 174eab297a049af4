package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/atomicfile"
)

// Spool stores hooks on disk while the office is not answering: one private file per hook, named
// after its time. It is bounded: when it is full, the oldest hooks are dropped, and their number is
// kept until the office reports it.
type Spool struct{ dir string }

// plainSpools lists the vendors whose hooks are stored directly in the spool directory; other
// vendors have subdirectories.
var plainSpools = []string{"claude"}

// SpoolOf returns the spool of a vendor's hooks in a data directory.
func SpoolOf(dataDir, name string) Spool {
	dir := filepath.Join(dataDir, spoolDir)
	if !slices.Contains(plainSpools, name) {
		dir = filepath.Join(dir, "of-"+name)
	}
	return Spool{dir}
}

const (
	spoolDir     = "spool"
	spoolSuffix  = ".json"
	spoolDropped = "dropped" // each line is a count of dropped hooks
	spoolBad     = "bad"     // malformed hooks
)

// Put stores a hook. Once it returns nil, the hook survives a power loss.
func (s Spool) Put(at time.Time, body []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("create the spool: %w", err)
	}
	if err := s.makeRoom(int64(len(body))); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(s.dir, spoolName(at)), body); err != nil {
		return fmt.Errorf("store a hook: %w", err)
	}
	return nil
}

// spoolName returns a file name that sorts by time; the pid makes it unique.
func spoolName(at time.Time) string {
	nanos := strconv.FormatInt(max(at.UnixNano(), 0), 10)
	return strings.Repeat("0", 19-len(nanos)) + nanos + "-" + strconv.Itoa(os.Getpid()) + spoolSuffix
}

// spooled is a stored hook.
type spooled struct {
	path string
	at   time.Time
	size int64
}

// list returns the stored hooks, oldest first.
func (s Spool) list() ([]spooled, error) {
	entries, err := os.ReadDir(s.dir) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	var list []spooled
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), spoolSuffix) {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed by the server in the meantime, or not a regular file
		}
		nanos, _, _ := strings.Cut(e.Name(), "-")
		n, err := strconv.ParseInt(nanos, 10, 64)
		at := time.Unix(0, n)
		if err != nil {
			at = info.ModTime()
		}
		list = append(list, spooled{filepath.Join(s.dir, e.Name()), at, info.Size()})
	}
	return list, nil
}

// makeRoom drops the oldest hooks until another hook of this size fits.
func (s Spool) makeRoom(size int64) error {
	list, err := s.list()
	if err != nil {
		return err
	}
	total := size
	for _, f := range list {
		total += f.size
	}
	dropped := 0
	for len(list) > 0 && (len(list) >= LimitSpoolFiles || total > LimitSpoolBytes) {
		if os.Remove(list[0].path) == nil {
			dropped++
		}
		total -= list[0].size
		list = list[1:]
	}
	if dropped == 0 {
		return nil
	}
	return s.Drop(dropped)
}

// Drop adds to the number of dropped hooks, which the office reports later.
func (s Spool) Drop(hooks int) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("create the spool: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.dir, spoolDropped), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("count dropped hooks: %w", err)
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, hooks); err != nil {
		return fmt.Errorf("count dropped hooks: %w", err)
	}
	return nil
}
