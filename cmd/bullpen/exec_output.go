package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
)

// marker matches an output line that contains an event.
var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^::(abstract(?:code)?\.[A-Za-z0-9_.]+)::(.*)$`) })

// tap writes output to its destination immediately, then scans its lines for events.
type tap struct {
	to   io.Writer
	tail *process.Tail
	mark func(name, payload string)
	line []byte
	long bool // the line is too long for a marker
}

// Write writes p to the destination, then scans it.
func (t *tap) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	_, _ = t.tail.Write(p[:n])
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

// lastOutput returns the end of a command's output. If earlier output was dropped, the incomplete
// first line is replaced by "…", unless it is the only line.
func lastOutput(t *process.Tail) string {
	text, cut := t.Text()
	if _, rest, ok := strings.Cut(text, "\n"); cut && ok && rest != "" {
		text = "…\n" + rest
	}
	return strings.TrimRight(text, "\r\n")
}
