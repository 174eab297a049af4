package hook

import (
	"os"
	"path/filepath"
	"time"
)

// breaker is a circuit breaker on disk, shared by all hooks that use the same data directory. The
// file contains the address of the office that timed out, so that other offices are not affected.
type breaker struct {
	path, office string
}

func newBreaker(dataDir, office string) breaker {
	return breaker{filepath.Join(dataDir, spoolDir, ".breaker"), office}
}

// allow reports whether to contact the office. After each pause, only one hook tries; the others
// skip the office until an attempt ends without a timeout or the next pause is over.
func (b breaker) allow(now time.Time) bool {
	info, err := os.Stat(b.path)
	if err != nil {
		return true
	}
	if office, err := os.ReadFile(b.path); err != nil || string(office) != b.office {
		return true
	}
	if age := now.Sub(info.ModTime()); age >= 0 && age < BreakerPause {
		return false
	}
	b.trip()
	return true
}

func (b breaker) trip() {
	if os.MkdirAll(filepath.Dir(b.path), 0o700) == nil {
		_ = os.WriteFile(b.path, []byte(b.office), 0o600)
	}
}

func (b breaker) reset() { _ = os.Remove(b.path) }
