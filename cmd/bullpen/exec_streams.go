package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// streams connects a command to the input and output of this process.
type streams struct {
	terminal *os.File // master of the command's pseudo-terminal; nil if it has none
	keys     *os.File // file that the command's keystrokes are read from; nil if the command reads its input directly
	size     *os.File // the terminal whose size the pseudo-terminal copies

	mu      sync.Mutex
	release func() // restores the terminal mode
	ended   bool

	taps   []*tap
	reads  []*outlet  // the output of reads[i] is copied to taps[i]
	theirs []*os.File // write ends of pipes, for the command only
	work   sync.WaitGroup
}

// connect sets the command's input and output. Package exec copies input that is not a file, as in
// tests, and with x.direct also output.
func (x *execution) connect(cmd *exec.Cmd) (*streams, error) {
	s := &streams{release: func() {}}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = x.in, x.out, x.err
	if x.direct {
		return s, nil
	}
	if isTerminal(x.out) {
		return s, s.openTerminal(x, cmd)
	}
	out, err := s.pipe(x, x.out)
	if err != nil {
		return s, err
	}
	cmd.Stdout = out
	switch {
	case sameFile(x.out, x.err): // two pipes would lose the order of the output
		cmd.Stderr = out
	case !isTerminal(x.err):
		if cmd.Stderr, err = s.pipe(x, x.err); err != nil {
			return s, err
		}
	}
	return s, nil
}

// openTerminal gives the command a pseudo-terminal, so that its output can be read. If none is
// available, the command uses this terminal.
func (s *streams) openTerminal(x *execution, cmd *exec.Cmd) error {
	master, slave, err := openPTY()
	if err != nil {
		return nil
	}
	s.terminal, s.size = master, x.out.(*os.File)
	s.theirs = append(s.theirs, slave)
	copySize(master, s.size)
	cmd.Stdout = slave
	if isTerminal(x.err) {
		cmd.Stderr = slave
	} else if cmd.Stderr, err = s.pipe(x, x.err); err != nil {
		return err
	}
	if isTerminal(x.in) {
		cmd.Stdin, s.keys = slave, x.in.(*os.File)
		s.takeKeys()
	}
	ownSession(cmd)
	s.reads = append(s.reads, &outlet{File: master})
	s.taps = append(s.taps, x.newTap(x.out))
	return nil
}

// end restores the terminal mode for the last time, after the command has exited.
func (s *streams) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.release()
}

// takeKeys puts the terminal into raw mode, so that every key goes to the command.
func (s *streams) takeKeys() {
	if s.keys == nil {
		return
	}
	if restore, err := makeRaw(s.keys); err == nil {
		s.release = restore
	}
}

func (x *execution) newTap(to io.Writer) *tap {
	return &tap{to: to, tail: x.tail, mark: func(name, payload string) { x.report.enqueue(x.named(name, payloadValue(payload))) }}
}

// pipe returns a file for the command to write to. A tap receives that output.
func (s *streams) pipe(x *execution, to io.Writer) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.theirs, s.reads, s.taps = append(s.theirs, write), append(s.reads, &outlet{File: read}), append(s.taps, x.newTap(to))
	return write, nil
}

// begin starts copying. If the output of this process is closed, the command gets the same error as
// it would without bullpen.
func (s *streams) begin(p *os.Process, suspend func()) {
	for _, f := range s.theirs {
		f.Close()
	}
	s.theirs = nil
	for i, read := range s.reads {
		s.work.Go(func() {
			_, _ = io.Copy(s.taps[i], onlyReader{read})
			s.taps[i].end()
			if read.File != s.terminal {
				read.Close()
			}
		})
	}
	if s.keys != nil {
		keys := &keyboard{s.terminal, func() (byte, bool) { return suspendKey(s.terminal, p.Pid) }, suspend}
		go func() { _, _ = io.Copy(keys, onlyReader{s.keys}) }()
	}
}

// onlyReader hides a reader's WriteTo method from io.Copy, because WriteTo would bypass the tap.
type onlyReader struct{ io.Reader }

// drain waits until the rest of the output has been written, however slow its reader is. Output
// from processes that the command left behind is read only for a limited time. Where pipes have no
// deadlines (Windows), this limit applies to all output.
func (s *streams) drain(limit time.Duration) {
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	bounded := (<-chan time.Time)(nil)
	for _, read := range s.reads {
		if !read.endAt(time.Now().Add(limit)) {
			bounded = time.After(limit)
		}
	}
	select {
	case <-done:
	case <-bounded:
	}
}

// close closes all files. It may be called in any state.
func (s *streams) close() {
	for _, f := range s.theirs {
		f.Close()
	}
	for _, f := range s.reads {
		f.Close()
	}
}

// sameFile reports whether a and b are the same open file, as after 2>&1.
func sameFile(a, b io.Writer) bool {
	fa, ok := a.(*os.File)
	fb, also := b.(*os.File)
	if !ok || !also {
		return false
	}
	ia, err := fa.Stat()
	ib, bad := fb.Stat()
	return errors.Join(err, bad) == nil && os.SameFile(ia, ib)
}
