package process

import (
	"bufio"
	"context"
	"errors"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// ReadLine reads one line of a program's output. For a line that is longer than
// contracts.LimitProcessLine, it returns no text.
func ReadLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for long := false; ; {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > contracts.LimitProcessLine; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}

// LimitWritesAfter limits how long writes to Stdin may block once ctx is done: a long message does
// not fit in a hung program's pipe, so the write would never return. The returned function must be
// called at the end of the turn.
func (p *Process) LimitWritesAfter(ctx context.Context) (over func()) {
	in, ok := p.Stdin.(interface{ SetWriteDeadline(time.Time) error })
	if !ok {
		return func() {}
	}
	_ = in.SetWriteDeadline(time.Time{})
	deadlineSet := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(deadlineSet)
		_ = in.SetWriteDeadline(time.Now().Add(contracts.ProcessGrace))
	})
	return func() {
		if !stop() {
			<-deadlineSet // otherwise the deadline could affect the next turn
		}
	}
}
