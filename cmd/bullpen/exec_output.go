package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// marker matches an output line that contains an event.
var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^::(abstract(?:code)?\.[A-Za-z0-9_.]+)::(.*)$`) })

// tap writes output to its destination immediately, then scans its lines for events.
type tap struct {
	to   io.Writer
	tail *tail
	mark func(name, payload string)
	line []byte
	long bool // the line is too long for a marker
}

// Write writes p to the destination, then scans it.
func (t *tap) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	t.tail.add(p[:n])
	t.scan(p[:n])
	return n, err
}

func (t *tap) scan(p []byte) {
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		if t.long = t.long || len(t.line)+len(part) > contracts.LimitMarkerLine; !t.long {
			t.line = append(t.line, part...)
		}
		if !ended {
			return
		}
		t.end()
		p = rest
	}
}

// end handles a complete line. The last line may lack a newline.
func (t *tap) end() {
	line := bytes.TrimRight(t.line, "\r")
	if !t.long && bytes.HasPrefix(line, []byte("::abstract")) {
		if m := marker().FindStringSubmatch(string(line)); m != nil {
			t.mark(m[1], m[2])
		}
	}
	t.line, t.long = t.line[:0], false
}

// tail keeps the last bytes of one or more streams.
type tail struct {
	limit int
	mu    sync.Mutex
	kept  []byte
	cut   bool
}

func (t *tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept = append(t.kept, p...); len(t.kept) > 2*t.limit {
		t.kept, t.cut = append(t.kept[:0], t.kept[len(t.kept)-t.limit:]...), true
	}
}

// text returns the last output. If earlier output was dropped, the incomplete first line is replaced
// by "…", unless it is the only line.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, cut := t.kept, t.cut
	if len(kept) > t.limit {
		kept, cut = kept[len(kept)-t.limit:], true
	}
	text := strings.ToValidUTF8(string(kept), "\uFFFD")
	if _, rest, ok := strings.Cut(text, "\n"); cut && ok && rest != "" {
		text = "…\n" + rest
	}
	return strings.TrimRight(text, "\r\n")
}
