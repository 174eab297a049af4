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
	over atomic.Pointer[time.Time] // the deadline; nil while the command runs
	rest int                       // bytes buffered at the deadline that are still unread
	last bool                      // rest is set
}

// endAt sets the deadline. It returns false if the system does not support one.
func (o *outlet) endAt(at time.Time) bool {
	o.over.Store(&at)
	return o.SetReadDeadline(at) == nil
}

func (o *outlet) Read(p []byte) (int, error) {
	for {
		if over := o.over.Load(); over != nil && !time.Now().Before(*over) {
			return o.readRest(p)
		}
		n, err := o.File.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

func (o *outlet) readRest(p []byte) (int, error) {
	if !o.last {
		o.rest, o.last = waiting(o.File), true
		_ = o.SetReadDeadline(time.Time{})
	}
	if o.rest <= 0 {
		return 0, io.EOF
	}
	n, err := o.File.Read(p[:min(len(p), o.rest)])
	o.rest -= n
	return n, err
}
