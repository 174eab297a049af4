package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrMalformed marks a hook that can never be decoded.
var ErrMalformed = errors.New("malformed hook")

// Drained counts the hooks that Drain handled.
type Drained struct {
	Taken   int
	Bad     int // spooled hooks that were moved aside, because they were malformed or too large
	Dropped int // hooks that were dropped, because they were too large to be spooled or the spool was full
}

// Drain calls take for every spooled hook, oldest first. It removes a hook when take returns nil,
// which means that the hook is recorded, and moves the file aside when take returns ErrMalformed.
// Any other error ends the drain and leaves the remaining hooks in the spool.
func (s Spool) Drain(ctx context.Context, take func(ctx context.Context, at time.Time, body []byte) error) (Drained, error) {
	var done Drained
	list, err := s.list()
	if err != nil {
		return done, err
	}
	for _, f := range list {
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		body, err := readHook(f)
		if err == nil {
			err = take(ctx, f.at, body)
		}
		switch {
		case err == nil:
			done.Taken++
			err = os.Remove(f.path)
		case errors.Is(err, ErrMalformed):
			done.Bad++
			err = s.moveAside(f.path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return done, fmt.Errorf("remove the hook %s from the spool: %w", filepath.Base(f.path), err)
		}
	}
	done.Dropped, err = s.takeDropped()
	return done, err
}

func readHook(f spooled) ([]byte, error) {
	if f.size > LimitBody {
		return nil, fmt.Errorf("%w: %d bytes", ErrMalformed, f.size)
	}
	return os.ReadFile(f.path)
}

// moveAside moves a malformed file out of the queue, for inspection; at most LimitSpoolBad files
// are kept.
func (s Spool) moveAside(path string) error {
	dir := filepath.Join(s.dir, spoolBad)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if kept, err := os.ReadDir(dir); err == nil && len(kept) >= LimitSpoolBad {
		_ = os.Remove(filepath.Join(dir, kept[0].Name()))
	}
	return os.Rename(path, filepath.Join(dir, filepath.Base(path)))
}

// takeDropped returns the number of dropped hooks and resets it to zero.
func (s Spool) takeDropped() (int, error) {
	path := filepath.Join(s.dir, spoolDropped)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count dropped hooks: %w", err)
	}
	total := 0
	for line := range strings.Lines(string(text)) {
		n, _ := strconv.Atoi(strings.TrimSpace(line))
		total += max(n, 0)
	}
	return total, os.Remove(path)
}
