package process

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Tail keeps the end of the output that is written to it, at most Limit bytes, and never starts in the
// middle of a character. It is safe for concurrent use.
type Tail struct {
	Limit int

	mu  sync.Mutex
	buf []byte
	cut bool
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*t.Limit { // not on every write, because trimming copies the rest
		t.buf, t.cut = append(t.buf[:0], t.buf[t.start():]...), true
	}
	return len(p), nil
}

// start returns the index of the first byte to keep.
func (t *Tail) start() int {
	i := max(0, len(t.buf)-t.Limit)
	for i > 0 && i < len(t.buf) && !utf8.RuneStart(t.buf[i]) {
		i++
	}
	return i
}

// Text returns the end of the output, as valid UTF-8, and whether the start was dropped.
func (t *Tail) Text() (text string, cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.start()
	return strings.ToValidUTF8(string(t.buf[i:]), "\uFFFD"), t.cut || i > 0
}
