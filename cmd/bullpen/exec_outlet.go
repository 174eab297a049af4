package main

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// outlet is the read end of a command's output. Processes that the command left behind may still
// write after it has exited, so reads continue until a deadline. Output that is buffered at the
// deadline is still read, so that nothing written before the deadline is lost.
type outlet struct {
	*os.File
	deadline  atomic.Pointer[time.Time] // nil while the command runs
	rest      int                       // number of bytes that were buffered at the deadline and are still unread
	restKnown bool                      // rest is set
}

// endAt sets the deadline. It returns false if the system does not support one.
func (o *outlet) endAt(at time.Time) bool {
	o.deadline.Store(&at)
	return o.SetReadDeadline(at) == nil
}

func (o *outlet) Read(p []byte) (int, error) {
	for {
		if deadline := o.deadline.Load(); deadline != nil && !time.Now().Before(*deadline) {
			return o.readRest(p)
		}
		n, err := o.File.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

func (o *outlet) readRest(p []byte) (int, error) {
	if !o.restKnown {
		o.rest, o.restKnown = waiting(o.File), true
		_ = o.SetReadDeadline(time.Time{})
	}
	if o.rest <= 0 {
		return 0, io.EOF
	}
	n, err := o.File.Read(p[:min(len(p), o.rest)])
	o.rest -= n
	return n, err
}
