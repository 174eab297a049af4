package process

import (
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// tail keeps the last bytes written to it.
type tail struct {
	limit int

	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(contracts.CleanText(string(t.buf)))
}
