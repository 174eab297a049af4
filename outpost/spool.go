package outpost

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
)

// entry is a report that is waiting to be sent: facts, or content that later facts refer to.
type entry struct {
	Key      string           `json:"key,omitzero"`
	Facts    []jsontext.Value `json:"facts,omitzero"`
	Withdraw bool             `json:"withdraw,omitzero"` // no one is waiting for answers to the questions in Facts
	Blob     []byte           `json:"blob,omitzero"`
}

// errFull means that the spool has no room for another entry.
var errFull = errors.New("the spool is full")

// spool keeps entries on disk, in order. Each entry is one file, named after its number.
type spool struct {
	dir string

	mu    sync.Mutex
	files []spooled // oldest first
	bytes int64
	last  uint64
}

type spooled struct {
	number uint64
	size   int64
}

const (
	spoolSuffix = ".json"
	badSuffix   = ".bad"
)

// openSpool opens the spool in a directory, which it creates if it is missing.
func openSpool(dir string) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the spool: %w", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	s := &spool{dir: dir}
	for _, f := range list {
		name, ok := strings.CutSuffix(f.Name(), spoolSuffix)
		number, err := strconv.ParseUint(name, 10, 64)
		info, statErr := f.Info()
		if !ok || err != nil || statErr != nil {
			continue
		}
		s.files = append(s.files, spooled{number, info.Size()})
		s.bytes += info.Size()
		s.last = max(s.last, number)
	}
	slices.SortFunc(s.files, func(a, b spooled) int { return cmp.Compare(a.number, b.number) })
	return s, nil
}

// put appends entries in order. If there is no room for one of them, it returns errFull, but keeps
// the entries before it.
func (s *spool) put(entries ...entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		content, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode a spool entry: %w", err)
		}
		size := int64(len(content))
		if s.bytes+size > contracts.LimitOutpostSpool || len(s.files) >= contracts.LimitOutpostEntries {
			return errFull
		}
		if err := atomicfile.Write(s.path(s.last+1), content); err != nil {
			return fmt.Errorf("write to the spool: %w", err)
		}
		s.last++
		s.files = append(s.files, spooled{s.last, size})
		s.bytes += size
	}
	return nil
}

// first returns the oldest entry; ok is false if the spool is empty. A damaged file is set aside.
func (s *spool) first() (e entry, number uint64, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.files) == 0 {
		return e, 0, false, nil
	}
	number = s.files[0].number
	content, err := os.ReadFile(s.path(number))
	if err == nil {
		err = json.Unmarshal(content, &e)
	}
	if err != nil {
		path := s.path(number)
		s.drop()
		kept := filepath.Base(path) + badSuffix // without the directory, which the message already names
		return e, 0, false, fmt.Errorf("%s is damaged: %w; it is kept as %s", path, err, kept)
	}
	return e, number, true, nil
}

// drop sets the oldest file aside.
func (s *spool) drop() {
	path := s.path(s.files[0].number)
	_ = atomicfile.Rename(path, path+badSuffix)
	s.forget()
}

// remove deletes the oldest entry, which has the given number.
func (s *spool) remove(number uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.files) == 0 || s.files[0].number != number {
		return nil
	}
	if err := os.Remove(s.path(number)); err != nil {
		return fmt.Errorf("remove a sent entry from the spool: %w", err)
	}
	s.forget()
	return nil
}

func (s *spool) forget() {
	s.bytes -= s.files[0].size
	s.files = s.files[1:]
}

// size returns the number of entries that are waiting to be sent, and their total size in bytes.
func (s *spool) size() (entries int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.files), s.bytes
}

func (s *spool) path(number uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf("%012d%s", number, spoolSuffix))
}
