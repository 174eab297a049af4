package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// streams lie between a command and whoever called us.
type streams struct {
	terminal *os.File // our end of the command's own terminal; nil when it has none
	keys     *os.File // whose keys go to it; nil when the command reads for itself
	size     *os.File // the terminal whose size it has

	mu      sync.Mutex
	release func() // gives the keys back
	ended   bool

	taps   []*tap
	reads  []*outlet  // what the taps read, in their order
	theirs []*os.File // ends that only the command needs
	work   sync.WaitGroup
}

// connect gives the command its streams. What is no file, in a test say, is
// copied by package exec.
func (x *execution) connect(cmd *exec.Cmd) (*streams, error) {
	s := &streams{release: func() {}}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = x.in, x.out, x.err
	if x.direct {
		return s, nil
	}
	if isTerminal(x.out) {
		return s, s.lendTerminal(x, cmd)
	}
	out, err := s.pipe(x, x.out)
	if err != nil {
		return s, err
	}
	cmd.Stdout = out
	switch {
	case sameFile(x.out, x.err): // two pipes would mix the order up
		cmd.Stderr = out
	case !isTerminal(x.err):
		if cmd.Stderr, err = s.pipe(x, x.err); err != nil {
			return s, err
		}
	}
	return s, nil
}

// lendTerminal gives the command a terminal of its own, so that we see what it
// writes. Where there are none, it gets ours.
func (s *streams) lendTerminal(x *execution, cmd *exec.Cmd) error {
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

// end gives the keys back for good.
func (s *streams) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.release()
}

// takeKeys has every key go to the command as it is.
func (s *streams) takeKeys() {
	if s.keys == nil {
		return
	}
	if restore, err := makeRaw(s.keys); err == nil {
		s.release = restore
	}
}

func (x *execution) newTap(to io.Writer) *tap {
	return &tap{to: to, tail: x.tail, mark: func(name, payload string) { x.report.tell(x.named(name, payloadValue(payload))) }}
}

// pipe is where the command writes; what it writes goes through a tap.
func (s *streams) pipe(x *execution, to io.Writer) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.theirs, s.reads, s.taps = append(s.theirs, write), append(s.reads, &outlet{File: read}), append(s.taps, x.newTap(to))
	return write, nil
}

// begin copies, once the command runs. When nobody reads our output any more, the
// command learns it the way it would without us.
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

// onlyReader keeps io.Copy from going past the tap.
type onlyReader struct{ io.Reader }

// drain waits for the rest of the output, however slowly it is read, but not for
// those whom the command left behind with it open. Where a pipe takes no deadline
// (Windows), it is read for the patience only.
func (s *streams) drain(patience time.Duration) {
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	bounded := (<-chan time.Time)(nil)
	for _, read := range s.reads {
		if !read.endAt(time.Now().Add(patience)) {
			bounded = time.After(patience)
		}
	}
	select {
	case <-done:
	case <-bounded:
	}
}

// close lets go of everything, in whatever state it is.
func (s *streams) close() {
	for _, f := range s.theirs {
		f.Close()
	}
	for _, f := range s.reads {
		f.Close()
	}
}

// sameFile reports whether both are the same open file, as after 2>&1.
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
